// The write_file tool: a whole file, replaced in one step. An existing file keeps its mode, encoding, line ends and link.
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { countOf } from './edit-file/places.ts';
import { loadIfThere } from './load-file.ts';
import { toldByPath } from './path-error.ts';
import { safePath } from './safe-path.ts';
import type { FileWriterOptions } from './save-file.ts';
import { saveFile } from './save-file.ts';
import { refuseStandIn, wholeText } from './stand-in.ts';
import type { DecodedText } from './text-encoding.ts';
import { decodeText, encodeText } from './text-encoding.ts';
import type { Tool, ToolOutcome } from './tool.ts';
import { defineTool, failure, success } from './tool.ts';

const byteOrderMark = '\uFEFF';

/** write_file over the files of `workDir`. */
export function createWriteFileTool(options: FileWriterOptions): Tool {
  return defineTool({
    name: 'write_file',
    description:
      'Writes a whole text file of the workspace, makes missing directories, replaces what was there. Mode, encoding, line ends and a ' +
      'link that leads to the file are kept. To change part of a file use edit_file.',
    place: 'host',
    effect: 'write',
    schema: z.object({
      path: z.string().min(1, 'a path').describe('Relative to the workspace.'),
      content: wholeText,
    }),
    run: (args) => toldByPath(args.path, () => writeFile(args, options)),
  });
}

async function writeFile(
  args: { readonly path: string; readonly content: string },
  options: FileWriterOptions,
): Promise<ToolOutcome> {
  const { workDir, redactionMark, seen } = options;
  const root = await realpath(workDir);
  const file = safePath(workDir, args.path, 'write');
  if (file === root) return failure('The workspace itself is a directory; give the path of a file.');
  const before = await loadIfThere(file);
  const old = before === undefined ? undefined : decodeText(before);
  const refusal = refuseStandIn({
    field: 'content',
    text: args.content,
    // A new file may hold what stands for something, in a text about it: there it destroys nothing.
    known: before === undefined ? args.content : (old?.text ?? ''),
    redactionMark,
    hasOddBytes: old?.encoding.isWhole === false,
  });
  if (refusal !== undefined) return failure(refusal);
  if (before !== undefined && seen.isStale(file, before)) {
    // Told once; who still wants it may.
    seen.note(file, before);
    return failure(
      `"${args.path}" was changed by something else since you last read or wrote it. Nothing was written. ` +
        'Read it again and keep that change; the same call again overwrites it.',
    );
  }
  const { bytes, kept } = encodeLike(old, args.content);
  const others = await saveFile(file, { content: bytes, before }, options);
  const shown = path.relative(root, file);
  const facts = [`${bytes.length} bytes`, ...countLines(args.content), ...kept].join(', ');
  return success(`${before === undefined ? 'Created' : 'Overwrote'} ${shown}: ${facts}.${others}`);
}

/** The bytes of `content` as the file before would have them, and what of it was kept in words. What was no text gives no rule. */
function encodeLike(old: DecodedText | undefined, content: string): { readonly bytes: Buffer; readonly kept: readonly string[] } {
  if (old === undefined) return { bytes: Buffer.from(content), kept: [] };
  const { mark, name } = old.encoding;
  const wanted = lineEndOf(old.text);
  const given = lineEndOf(content);
  const isAdapted = wanted !== undefined && given !== undefined && given !== wanted;
  const adapted = isAdapted ? content.replaceAll(given, wanted) : content;
  const text = mark.length > 0 && adapted.startsWith(byteOrderMark) ? adapted.slice(1) : adapted;
  return {
    bytes: encodeText({ text, encoding: old.encoding }),
    kept: [
      ...(isAdapted ? [`${wanted === '\n' ? 'LF' : 'CRLF'} line ends kept`] : []),
      ...(name === 'UTF-8' || name === 'unknown' ? [] : [`${name} kept`]),
    ],
  };
}

/** The line end of a text that has one kind of them; undefined for none and for both. */
function lineEndOf(text: string): '\n' | '\r\n' | undefined {
  const crlf = countOf(text, '\r\n');
  const lf = countOf(text, '\n') - crlf;
  if (crlf > 0) return lf === 0 ? '\r\n' : undefined;
  return lf > 0 ? '\n' : undefined;
}

function countLines(content: string): readonly string[] {
  const lines = countOf(content, '\n') + (content === '' || content.endsWith('\n') ? 0 : 1);
  return content === '' ? [] : [`${lines} ${lines === 1 ? 'line' : 'lines'}`];
}
