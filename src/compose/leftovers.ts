// What a run's sandbox could leave running, for a post that comes after a main that was killed. Loads no tool.
import { killSweep } from '../sandbox/kill-sweep.ts';
import { loadStartTicks } from '../sandbox/process-table.ts';
import type { Log, World } from '../schema/world.ts';
import { logStopped, renderProcesses } from './left-processes.ts';

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

/** Kills what is left of the sandbox, says in the log what was there, and names what could not be killed (C10). */
export async function endLeftovers(
  { marker, startedAtTicks }: SandboxTrace,
  { log, outward }: { readonly log: Log; readonly outward: (text: string) => string },
): Promise<readonly string[]> {
  const { killed, survivors } = await killSweep({ marker, startedAtTicks, sessions: [], self: process.pid });
  logStopped(renderProcesses(killed, outward), log);
  return renderProcesses(survivors, outward);
}
