// A Messages server on loopback that answers what a test says, refuses what the vendor would refuse, and remembers what it said.
import type { ServerResponse } from 'node:http';
import { type StrictOptions, type StrictServer, sendBytes, sendJson, startLoopback } from '../loopback.ts';
import { type CacheUsage, PromptCache } from './prompt-cache.ts';
import { sse } from './recordings.ts';
import { findRefusal } from './strict-request.ts';
import type { StrictRequest } from './strict-shape.ts';

/** What the model says next; or how the call fails: an error answer, or an answer that is torn off after so many events. */
export type StrictAnswer =
  | { readonly content: readonly Block[]; readonly stop: string; readonly tornAfter?: number }
  | { readonly status: number; readonly error: { readonly type: string; readonly message: string } };

type Block = Readonly<Record<string, unknown>> & { readonly type: string };

/** A request as it was answered. `refusal`: why it got a 400. */
export interface StrictExchange {
  readonly text: string;
  readonly request: StrictRequest | undefined;
  readonly refusal: string | undefined;
  readonly usage: CacheUsage;
}

type Options = StrictOptions<StrictRequest, StrictAnswer>;

const noTokens: CacheUsage = { read: 0, written: 0, plain: 0 };

/** Starts it; for `await using`. */
export async function startStrictServer(options: Options): Promise<StrictServer<StrictExchange>> {
  const memory = new Memory(options);
  return await startLoopback(
    (text) => memory.check(text),
    ({ request, refusal = 'no JSON', usage }, outgoing) => {
      if (request !== undefined) memory.answer(request, usage, outgoing);
      else sendError(outgoing, 400, { type: 'invalid_request_error', message: refusal });
    },
  );
}

/** What the server knows from one request to the next. */
class Memory {
  readonly #options: Options;
  readonly #cache = new PromptCache();
  readonly #answers: (readonly Block[])[] = [];
  readonly #pausedEnds = new Set<string>();
  #count = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  check(text: string): StrictExchange {
    const { maxOutputTokens, window = Number.POSITIVE_INFINITY } = this.#options;
    const body: unknown = JSON.parse(text);
    const known = {
      answers: this.#answers,
      isPaused: (content: readonly object[]) => this.#pausedEnds.has(JSON.stringify(content.at(-1))),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    };
    const refusal = findRefusal(body, known);
    if (refusal !== undefined) return { text, request: undefined, refusal, usage: noTokens };
    // As it came, not as it was parsed: the order of fields is a part of its bytes.
    const request = body as StrictRequest;
    const tokens = Math.ceil(text.length / 4);
    if (tokens > window) {
      const tooLong = `prompt is too long: ${tokens} tokens > ${window} maximum`;
      return { text, request: undefined, refusal: tooLong, usage: noTokens };
    }
    return { text, request, refusal: undefined, usage: this.#cache.use(request) };
  }

  answer(request: StrictRequest, usage: CacheUsage, outgoing: ServerResponse): void {
    const answer = this.#options.answer(request, this.#count);
    this.#count += 1;
    if ('status' in answer) {
      sendError(outgoing, answer.status, answer.error);
      return;
    }
    const message = messageOf(answer.content, answer.stop, usage);
    const isTorn = answer.tornAfter !== undefined;
    if (!isTorn) {
      this.#answers.push(answer.content);
      if (answer.stop === 'pause_turn') this.#pausedEnds.add(JSON.stringify(answer.content.at(-1)));
    }
    if (request.stream === true) {
      sendBytes(outgoing, 'text/event-stream', sse(eventsOf(message).slice(0, answer.tornAfter)), isTorn);
      return;
    }
    const json = JSON.stringify(message);
    sendBytes(outgoing, 'application/json', isTorn ? json.slice(0, json.length / 2) : json, isTorn);
  }
}

function sendError(outgoing: ServerResponse, status: number, error: object): void {
  sendJson(outgoing, status, { type: 'error', error });
}

function messageOf(content: readonly Block[], stop: string, { read, written, plain }: CacheUsage) {
  const usage = { input_tokens: plain, cache_read_input_tokens: read, cache_creation_input_tokens: written };
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content,
    stop_reason: stop,
    usage: { ...usage, output_tokens: Math.ceil(JSON.stringify(content).length / 4) },
  };
}

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

function eventsOf(message: ReturnType<typeof messageOf>): readonly Event[] {
  const { content, stop_reason: reason, usage } = message;
  const start = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  return [
    { type: 'message_start', message: start },
    ...content.flatMap(blockEvents),
    { type: 'ping' },
    { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: usage.output_tokens } },
    { type: 'message_stop' },
  ];
}

/** Each text in two halves, as deltas; what has no deltas comes whole. */
function blockEvents(block: Block, index: number): readonly Event[] {
  const [empty, deltas] = inDeltas(block);
  return [
    { type: 'content_block_start', index, content_block: empty },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function inDeltas(block: Block): readonly [object, readonly object[]] {
  const halves = (text: string): readonly string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)];
  switch (block.type) {
    case 'text':
      return [{ ...block, text: '' }, halves(String(block.text)).map((text) => ({ type: 'text_delta', text }))];
    case 'thinking':
      return [
        { ...block, thinking: '', signature: '' },
        [
          ...halves(String(block.thinking)).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: block.signature },
        ],
      ];
    case 'tool_use':
      return [
        { ...block, input: {} },
        halves(typeof block.input === 'string' ? block.input : JSON.stringify(block.input)).map((json) => ({
          type: 'input_json_delta',
          partial_json: json,
        })),
      ];
    default:
      return [block, []];
  }
}
