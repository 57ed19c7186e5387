// The log of one server: its name before each line, lines cut, and no flood. Escaping for the runner is the log's own.
import { oneLine } from '../schema/one-line.ts';
import type { Log } from '../schema/world.ts';

const maxLineChars = 300;
/** Enough for the stack of a crash; a server that logs each call would drown the run's own lines. */
const maxLines = 200;

/** A log for what `server` says and does. */
export function createServerLog(log: Log, server: string): Log {
  const name = oneLine(server, 60);
  let left = maxLines;
  return (line) => {
    if (left < 0) return;
    left -= 1;
    const text = oneLine(line.slice(0, maxLineChars * 4), maxLineChars);
    log(`[mcp] ${name}: ${left < 0 ? `more than ${maxLines} lines; the rest is not logged` : text}`);
  };
}
