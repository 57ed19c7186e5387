// A process group by the id of its leader: signals to all of it, and whether anybody is left. Starts nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../schema/error.ts';
import { parseProcessStat } from '../schema/process-stat.ts';

/** Sends `signal` to every process of the group. A group that is gone is fine. */
export function signalGroup(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-id, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH', 'EPERM')) throw error;
  }
}

/** Whether a process of the group is left. A zombie is none: in a container nobody may ever collect it. */
export function isGroupAlive(id: number): boolean {
  try {
    process.kill(-id, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
  return process.platform !== 'linux' || hasLivingMember(id);
}

function hasLivingMember(group: number): boolean {
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && isLivingMember(name, group));
}

function isLivingMember(pid: string, group: number): boolean {
  try {
    const stat = parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return stat?.group === group && !stat.isZombie;
  } catch {
    // It ended between the listing and the look.
    return false;
  }
}

const pollMs = 25;
/** Between TERM and KILL: enough to flush and to remove a lock file, short enough for whoever waits. */
const killGraceMs = 2000;

/** TERM to the whole group, KILL to what is left after 2 s (G5-03, G5-04). Resolves when it is empty, or soon after the KILL. */
export async function endGroup(id: number): Promise<void> {
  signalGroup(id, 'SIGTERM');
  // A stopped process does not see the TERM before it goes on.
  signalGroup(id, 'SIGCONT');
  if (await isEmptyInTime(id)) return;
  signalGroup(id, 'SIGKILL');
  await isEmptyInTime(id);
}

async function isEmptyInTime(id: number): Promise<boolean> {
  for (let waited = 0; waited < killGraceMs; waited += pollMs) {
    if (!isGroupAlive(id)) return true;
    await delay(pollMs);
  }
  return !isGroupAlive(id);
}
