// A process group by the id of its leader: signals to all of it, and whether anybody is left. Starts nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../schema/error.ts';
import { type ProcessStat, parseProcessStat } from '../schema/process-stat.ts';

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
  return isAnyAlive([id]);
}

/** One look at all processes, however many the groups are. */
function isAnyAlive(groups: readonly number[]): boolean {
  const there = new Set(groups.filter(isThere));
  if (there.size === 0 || process.platform !== 'linux') return there.size > 0;
  return processIds().some((pid) => {
    const stat = statOf(pid);
    return stat !== undefined && !stat.isZombie && there.has(stat.group);
  });
}

function isThere(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

function processIds(): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

function statOf(pid: string): ProcessStat | undefined {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // It ended between the listing and the look.
    return undefined;
  }
}

/** The groups of a process and of all that descend from it: some went into a session of their own, and are no less its own (G5-04). */
function groupsOf(leader: number): readonly number[] {
  if (process.platform !== 'linux') return [leader];
  const all = processIds().map((pid) => ({ pid: Number(pid), stat: statOf(pid) }));
  const children = Map.groupBy(all, ({ stat }) => stat?.parent);
  const groups = new Set([leader]);
  const waiting = [leader];
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const { pid, stat } of children.get(parent) ?? []) {
      groups.add(stat?.group ?? leader);
      waiting.push(pid);
    }
  }
  return [...groups];
}

const pollMs = 25;
/** Between TERM and KILL: enough to flush and to remove a lock file, short enough for whoever waits. */
const killGraceMs = 2000;

/**
 * Ends the group of `leader` and those of all its descendants: TERM, KILL to what is left after 2 s (G5-03, G5-04). Resolves when they
 * are empty, or soon after the KILL. Who left the family before, by a parent that ended, lives on.
 */
export async function endGroup(leader: number): Promise<void> {
  // Stopped, so that a family that grows faster than one can look at it grows no more.
  signalGroup(leader, 'SIGSTOP');
  const groups = groupsOf(leader);
  signalAll(groups, 'SIGTERM');
  // Who is stopped does not see the TERM before it goes on.
  signalAll(groups, 'SIGCONT');
  if (await areEmptyInTime(groups)) return;
  // What a trap started on the TERM.
  const all = [...new Set([...groups, ...groupsOf(leader)])];
  signalAll(all, 'SIGKILL');
  await areEmptyInTime(all);
}

function signalAll(groups: readonly number[], signal: NodeJS.Signals): void {
  for (const group of groups) signalGroup(group, signal);
}

async function areEmptyInTime(groups: readonly number[]): Promise<boolean> {
  for (let waited = 0; waited < killGraceMs; waited += pollMs) {
    if (!isAnyAlive(groups)) return true;
    await delay(pollMs);
  }
  return !isAnyAlive(groups);
}
