// What the model sees of a command's output: both streams in one budget, and where to find what that had no room for. Runs nothing.
import type { KeptFile, OutputFolder } from './output-folder.ts';
import type { Omission, OutputWindow } from './output-window.ts';

/** Of both streams together. */
const maxOutputBytes = 16_000;

/** Of a longer line read_file shows the beginning only, which was shown already. */
const longLineChars = 1000;

/** The streams of a command that has ended. */
export interface Output {
  readonly stdout: OutputWindow;
  readonly stderr: OutputWindow;
}

/** '' when there is nothing to be seen. What is cut is written to `folder` first, and the cut says where. */
export async function renderOutput({ stdout, stderr }: Output, folder: OutputFolder): Promise<string> {
  const half = maxOutputBytes / 2;
  // Each has a half; what one leaves over goes to the other.
  const room = (other: OutputWindow) => Math.max(half, maxOutputBytes - other.totalBytes);
  const first = await renderStream(stdout, { label: 'stdout', maxBytes: room(stderr), folder });
  if (stderr.totalBytes === 0) return first;
  const second = await renderStream(stderr, { label: 'stderr', maxBytes: room(stdout), folder });
  return `${endLine(first)}[stderr]\n${second}`;
}

/** `text` with a line end, if it has any text. */
export function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

interface Place {
  readonly label: string;
  readonly maxBytes: number;
  readonly folder: OutputFolder;
}

async function renderStream(stream: OutputWindow, { label, maxBytes, folder }: Place): Promise<string> {
  const text = stream.text(maxBytes);
  if (text !== null) return text;
  const { content, missing } = stream.file();
  const file = await folder.keep(label, content);
  return stream.excerpt(maxBytes, (omission) => renderMark(omission, file, missing));
}

function renderMark({ bytes, line, column }: Omission, file: KeptFile, missing: string | null): string {
  if ('problem' in file) return `[… ${bytes} bytes omitted, and not kept: ${file.problem} …]`;
  const lack = missing === null ? '' : `, but for ${missing} in the middle`;
  const place = column > longLineChars ? `offset ${line}, column ${column}` : `offset ${line}`;
  return `[… ${bytes} bytes omitted; the whole output${lack}: read_file "${file.path}" (${place} goes on here) …]`;
}
