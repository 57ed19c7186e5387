// The read_file tool: a page of a text file with line numbers, in bounded memory whatever the file's size; a picture. Changes nothing.
import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { hasCode } from '../schema/error.ts';
import { textPart } from '../schema/message.ts';
import { maxPictureChars, maxPictureSide, readPicture } from '../schema/picture.ts';
import { findPictureFlaw, flawWords } from '../schema/picture-flaw.ts';
import { describeData, findSignature } from './content-type.ts';
import { listDirectory } from './list-directory.ts';
import { maxFileBytes } from './load-file.ts';
import { describeMissing } from './near-names.ts';
import { openRegularFile } from './open-file.ts';
import { toldByPath } from './path-error.ts';
import type { LinePage } from './read-lines.ts';
import { readLines } from './read-lines.ts';
import { readablePath } from './safe-path.ts';
import type { SeenFiles } from './seen-files.ts';
import { createSeenFiles } from './seen-files.ts';
import type { TextEncoding } from './text-encoding.ts';
import { createTranscoder, detectEncoding } from './text-encoding.ts';
import type { Tool, ToolOutcome } from './tool.ts';
import { defineTool, failure, success } from './tool.ts';

/** Of a file that is not loaded whole: enough to tell what it is. */
const startBytes = 64 * 1024;
const chunkBytes = 256 * 1024;

interface ReadFileOptions {
  readonly workDir: string;
  /** Absolute real paths of folders beside the workspace that may be read, too. Default none. */
  readonly readableFolders?: readonly string[];
  readonly seen?: SeenFiles;
}

/** read_file over the files of `workDir` and of `readableFolders`. What it shows counts as seen. */
export function createReadFileTool({ workDir, readableFolders = [], seen = createSeenFiles() }: ReadFileOptions): Tool {
  return defineTool({
    name: 'read_file',
    description:
      'Reads a text file of the workspace. Every line comes with its number and a tab in front, which are not part of the file. ' +
      'A page has at most 16 KB, and long lines are cut; it says how to read on. Shows pictures; of a directory it lists the entries.',
    place: 'host',
    effect: 'read',
    schema: z.object({
      path: z.string().min(1, 'a path').describe('Relative to the workspace.'),
      offset: z.number().int().min(1, 'a line number, from 1').optional().describe('The first line to read, from 1.'),
      limit: z.number().int().min(1, 'a number of lines, from 1').optional().describe('How many lines at most.'),
      column: z.number().int().min(1, 'a character, from 1').optional().describe('The first character of every line, from 1.'),
    }),
    run: (args, { signal }) =>
      toldByPath(args.path, async () => {
        const { root, file } = readablePath(workDir, readableFolders, args.path);
        try {
          return (await listDirectory(file, args)) ?? (await readPage(file, { ...args, signal, seen }));
        } catch (error) {
          if (hasCode(error, 'ENOENT')) return failure(await describeMissing(file, root, args.path));
          throw error;
        }
      }),
  });
}

interface PageRequest {
  readonly path: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly column?: number | undefined;
  readonly signal: AbortSignal;
  readonly seen: SeenFiles;
}

async function readPage(file: string, request: PageRequest): Promise<ToolOutcome> {
  await using handle = await openRegularFile(file);
  const stats = await handle.stat();
  const isSmall = stats.size <= maxFileBytes;
  const start = isSmall ? await handle.readFile() : await readStart(handle);
  // It may have grown, and some file systems tell no size.
  const size = isSmall ? start.length : stats.size;
  if (isSmall) request.seen.note(file, start);
  const encoding = detectTextEncoding(start, !isSmall);
  if (encoding === undefined) return showData(request.path, start, size);
  if (size === encoding.mark.length) return success('(empty file)');
  const chunks = isSmall ? [start.subarray(encoding.mark.length)] : chunksOf(handle, encoding.mark.length);
  const { offset = 1, limit = Number.POSITIVE_INFINITY, column = 1, signal } = request;
  const page = await readLines(transcode(chunks, encoding), { offset, limit, column, signal });
  if (page.lines.length > 0) return success(renderPage(page, { encoding, column }));
  return failure(`offset ${offset} is beyond the end: "${request.path}" has ${page.totalLines} ${plural(page.totalLines)}.`);
}

