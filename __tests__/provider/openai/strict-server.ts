// A Chat Completions server on loopback that answers what a test says, refuses what the vendor would refuse, and remembers what it said.
import type { ServerResponse } from 'node:http';
import { type StrictOptions, type StrictServer, sendBytes, sendJson, startLoopback } from '../loopback.ts';
import { chunk, sse } from './recordings.ts';
import { readRequest, type StrictRequest } from './strict-request.ts';

export interface SaidCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What the model says. `more`: further fields of its message, such as those of reasoning. */
export interface Said {
  readonly text?: string;
  readonly calls?: readonly SaidCall[];
  readonly more?: Readonly<Record<string, unknown>>;
  readonly finish: string | null;
  /** The answer is torn off after so many events, or in its half when it does not stream. */
  readonly tornAfter?: number;
}

/** What the model says next; or how the call fails, with a status of its own (200 as well). */
export type StrictAnswer =
  | Said
  | { readonly status: number; readonly error: object; readonly headers?: Readonly<Record<string, string>> };

/** A request as it was answered. `refusal`: why it got a 400. */
export interface StrictExchange {
  readonly text: string;
  readonly request: StrictRequest | undefined;
  readonly refusal: string | undefined;
}

type Options = StrictOptions<StrictRequest, StrictAnswer>;

/** Starts it; for `await using`. */
export async function startStrictServer(options: Options): Promise<StrictServer<StrictExchange>> {
  const memory = new Memory(options);
  return await startLoopback(
    (text) => memory.check(text),
    ({ text, request, refusal = '' }, outgoing) => {
      if (request !== undefined) memory.answer(request, text, outgoing);
      else sendJson(outgoing, 400, { error: { message: refusal, type: 'invalid_request_error', param: null, code: null } });
    },
  );
}

/** What the server knows from one request to the next. */
class Memory {
  readonly #options: Options;
  readonly #reasoning = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #saidIds = new Set<string>();
  #count = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  check(text: string): StrictExchange {
    const read = this.#read(text);
    return typeof read === 'string' ? { text, request: undefined, refusal: read } : { text, request: read, refusal: undefined };
  }

  #read(text: string): StrictRequest | string {
    const { maxOutputTokens, window = Number.POSITIVE_INFINITY } = this.#options;
    const limit = maxOutputTokens === undefined ? {} : { maxOutputTokens };
    const read = readRequest(JSON.parse(text), { reasoning: this.#reasoning, ...limit });
    const tokens = tokensOf(text);
    if (typeof read === 'string' || tokens <= window) return read;
    return `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens.`;
  }

  answer(request: StrictRequest, text: string, outgoing: ServerResponse): void {
    const said = this.#options.answer(request, this.#count);
    this.#count += 1;
    if ('status' in said) {
      sendJson(outgoing, said.status, { error: said.error }, said.headers);
      return;
    }
    if (said.tornAfter === undefined) this.#remember(said);
    send(outgoing, said, { isStream: request.stream === true, tokens: tokensOf(text) });
  }

  #remember({ calls = [], more = {} }: Said): void {
    for (const { id } of calls) {
      // One that was said twice says no more which of them is meant.
      if (this.#saidIds.has(id)) this.#reasoning.delete(id);
      else this.#reasoning.set(id, more);
      this.#saidIds.add(id);
    }
  }
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

function send(
  outgoing: ServerResponse,
  said: Said,
  { isStream, tokens }: { readonly isStream: boolean; readonly tokens: number },
): void {
  const usage = {
    prompt_tokens: tokens,
    completion_tokens: Math.ceil(JSON.stringify(said).length / 4),
    prompt_tokens_details: { cached_tokens: 0 },
  };
  const isTorn = said.tornAfter !== undefined;
  if (isStream) {
    const events = [...eventsOf(said), { id: 'c', choices: [], usage }];
    const bytes = isTorn ? sse(events.slice(0, said.tornAfter)).replace(doneEvent, '') : sse(events);
    sendBytes(outgoing, 'text/event-stream', bytes, isTorn);
    return;
  }
  const message = { role: 'assistant', content: said.text ?? null, ...said.more, tool_calls: said.calls?.map(wireCall) };
  const json = JSON.stringify({ id: 'c', choices: [{ index: 0, message, finish_reason: said.finish }], usage });
  sendBytes(outgoing, 'application/json', isTorn ? json.slice(0, json.length / 2) : json, isTorn);
}

const doneEvent = 'data: [DONE]\n\n';

function wireCall({ id, name, arguments: args }: SaidCall): object {
  return { id, type: 'function', function: { name, arguments: args } };
}

/** Fields of reasoning first, the text in two halves, then all calls at once, their arguments in turns. */
function eventsOf({ text = '', calls = [], more = {}, finish }: Said): readonly unknown[] {
  const half = Math.ceil(text.length / 2);
  const begun = calls.map(({ id, name, arguments: args }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: args.slice(0, args.length / 2) },
  }));
  const rest = calls.map(({ arguments: args }, index) => ({ index, function: { arguments: args.slice(args.length / 2) } }));
  return [
    chunk({ role: 'assistant', content: '' }),
    ...Object.entries(more).map(([field, value]) => chunk({ [field]: value })),
    ...[text.slice(0, half), text.slice(half)].filter((piece) => piece !== '').map((content) => chunk({ content })),
    ...[...begun, ...rest].map((piece) => chunk({ tool_calls: [piece] })),
    chunk({}, finish),
  ];
}
