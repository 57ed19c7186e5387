// Finding and killing what a tool host left behind, whatever it did to hide, until nothing comes after (C10). Linux only: it reads /proc.
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessEntry } from './process-table.ts';
import { loadProcessTable } from './process-table.ts';

/** The variable that every process of a tool host inherits; its value names the host. */
export const markerVariable = 'HARNESS9_TOOL_HOST';

export interface SweepTarget {
  /** The value of markerVariable. */
  readonly marker: string;
  /** Sessions known to be the host's. */
  readonly sessions: readonly number[];
  /** Our own process: it and its ancestors are never killed. */
  readonly self: number;
  /** Clock ticks since boot when the first host started; null: do not look for processes that cleared their environment. */
  readonly startedAtTicks: number | null;
}

/** Names like `sleep (pid 12)`. `killed` was still running; `survivors` could not be killed. */
export interface SweepResult {
  readonly killed: readonly string[];
  readonly survivors: readonly string[];
}

/** A fork bomb makes new processes while we kill; in so many rounds it has lost. */
const maxRounds = 100;
const roundMs = 20;
/** One empty look may fall between a fork and its entry in /proc. */
const enoughEmptyLooks = 2;

/** Kills everything that belongs to `target`, looks again until nothing is left, and names what it found. */
export async function killSweep(target: SweepTarget): Promise<SweepResult> {
  const killed = new Map<number, string>();
  let left: readonly ProcessEntry[] = [];
  let emptyLooks = 0;
  for (let round = 0; round < maxRounds && emptyLooks < enoughEmptyLooks; round += 1) {
    left = findProcesses(await loadProcessTable(), target);
    emptyLooks = left.length === 0 ? emptyLooks + 1 : 0;
    for (const { pid, name } of left) {
      killed.set(pid, `${name} (pid ${pid})`);
      kill(pid);
    }
    await delay(roundMs);
  }
  return { killed: [...killed.values()], survivors: left.map(({ pid, name }) => `${name} (pid ${pid})`) };
}

/**
 * The living processes that belong to `target`: by marker, by session, by descent; and orphans that cleared the marker, known by
 * no-new-privs, which nobody can take off again. Pure.
 */
export function findProcesses(table: readonly ProcessEntry[], target: SweepTarget): readonly ProcessEntry[] {
  const byId = new Map(table.map((entry) => [entry.pid, entry]));
  const spared = ancestorsOf(target.self, byId);
  const own = byId.get(target.self);
  const found = new Set<number>();
  const sessions = new Set(target.sessions);
  let before = -1;
  while (before !== found.size) {
    before = found.size;
    for (const entry of table) {
      if (spared.has(entry.pid) || found.has(entry.pid)) continue;
      const isOurs =
        entry.environment.includes(`${markerVariable}=${target.marker}`) ||
        sessions.has(entry.session) ||
        found.has(entry.parent) ||
        isHiddenOrphan(entry, { own, spared, startedAtTicks: target.startedAtTicks });
      if (isOurs) found.add(entry.pid);
    }
  }
  return table.filter((entry) => found.has(entry.pid) && !entry.isZombie);
}

interface Surroundings {
  readonly own: ProcessEntry | undefined;
  readonly spared: ReadonlySet<number>;
  readonly startedAtTicks: number | null;
}

/**
 * Adopted by an ancestor of ours, without any tool host's marker, with no-new-privs though we have not: it came out of a sandbox.
 * User, cgroup and start time keep the hands off everything else on a machine that is not ours alone.
 */
function isHiddenOrphan(entry: ProcessEntry, { own, spared, startedAtTicks }: Surroundings): boolean {
  if (own === undefined || startedAtTicks === null || own.hasNoNewPrivileges || !entry.hasNoNewPrivileges) return false;
  if (entry.environment.some((variable) => variable.startsWith(`${markerVariable}=`))) return false;
  const isAdopted = spared.has(entry.parent) && entry.parent !== own.pid;
  return isAdopted && entry.userId === own.userId && entry.cgroup === own.cgroup && entry.startTicks >= startedAtTicks;
}

function ancestorsOf(pid: number, byId: ReadonlyMap<number, ProcessEntry>): ReadonlySet<number> {
  const ancestors = new Set([0, 1]);
  for (let at = pid; !ancestors.has(at); at = byId.get(at)?.parent ?? 0) ancestors.add(at);
  return ancestors;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already, or not ours to kill: the next look tells which.
  }
}
