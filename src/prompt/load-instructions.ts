// Owns the reading of instruction files (AGENTS.md) through a reader that the caller gives; never opens a path itself (B8).

export interface Instructions {
  readonly path: string;
  readonly text: string;
  readonly isCut: boolean;
}

/** A file's text, or null where there is none. On a pull request the caller reads from the base commit, never from the head. */
export type ReadInstructions = (path: string) => Promise<string | null>;

/** All files together: they go with every request of a run. */
const defaultCapBytes = 32_768;

/** The files that exist and say something, in the order given, cut at a line where the cap ends; what is beyond is left out. */
export async function loadInstructions(
  readFile: ReadInstructions,
  files: readonly string[],
  capBytes = defaultCapBytes,
): Promise<readonly Instructions[]> {
  const texts = await Promise.all(files.map(async (path) => ({ path, text: (await readFile(path))?.trim() ?? '' })));
  const loaded: Instructions[] = [];
  let left = capBytes;
  for (const { path, text } of texts) {
    if (text === '' || left <= 0) continue;
    const kept = cutAtLine(text, left);
    left -= Buffer.byteLength(kept);
    loaded.push({ path, text: kept, isCut: kept.length < text.length });
  }
  return loaded;
}

function cutAtLine(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  // A cut within a character leaves a replacement character at the end, which goes with the unfinished line.
  const kept = Buffer.from(text).subarray(0, maxBytes).toString();
  const end = kept.lastIndexOf('\n');
  return end > 0 ? kept.slice(0, end) : kept.replace(/\ufffd$/, '');
}
