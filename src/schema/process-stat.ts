// One line of /proc/<pid>/stat as a value. Pure; field numbers are those of proc_pid_stat(5).

export interface ProcessStat {
  readonly name: string;
  /** Ended, and only waiting to be collected; in a container perhaps for ever. */
  readonly isZombie: boolean;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot. */
  readonly startTicks: number;
  /** Where the start environment lies in the process's memory; 0 when it is not ours to know. */
  readonly environment: { readonly start: number; readonly end: number };
}

/** The line as a value; undefined for anything else, and for the empty text that a process leaves which has ended meanwhile. */
export function parseProcessStat(text: string): ProcessStat | undefined {
  // The name stands in parentheses and may hold some itself: the fields begin after the last one, with the third.
  const nameStart = text.indexOf('(');
  const nameEnd = text.lastIndexOf(')');
  if (nameStart === -1 || nameEnd < nameStart) return undefined;
  const fields = text.slice(nameEnd + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3] ?? Number.NaN);
  const state = fields[0];
  if (Number.isNaN(field(4)) || Number.isNaN(field(22))) return undefined;
  return {
    name: text.slice(nameStart + 1, nameEnd),
    isZombie: state === 'Z' || state === 'X',
    parent: field(4),
    group: field(5),
    session: field(6),
    startTicks: field(22),
    environment: { start: field(50), end: field(51) },
  };
}
