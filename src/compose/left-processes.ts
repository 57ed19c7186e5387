// Processes that commands left running, as people read of them. Their command lines are the model's words, and may hold what nobody is to see.
import type { LeftProcess } from '../sandbox/kill-sweep.ts';
import { oneLine } from '../schema/one-line.ts';
import type { Log } from '../schema/world.ts';

const maxCommandChars = 100;
/** A fork bomb is no reason to fill the log. */
const maxLogged = 20;

/** Like "`npm run dev` (pid 12)". `outward` takes secrets out before anything is cut. Pure. */
export function renderProcesses(processes: readonly LeftProcess[], outward: (text: string) => string): readonly string[] {
  return processes.map(({ pid, command }) => {
    const line = oneLine(outward(command), maxCommandChars).replaceAll('`', "'");
    return `\`${line}\` (pid ${pid})`;
  });
}

/** One line each. */
export function logStopped(stopped: readonly string[], log: Log): void {
  for (const name of stopped.slice(0, maxLogged)) log(`[sandbox] stopped at the end: ${name}`);
  if (stopped.length > maxLogged) log(`[sandbox] stopped at the end: ${stopped.length - maxLogged} more`);
}
