// Finding and killing what a tool host left behind, whatever it did to hide, until nothing comes after (C10). Linux only: it reads /proc.
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessEntry } from './process-table.ts';
import { loadProcessTable } from './process-table.ts';

/** The variable that every process of a tool host inherits; its value names the host. */
export const markerVariable = 'HARNESS9_TOOL_HOST';

/** The value for processes beside the tools: they are wanted until the end, and no news then. */
export function markBeside(marker: string): string {
  return `${marker}/beside`;
}

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

/** A process that a tool host left behind. `command`: not bounded for people, and not redacted. */
export type LeftProcess = Pick<ProcessEntry, 'pid' | 'command'>;

/** `killed` was still running; `survivors` could not be killed. */
export interface SweepResult {
  readonly killed: readonly LeftProcess[];
  readonly survivors: readonly LeftProcess[];
}

/** A fork bomb makes new processes while we kill; in so many rounds it has lost. */
const maxRounds = 100;
const roundMs = 20;
/** One empty look may fall between a fork and its entry in /proc. */
const enoughEmptyLooks = 2;

/** Kills everything that belongs to `target`, looks again until nothing is left, and names what it found. */
export async function killSweep(target: SweepTarget): Promise<SweepResult> {
  const killed = new Map<number, LeftProcess>();
  let left: readonly LeftProcess[] = [];
  let emptyLooks = 0;
  for (let round = 0; round < maxRounds && emptyLooks < enoughEmptyLooks; round += 1) {
    left = findProcesses(await loadProcessTable(), target).map(leftOf);
    emptyLooks = left.length === 0 ? emptyLooks + 1 : 0;
    for (const found of left) {
      killed.set(found.pid, found);
      kill(found.pid);
    }
    await delay(roundMs);
  }
  return { killed: [...killed.values()], survivors: left };
}

/**
 * What the tools' commands have left running by now. To be asked while the host lives: it is the parent by which some are known. Every
 * command has a session of its own; what is in the host's is the host, and what it starts for itself.
 */
export async function findLeft(target: SweepTarget): Promise<readonly LeftProcess[]> {
  const beside = `${markerVariable}=${markBeside(target.marker)}`;
  return findProcesses(await loadProcessTable(), target)
    .filter(({ session, environment }) => !target.sessions.includes(session) && !environment.includes(beside))
    .map(leftOf);
}

/** Without its environment, which is nobody's business. */
function leftOf({ pid, command }: ProcessEntry): LeftProcess {
  return { pid, command };
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
  const marks = [target.marker, markBeside(target.marker)].map((value) => `${markerVariable}=${value}`);
  const sessions = new Set(target.sessions);
  let before = -1;
  while (before !== found.size) {
    before = found.size;
    for (const entry of table) {
      if (spared.has(entry.pid) || found.has(entry.pid)) continue;
      const isOurs =
        marks.some((mark) => entry.environment.includes(mark)) ||
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
