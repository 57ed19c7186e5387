// An MCP server that is a process beside the tools: JSON messages, one a line, over its stdin and stdout; its stderr is logged.
import type { Readable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { messageOf } from '../schema/error.ts';
import { oneLine } from '../schema/one-line.ts';
import { parseJson } from '../schema/parse-json.ts';
import type { ProcessEnd, RunningProcess } from '../schema/running-process.ts';
import type { Clock, Log } from '../schema/world.ts';
import { LineReader } from './line-reader.ts';
import type { Sdk } from './sdk.ts';
import { patiently } from './within.ts';

/** A picture of 5 MB in base64, and room for the rest; beyond it a server has lost itself. */
const maxMessageBytes = 16 * 1024 * 1024;
const maxErrorLineBytes = 4_096;
/** Of what we wrote and it did not read yet: it may ask us without end, and each of its questions is answered. */
const maxUnreadBytes = 16 * 1024 * 1024;
/** What a message costs beside its bytes. */
const messageCostBytes = 1_024;
/** The last output of a process may arrive a little after its end. */
const settleMs = 1_000;
/** A server that hears its stdin close has this long to put things in order. */
const politeMs = 500;
/** How long an end may take that was ordered: from asking a process to end to ending it takes 2 s. */
const killMs = 3_000;
const maxWordsChars = 300;
/** What went wrong is seldom in the very last line. */
const maxLastLines = 3;
const doesNotRead = 'it does not read its input';

export interface StdioParts {
  readonly start: () => RunningProcess;
  readonly schema: Sdk['JSONRPCMessageSchema'];
  readonly clock: Clock;
  readonly log: Log;
}

/** The transport of the SDK over a process. It closes when the process has ended or cannot be talked to any more; `ended` says why. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  readonly #parts: StdioParts;
  readonly #closed = Promise.withResolvers<void>();
  #process: RunningProcess | undefined;
  #closing: Promise<void> | undefined;
  #ended: string | undefined;
  /** Why we ended it, where we did. */
  #verdict: string | undefined;
  #lastLines: readonly string[] = [];
  #unreadMessages = 0;

  constructor(parts: StdioParts) {
    this.#parts = parts;
  }

  /** Why it is gone; undefined while it lives. */
  get ended(): string | undefined {
    return this.#ended;
  }

  async start(): Promise<void> {
    const process = this.#parts.start();
    this.#process = process;
    process.stdin.on('error', () => this.#giveUp(doesNotRead));
    this.#watch(process).catch((error: unknown) => this.#finish(messageOf(error)));
  }

  /** Resolves when the process has taken it. What cannot be written is told by the end of the process. */
  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#process?.stdin;
    if (stdin === undefined || !stdin.writable || this.#verdict !== undefined) return;
    if (stdin.writableLength + this.#unreadMessages * messageCostBytes > maxUnreadBytes) return this.#giveUp(doesNotRead);
    this.#unreadMessages += 1;
    await new Promise<void>((resolve) => stdin.write(`${renderLine(message)}\n`, () => resolve()));
    this.#unreadMessages -= 1;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#verdict ??= 'it was closed';
    this.#process?.stdin.end();
    await patiently(politeMs, this.#closed.promise, this.#parts.clock);
    this.#process?.kill();
    await patiently(killMs, this.#closed.promise, this.#parts.clock);
    this.#finish(this.#verdict);
  }

  /** Until the process is gone, and what it wrote has been read; a child of it may hold its output open. */
  async #watch(process: RunningProcess): Promise<void> {
    const read = Promise.all([this.#readMessages(process.stdout), this.#readErrors(process.stderr)]);
    const end = await process.end;
    await patiently(settleMs, read, this.#parts.clock);
    this.#finish(this.#verdict ?? describeEnd(end, this.#lastLines));
  }

  #giveUp(verdict: string): void {
    this.#verdict ??= verdict;
    this.#process?.kill();
  }

  #finish(ended: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = ended;
    this.#closed.resolve();
    this.onclose?.();
  }

  async #readMessages(stdout: Readable): Promise<void> {
    await readLines(stdout, maxMessageBytes, ({ text, isCut }) => {
      if (isCut) this.#giveUp(`it sent a line of more than ${maxMessageBytes / 1024 / 1024} MB`);
      else if (text.trim() !== '') this.#receive(text);
    });
  }

  async #readErrors(stderr: Readable): Promise<void> {
    await readLines(stderr, maxErrorLineBytes, ({ text }) => {
      if (text.trim() === '') return;
      this.#lastLines = [...this.#lastLines, oneLine(text, maxWordsChars)].slice(-maxLastLines);
      this.#parts.log(`stderr: ${text}`);
    });
  }

  /** One message, or a list of them as older versions of the protocol had it. Whatever else a server prints is no reason to lose it. */
  #receive(line: string): void {
    const value = parseJson(line);
    for (const each of Array.isArray(value) ? value : [value]) {
      const { data } = this.#parts.schema.safeParse(each);
      if (data === undefined) this.#parts.log(`stdout, skipped since it is no message of MCP: ${line.slice(0, maxWordsChars)}`);
      else this.#deliver(data);
    }
  }

  #deliver(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(messageOf(error)));
    }
  }
}

/** Some readers of lines (Node's own) take U+2028 and U+2029 for ends of lines as well, which JSON does not escape. */
function renderLine(message: JSONRPCMessage): string {
  return JSON.stringify(message).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** Never rejects: a stream that breaks has ended. */
async function readLines(
  stream: Readable,
  maxBytes: number,
  take: (line: { text: string; isCut: boolean }) => void,
): Promise<void> {
  const reader = new LineReader(maxBytes);
  try {
    for await (const chunk of stream) for (const line of reader.read(Buffer.from(chunk))) take(line);
  } catch {
    // The end of the process says more.
  }
  for (const line of reader.rest()) take(line);
}

function describeEnd(end: ProcessEnd, lastLines: readonly string[]): string {
  const said = lastLines.length === 0 ? '' : `; the end of its stderr: ${lastLines.join(' | ')}`;
  switch (end.kind) {
    case 'exit':
      return `it ended with exit code ${end.code}${said}`;
    case 'signal':
      return `it was ended by ${end.signal}${said}`;
    case 'failed':
      return `it could not run: ${end.reason}${said}`;
  }
}
