// The write_file tool: a whole file, replaced in one step. Keeps an existing file's mode, byte order mark and link.
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { countOf } from './edit-file/places.ts';
import { loadIfThere } from './load-file.ts';
import { replaceFile } from './replace-file.ts';
import { safePath } from './safe-path.ts';
import type { Tool } from './tool.ts';
import { defineTool, failure, success } from './tool.ts';

const byteOrderMark = '\uFEFF';

interface WriteFileOptions {
  readonly workDir: string;
  readonly redactionMark: string;
  readonly randomHex: (bytes: number) => string;
}

/** write_file over the files of `workDir`. `redactionMark` stands for secrets in what the model read; it must not overwrite them. */
export function createWriteFileTool({ workDir, redactionMark, randomHex }: WriteFileOptions): Tool {
  return defineTool({
    name: 'write_file',
    description:
      'Writes a whole text file of the workspace, makes missing directories, replaces what was there. Mode, byte order mark and a link ' +
      'that leads to the file are kept. To change part of a file use edit_file.',
    place: 'host',
    effect: 'write',
    schema: z.object({
      path: z.string().min(1, 'a path').describe('Relative to the workspace, or absolute inside it.'),
      content: z.string().describe('The whole new content.'),
    }),
    run: async (args) => {
      const root = await realpath(workDir);
      const file = safePath(workDir, args.path, 'write');
      if (file === root) return failure('The workspace itself is a directory; give the path of a file.');
      const before = await loadIfThere(file);
      const old = before?.toString('utf8') ?? '';
      if (before !== undefined && countOf(args.content, redactionMark) > countOf(old, redactionMark)) {
        return failure(
          `The content holds "${redactionMark}", which stands for a hidden value in what you read; writing it would destroy the value. ` +
            'Nothing was written. Change only the other lines, with edit_file.',
        );
      }
      const keepsMark = old.startsWith(byteOrderMark) && !args.content.startsWith(byteOrderMark);
      const content = Buffer.from(keepsMark ? byteOrderMark + args.content : args.content);
      const done = await replaceFile(file, content, `.harness9-${randomHex(8)}.tmp`);
      const shown = path.relative(root, file);
      return success(
        `${done === 'created' ? 'Created' : 'Overwrote'} ${shown}: ${content.length} bytes${lineNote(args.content)}.`,
      );
    },
  });
}

function lineNote(content: string): string {
  const lines = countOf(content, '\n') + (content === '' || content.endsWith('\n') ? 0 : 1);
  return content === '' ? '' : `, ${lines} ${lines === 1 ? 'line' : 'lines'}`;
}
