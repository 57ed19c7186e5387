// Our own start environment out of /proc/<pid>/environ, where every process of the same user could read the keys in it (C2).
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { parseProcessStat } from '../schema/process-stat.ts';
import { isAllowedVariable } from './child-environment.ts';

/**
 * Overwrites, in this process's memory, the value of every start variable that children may not see, and sets it again in `env`
 * (process.env), from where it works as before. Deleting a variable would leave it in /proc. Best effort: returns the names that were
 * overwritten, none where the system does not let us. A debugger that may read our memory still finds them.
 */
export function scrubOwnEnvironment(env: Record<string, string | undefined>): readonly string[] {
  if (process.platform !== 'linux') return [];
  try {
    const memory = openSync('/proc/self/mem', 'r+');
    try {
      return overwrite(memory, env);
    } finally {
      closeSync(memory);
    }
  } catch {
    // A hardened kernel refuses the file: nothing is worse than before.
    return [];
  }
}

function overwrite(memory: number, env: Record<string, string | undefined>): readonly string[] {
  const { start, end } = parseProcessStat(readFileSync('/proc/self/stat', 'utf8'))?.environment ?? { start: 0, end: 0 };
  const area = Buffer.alloc(end - start);
  readSync(memory, area, 0, area.length, start);
  const scrubbed: string[] = [];
  for (let at = 0; at < area.length; ) {
    const next = area.indexOf(0, at);
    const stop = next === -1 ? area.length : next;
    const equals = area.indexOf('=', at);
    const name = equals > at && equals < stop ? area.toString('utf8', at, equals) : '';
    const value = name === '' ? undefined : env[name];
    if (value !== undefined && value !== '' && !isAllowedVariable(name, value)) {
      writeSync(memory, Buffer.alloc(stop - equals - 1), 0, stop - equals - 1, start + equals + 1);
      // The old text is gone, so the variable is empty now; a new one is made elsewhere.
      env[name] = value;
      scrubbed.push(name);
    }
    at = stop + 1;
  }
  return scrubbed;
}
