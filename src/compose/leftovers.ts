// What a run's sandbox could leave running, for a post that comes after a main that was killed. Loads no tool.
import { killSweep, type SweepResult } from '../sandbox/kill-sweep.ts';
import { loadStartTicks } from '../sandbox/process-table.ts';
import type { World } from '../schema/world.ts';

/** By what the processes of this run's sandbox are known: the mark in their environment, and that none is older than main. */
export interface SandboxTrace {
  readonly marker: string;
  /** Clock ticks since boot; null where there is no /proc. */
  readonly startedAtTicks: number | null;
}

/** The trace of a sandbox that is still to be started. */
export async function traceSandbox({ randomHex }: Pick<World, 'randomHex'>): Promise<SandboxTrace> {
  return { marker: randomHex(16), startedAtTicks: await loadStartTicks(process.pid) };
}

/** Kills what is left of the sandbox and says what was there (C10). */
export function endLeftovers({ marker, startedAtTicks }: SandboxTrace): Promise<SweepResult> {
  return killSweep({ marker, startedAtTicks, sessions: [], self: process.pid });
}
