// The edit_file tool: one exact edit of a file on disk. Bytes outside the edit are kept, whatever they are.
import { isUtf8 } from 'node:buffer';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { loadIfThere } from '../load-file.ts';
import { describeMissing } from '../near-names.ts';
import { replaceFile } from '../replace-file.ts';
import { safePath } from '../safe-path.ts';
import type { Tool, ToolOutcome } from '../tool.ts';
import { defineTool, failure, success } from '../tool.ts';
import { planEdit, splice } from './apply-edit.ts';
import { renderChangedLines } from './changed-lines.ts';
import { EditError } from './edit-error.ts';
import { countOf } from './places.ts';

interface EditFileOptions {
  readonly workDir: string;
  readonly redactionMark: string;
  readonly randomHex: (bytes: number) => string;
}

/** edit_file over the files of `workDir`. `redactionMark` stands for secrets in what the model read; it must not be written into files. */
export function createEditFileTool({ workDir, redactionMark, randomHex }: EditFileOptions): Tool {
  return defineTool({
    name: 'edit_file',
    description:
      'Replaces old_string by new_string in a text file of the workspace. old_string must be in the file exactly once, with its white ' +
      'space and without the line numbers of read_file; give some lines around the change. Line ends adapt to the file.',
    place: 'host',
    effect: 'write',
    schema: z.object({
      path: z.string().min(1, 'a path').describe('Relative to the workspace, or absolute inside it.'),
      old_string: z.string().describe('The text to replace.'),
      new_string: z.string().describe('The text that comes in its place.'),
      replace_all: z.boolean().optional().describe('Replace every occurrence.'),
    }),
    run: async (args) => {
      if (countOf(args.new_string, redactionMark) > countOf(args.old_string, redactionMark)) return refuseMark(redactionMark);
      const file = safePath(workDir, args.path, 'write');
      const before = await loadIfThere(file);
      const root = await realpath(workDir);
      if (before === undefined)
        return failure(`${await describeMissing(file, root, args.path)} Use write_file to make a new file.`);
      if (before.includes(0)) return failure(`"${args.path}" is binary; edit_file changes text only.`);
      const edit = { oldString: args.old_string, newString: args.new_string, replaceAll: args.replace_all ?? false };
      try {
        const { after, count, changedLines } = editBytes(before, edit);
        await replaceFile(file, after, `.harness9-${randomHex(8)}.tmp`);
        const times = count === 1 ? '1 place' : `${count} places`;
        return success(`Edited ${path.relative(root, file)} in ${times}. The lines are now:\n${changedLines}`);
      } catch (error) {
        if (error instanceof EditError) return failure(`${error.message} (${args.path} is unchanged.)`);
        throw error;
      }
    },
  });
}

interface ByteEdit {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
}

/** Edits valid UTF-8 as text; anything else byte by byte, as Latin-1, so that no byte is decoded that cannot be (G4-06). */
function editBytes(
  before: Buffer,
  { oldString, newString, replaceAll }: ByteEdit,
): { after: Buffer; count: number; changedLines: string } {
  const isText = isUtf8(before);
  const encoding = isText ? 'utf8' : 'latin1';
  const inFile = (text: string) => (isText ? text : Buffer.from(text).toString('latin1'));
  const content = before.toString(encoding);
  const replacements = planEdit(content, inFile(oldString), inFile(newString), { replaceAll });
  const result = splice(content, replacements);
  const shown = renderChangedLines(result, replacements);
  return {
    after: Buffer.from(result, encoding),
    count: replacements.length,
    changedLines: isText ? shown : Buffer.from(shown, 'latin1').toString('utf8'),
  };
}

function refuseMark(redactionMark: string): ToolOutcome {
  return failure(
    `new_string holds "${redactionMark}", which stands for a hidden value in what you read; writing it would destroy the value. ` +
      'Nothing was changed. Leave the line with it out of the edit.',
  );
}
