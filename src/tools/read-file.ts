// The read_file tool: a page of a text file with line numbers, in bounded memory whatever the file's size. Changes nothing.
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { hasCode } from '../schema/error.ts';
import { describeContentType } from './content-type.ts';
import { describeMissing } from './near-names.ts';
import { openRegularFile } from './open-file.ts';
import type { LinePage } from './read-lines.ts';
import { readLines } from './read-lines.ts';
import { safePath } from './safe-path.ts';
import type { Tool, ToolOutcome } from './tool.ts';
import { defineTool, failure, success } from './tool.ts';

const maxEntries = 200;
const sniffBytes = 64 * 1024;

/** read_file over the files of `workDir`. */
export function createReadFileTool({ workDir }: { readonly workDir: string }): Tool {
  return defineTool({
    name: 'read_file',
    description:
      'Reads a text file of the workspace. Every line comes with its number and a tab in front, which are not part of the file. ' +
      'A page has at most 16 KB; the last line says how to read on. Lines over 2000 characters are cut. Of a directory it lists the entries.',
    place: 'host',
    effect: 'read',
    schema: z.object({
      path: z.string().min(1, 'a path').describe('Relative to the workspace, or absolute inside it.'),
      offset: z.number().int().min(1, 'a line number, from 1').optional().describe('The first line to read, from 1.'),
      limit: z.number().int().min(1, 'a number of lines, from 1').optional().describe('How many lines at most.'),
    }),
    run: async (args, { signal }) => {
      const root = await realpath(workDir);
      const file = safePath(workDir, args.path);
      const stats = await stat(file).catch((error: unknown) => {
        if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
        throw error;
      });
      if (stats === undefined) return failure(await describeMissing(file, root, args.path));
      if (stats.isDirectory()) return success(await renderDirectory(file, args.path));
      return readPage(file, { ...args, signal });
    },
  });
}

interface PageRequest {
  readonly path: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly signal: AbortSignal;
}

async function readPage(file: string, request: PageRequest): Promise<ToolOutcome> {
  await using handle = await openRegularFile(file);
  const { size } = await handle.stat();
  const start = new Uint8Array(sniffBytes);
  const { bytesRead } = await handle.read(start, 0, sniffBytes, 0);
  const contentType = describeContentType(start.subarray(0, bytesRead));
  if (contentType !== 'text') return success(`"${request.path}" is not text: ${contentType}, ${size} bytes.`);
  if (size === 0 && bytesRead === 0) return success('(empty file)');
  const page = await readLines(handle, {
    offset: request.offset ?? 1,
    limit: request.limit ?? Number.POSITIVE_INFINITY,
    signal: request.signal,
  });
  if (page.lines.length === 0) {
    return failure(
      `offset ${request.offset} is beyond the end: "${request.path}" has ${page.totalLines} ${plural(page.totalLines)}.`,
    );
  }
  return success(renderPage(page));
}

function renderPage(page: LinePage): string {
  const last = page.firstLine + page.lines.length - 1;
  const width = String(last).length;
  const lines = page.lines.map((line, index) => `${String(page.firstLine + index).padStart(width)}\t${line}`);
  const total = page.isTotalKnown ? `${page.totalLines}` : `more than ${page.totalLines}`;
  const isWhole = page.firstLine === 1 && last === page.totalLines;
  const place = isWhole ? `[${last} ${plural(last)}` : `[lines ${page.firstLine}-${last} of ${total}`;
  const next = last < page.totalLines ? `; read on with offset=${last + 1}` : '';
  const notes = [
    page.endings === 'crlf' ? 'lines end in CRLF, edit_file adapts' : '',
    page.endings === 'mixed' ? 'line ends are mixed, edit_file adapts' : '',
    page.isUtf8 ? '' : 'not valid UTF-8: \uFFFD stands for bytes that edit_file keeps',
    page.lacksFinalNewline ? 'no newline at the end' : '',
  ].filter((note) => note !== '');
  return `${lines.join('\n')}\n${place}${next}${notes.map((note) => `; ${note}`).join('')}]`;
}

async function renderDirectory(directory: string, input: string): Promise<string> {
  const entries = (await readdir(directory, { withFileTypes: true }))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort();
  const more = entries.length > maxEntries ? `\n[… ${entries.length - maxEntries} more …]` : '';
  const count = `${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`;
  return `"${path.normalize(input)}" is a directory with ${count}:\n${entries.slice(0, maxEntries).join('\n')}${more}`;
}

function plural(lines: number): string {
  return lines === 1 ? 'line' : 'lines';
}
