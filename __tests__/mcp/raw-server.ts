// An MCP server that is no library: lines of JSON over stdio, well-behaved and otherwise, as the one argument says (`RawOptions`).
import { appendFileSync, closeSync, readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { RawOptions } from './scene.ts';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: Record<string, unknown>; readonly cursor?: string };
}

const options: RawOptions = JSON.parse(process.argv[2] ?? '{}');
const heard: Message[] = [];
const replies = new Map<unknown, (message: Message) => void>();
if (options.stateFile !== undefined) appendFileSync(options.stateFile, '.');
const starts = options.stateFile === undefined ? 1 : readFileSync(options.stateFile, 'utf8').length;

function write(text: string): void {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }
}

const send = (message: unknown): void => write(`${JSON.stringify(message)}\n`);
const answer = (id: unknown, result: unknown): void => send({ jsonrpc: '2.0', id, result });
const say = (id: unknown, text: string, more = {}): void => answer(id, { content: [{ type: 'text', text }], ...more });

/** What the client answers to a request of ours. */
function ask(id: string, method: string, params: unknown): Promise<Message> {
  const reply = Promise.withResolvers<Message>();
  replies.set(id, reply.resolve);
  send({ jsonrpc: '2.0', id, method, params });
  return reply.promise;
}

function die(words: string): never {
  writeSync(2, `${words}\n`);
  process.exit(3);
}

const tools: Readonly<Record<string, (id: unknown, args: Record<string, unknown>) => unknown>> = {
  echo: (id, args) => say(id, JSON.stringify(args)),
  content: (id, args) => answer(id, args),
  fails: (id) => say(id, 'it did not work', { isError: true }),
  throws: (id) => send({ jsonrpc: '2.0', id, error: { code: -32602, message: 'no such thing', data: { why: 'x' } } }),
  never: () => {},
  crash: () => die('warming up\nsegment 7 is broken'),
  crash_once: (id) => (starts === 1 ? die('first life over') : say(id, `life ${starts}`)),
  crash_later: (id) => {
    say(id, 'bye');
    setTimeout(() => process.exit(0), 20);
  },
  killed: () => process.kill(process.pid, 'SIGKILL'),
  big: (id, args) => say(id, `<${'é'.repeat(Number(args.bytes) / 2)}>`),
  many: (id, args) =>
    answer(id, { content: Array.from({ length: Number(args.parts) }, (_, index) => ({ type: 'text', text: `${index}` })) }),
  endless_line: () => write('x'.repeat(20 * 1024 * 1024)),
  crumbs: async (id, args) => {
    const bytes = Buffer.from(
      `${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: args.text }] } })}\r\n\n`,
    );
    for (const byte of bytes) {
      writeSync(1, Buffer.of(byte));
      await delay(0);
    }
  },
  noise: (id) => {
    write('Listening on port 7…\n\n   \n{"level":"info"}\n[1,2\n"x"\nnull\n[]\n{"jsonrpc":"2.0"}\n');
    write(`${JSON.stringify([{ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'heard' }] } }])}\n`);
  },
  strangers: (id) => {
    answer('nobody', {});
    answer(999, {});
    send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 77, progress: 1 } });
    send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } });
    send({ jsonrpc: '2.0', method: 'notifications/unheard_of' });
    say(id, 'still here');
  },
  changes: (id) => {
    for (let count = 0; count < 3; count += 1) send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    say(id, 'changed');
  },
  asks: async (id) => {
    const all = await Promise.all([
      ask('p', 'ping', undefined),
      ask('s', 'sampling/createMessage', { messages: [], maxTokens: 1 }),
      ask('r', 'roots/list', undefined),
      ask('e', 'elicitation/create', { message: 'Your password?', requestedSchema: { type: 'object', properties: {} } }),
    ]);
    say(id, JSON.stringify(all));
  },
  heard: (id) => say(id, JSON.stringify(heard)),
  environment: (id) => say(id, JSON.stringify({ env: process.env, cwd: process.cwd(), pid: process.pid })),
};

async function listTools({ id, params }: Message): Promise<void> {
  if (options.start === 'no_list') return;
  if (options.start === 'dies_in_list') die('the list is lost');
  const pages = options.pages ?? [Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } }))];
  const page = Number(params?.cursor ?? 0);
  const next =
    options.endless === 'same' ? '0' : options.endless === 'new' || page + 1 < pages.length ? String(page + 1) : undefined;
  answer(id, { tools: pages[page % pages.length], ...(next === undefined ? {} : { nextCursor: next }) });
}

async function initialize(id: unknown): Promise<void> {
  await delay((starts > 1 ? options.laterDelayMs : undefined) ?? options.delayMs ?? 0);
  const protocolVersion = options.start === 'old_protocol' ? '1999-01-01' : '2025-06-18';
  if (options.start === 'error') send({ jsonrpc: '2.0', id, error: { code: -32000, message: 'the licence has run out' } });
  else if (options.start === 'nonsense') answer(id, { hello: 'world' });
  else answer(id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '0' } });
}

async function take(message: Message): Promise<void> {
  heard.push(message);
  const { id, method, params } = message;
  if (method === undefined) return replies.get(id)?.(message);
  if (method === 'initialize') return await initialize(id);
  if (method === 'tools/list') return await listTools(message);
  if (method !== 'tools/call') return;
  const tool = tools[params?.name ?? ''];
  if (tool === undefined) say(id, `called ${params?.name}`);
  else await tool(id, params?.arguments ?? {});
}

if (options.start === 'exits') die('no licence file\nset LICENCE');
if (options.start === 'deaf') process.on('SIGTERM', () => {});
if (options.start === 'closes_output') closeSync(1);
if (options.start === 'silent' || options.start === 'deaf' || options.start === 'closes_output') setInterval(() => {}, 1_000);
else for await (const line of createInterface({ input: process.stdin })) void take(JSON.parse(line));
