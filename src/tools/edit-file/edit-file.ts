// The edit_file tool: one edit of a file on disk. Bytes outside the edit are kept, whatever they are.
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { describeData } from '../content-type.ts';
import { loadIfThere } from '../load-file.ts';
import { describeMissing } from '../near-names.ts';
import { toldByPath } from '../path-error.ts';
import { safePath } from '../safe-path.ts';
import type { FileWriterOptions } from '../save-file.ts';
import { saveFile } from '../save-file.ts';
import { refuseStandIn, wholeText } from '../stand-in.ts';
import type { DecodedText } from '../text-encoding.ts';
import { decodeText, encodeText } from '../text-encoding.ts';
import type { Tool, ToolOutcome } from '../tool.ts';
import { defineTool, failure, success } from '../tool.ts';
import { planEdit } from './apply-edit.ts';
import { renderChangedLines } from './changed-lines.ts';
import { EditError } from './edit-error.ts';
import { splice } from './replacement.ts';

const schema = z.object({
  path: z.string().min(1, 'a path').describe('Relative to the workspace.'),
  old_string: wholeText,
  new_string: wholeText,
  replace_all: z.boolean().optional(),
});
type EditArguments = z.infer<typeof schema>;

/** edit_file over the files of `workDir`. */
export function createEditFileTool(options: FileWriterOptions): Tool {
  return defineTool({
    name: 'edit_file',
    description:
      'Replaces old_string by new_string in a text file of the workspace. old_string must be in the file exactly once, with its white ' +
      'space and without the line numbers of read_file; give some lines around the change. Line ends adapt to the file.',
    place: 'host',
    effect: 'write',
    schema,
    run: (args) => toldByPath(args.path, () => editFile(args, options)),
  });
}

async function editFile(args: EditArguments, options: FileWriterOptions): Promise<ToolOutcome> {
  const file = safePath(options.workDir, args.path, 'write');
  const root = await realpath(options.workDir);
  const before = await loadIfThere(file);
  if (before === undefined) return failure(`${await describeMissing(file, root, args.path)} Use write_file to make a new file.`);
  const decoded = decodeText(before);
  if (decoded === undefined) return failure(`"${args.path}" is ${describeData(before)}; edit_file changes text only.`);
  const refusal = refuseStandIn({
    field: 'new_string',
    text: args.new_string,
    known: args.old_string,
    redactionMark: options.redactionMark,
    hasOddBytes: !decoded.encoding.isWhole,
  });
  if (refusal !== undefined) return failure(refusal);
  return editLoaded({ file, shown: path.relative(root, file), before, decoded }, args, options);
}

interface LoadedFile {
  /** The real path. */
  readonly file: string;
  readonly shown: string;
  readonly before: Buffer;
  readonly decoded: DecodedText;
}

async function editLoaded(
  { file, shown, before, decoded }: LoadedFile,
  args: EditArguments,
  options: FileWriterOptions,
): Promise<ToolOutcome> {
  const stale = options.seen.isStale(file, before)
    ? ' The file was changed by something else since you last read or wrote it.'
    : '';
  try {
    const { bytes, words, changedLines } = editText(decoded, args);
    const others = await saveFile(file, { content: bytes, before }, options);
    return success(`Edited ${shown} in ${words}.${stale}${others} The lines are now:\n${changedLines}`);
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    const reread = stale === '' ? '' : `${stale} Read it again.`;
    const isMisread = !decoded.encoding.isWhole && args.old_string.includes('\uFFFD');
    const misread = isMisread ? ' In old_string leave out "\uFFFD": it stands for bytes that are not UTF-8.' : '';
    return failure(`${args.path} is unchanged: ${error.message.toWellFormed()}${reread}${misread}`);
  }
}

/** The file's new bytes, and what was done in words. Throws an EditError, and what encodeText throws. */
function editText(
  { text, encoding }: DecodedText,
  { old_string, new_string, replace_all }: EditArguments,
): { readonly bytes: Buffer; readonly words: string; readonly changedLines: string } {
  const plan = planEdit(text, old_string, new_string, { replaceAll: replace_all });
  const result = splice(text, plan.replacements);
  const count = plan.places;
  return {
    bytes: encodeText({ text: result, encoding }),
    words: `${count === 1 ? '1 place' : `${count} places`}${plan.note === undefined ? '' : ` (${plan.note})`}`,
    // Half characters stand for bytes that are none.
    changedLines: renderChangedLines(result, plan.replacements).toWellFormed(),
  };
}
