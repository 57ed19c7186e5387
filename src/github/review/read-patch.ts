// Owns which lines of a file a diff shows, by side and number. Pure; a patch is read as GitHub gives it: hunks without a head.

/** A line that the diff shows, and the number of the hunk that it is in. */
export interface DiffLine {
  readonly text: string;
  readonly hunk: number;
}

export interface PatchLines {
  readonly left: ReadonlyMap<number, DiffLine>;
  readonly right: ReadonlyMap<number, DiffLine>;
}

const hunkHead = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Every line of the hunks: what is unchanged stands on both sides. Texts are without their line ends. */
export function readPatch(patch: string): PatchLines {
  const left = new Map<number, DiffLine>();
  const right = new Map<number, DiffLine>();
  let [old, now, hunk] = [0, 0, 0];
  for (const line of patch.split('\n')) {
    const [, oldStart, newStart] = hunkHead.exec(line) ?? [];
    if (oldStart !== undefined && newStart !== undefined) {
      [old, now, hunk] = [Number(oldStart), Number(newStart), hunk + 1];
      continue;
    }
    const shown = { text: line.slice(1).replace(/\r$/, ''), hunk };
    const sign = line.charAt(0);
    if (sign === ' ' || sign === '-') left.set(old++, shown);
    if (sign === ' ' || sign === '+') right.set(now++, shown);
  }
  return { left, right };
}
