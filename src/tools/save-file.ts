// What the tools that write files have in common: the new content on the disk in one step, and what there is to know and to tell of it.
import { temporaryFileName } from '../schema/temporary-file.ts';
import { replaceFile } from './replace-file.ts';
import type { SeenFiles } from './seen-files.ts';

export interface FileWriterOptions {
  readonly workDir: string;
  /** What stands for secrets in what the model read; it must not get into files. */
  readonly redactionMark: string;
  readonly randomHex: (bytes: number) => string;
  readonly seen: SeenFiles;
}

/**
 * Puts `content` at `file` (from safePath with `write`), which held `before`, and counts it as seen. What is to be told beside: a sentence with
 * a blank before it, or nothing. Throws as replaceFile does.
 */
export async function saveFile(
  file: string,
  { content, before }: { readonly content: Buffer; readonly before: Buffer | undefined },
  { randomHex, seen }: Pick<FileWriterOptions, 'randomHex' | 'seen'>,
): Promise<string> {
  const { hasOtherNames } = await replaceFile(file, { content, before, temporaryName: temporaryFileName(randomHex(8)) });
  seen.note(file, content);
  return hasOtherNames ? ' Its other hard links keep the old content.' : '';
}