async function readStart(handle: FileHandle): Promise<Buffer> {
  const start = Buffer.alloc(startBytes);
  const { bytesRead } = await handle.read(start, 0, startBytes, 0);
  return start.subarray(0, bytesRead);
}

async function* chunksOf(handle: FileHandle, from: number): AsyncGenerator<Buffer, void, undefined> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (let position = from; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* transcode(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  encoding: TextEncoding,
): AsyncGenerator<Buffer, void, undefined> {
  const toUtf8 = createTranscoder(encoding);
  for await (const chunk of chunks) yield toUtf8(chunk);
}

/** What is UTF-8 is text, whatever it begins with; in other encodings a picture could be meant. */
function detectTextEncoding(bytes: Buffer, isStart: boolean): TextEncoding | undefined {
  const encoding = detectEncoding(bytes, isStart);
  const isSure = encoding?.name === 'UTF-8' && encoding.isWhole;
  return isSure || findSignature(bytes) === undefined ? encoding : undefined;
}

/** A picture as a picture, where models take it; else what it is and how large. */
function showData(path: string, start: Buffer, size: number): ToolOutcome {
  const what = `${findSignature(start) ?? describeData(start)}, ${size} bytes`;
  const picture = readPicture(start);
  if (picture === undefined) return success(`"${path}" is not text: ${what}.`);
  const words = `"${path}" is ${what}, ${picture.width} × ${picture.height} pixels`;
  const data = start.length === size ? start.toString('base64') : undefined;
  if (data === undefined || data.length > maxPictureChars || Math.max(picture.width, picture.height) > maxPictureSide) {
    const limits = `${(maxPictureChars * 3) / 4} bytes and ${maxPictureSide} pixels a side`;
    return success(`${words}; it is not shown, since models take at most ${limits}.`);
  }
  const flaw = findPictureFlaw(start, picture.mediaType);
  if (flaw !== undefined) return success(`${words}; it is not shown: ${flawWords[flaw]}.`);
  return { output: [textPart(`${words}:`), { type: 'image', mediaType: picture.mediaType, data }], isError: false };
}

function renderPage(page: LinePage, { encoding, column }: { readonly encoding: TextEncoding; readonly column: number }): string {
  const last = page.firstLine + page.lines.length - 1;
  const width = String(last).length;
  const lines = page.lines.map((line, index) => `${String(page.firstLine + index).padStart(width)}\t${line}`);
  const total = page.isTotalKnown ? `${page.totalLines}` : `more than ${page.totalLines}`;
  const isWhole = page.firstLine === 1 && last === page.totalLines;
  const shown = page.firstLine === last ? `line ${last}` : `lines ${page.firstLine}-${last}`;
  const place = isWhole ? `[${last} ${plural(last)}` : `[${shown} of ${total}`;
  const next = last < page.totalLines ? `; read on with offset=${last + 1}` : '';
  const notes = [
    column > 1 ? `from character ${column} of each line on` : '',
    page.endings === 'crlf' ? 'lines end in CRLF, edit_file adapts' : '',
    page.endings === 'mixed' ? 'line ends are mixed, edit_file adapts' : '',
    describeEncoding(encoding, page.isUtf8),
    page.lacksFinalNewline ? 'no newline at the end' : '',
  ].filter((note) => note !== '');
  return `${lines.join('\n')}\n${place}${next}${notes.map((note) => `; ${note}`).join('')}]`;
}

function describeEncoding({ name, isWhole }: TextEncoding, isUtf8: boolean): string {
  if (!isWhole || !isUtf8) return 'not valid UTF-8: \uFFFD stands for bytes that edit_file keeps';
  return name === 'UTF-8' ? '' : `${name}, not UTF-8; edit_file keeps it`;
}

function plural(lines: number): string {
  return lines === 1 ? 'line' : 'lines';
}
