// A model that follows a script, in both verbs alike; it records each request and fails when it is asked more than the script holds.
import type { CallContext, LLMProvider, ModelRequest, ModelResponse } from '../../src/engine/ports.ts';
import {
  type FinishReason,
  type Message,
  type Part,
  type ToolCall,
  textOf,
  textPart,
  type Usage,
} from '../../src/schema/message.ts';
import { ProviderError, type ProviderFault, type StreamChunk } from '../../src/schema/stream.ts';

/** `hang` never answers; with `afterText` the stream says that much first. */
export type Step =
  | { readonly answer: Message; readonly usage?: Usage; readonly resets?: boolean }
  | { readonly fault: ProviderFault; readonly afterText?: string }
  | { readonly hang: true; readonly afterText?: string; readonly onCall?: () => void };

export class ScriptedModel implements LLMProvider {
  readonly requests: ModelRequest[] = [];
  readonly contexts: CallContext[] = [];
  readonly #steps: Step[];

  constructor(steps: readonly Step[]) {
    this.#steps = [...steps];
  }

  get leftover(): number {
    return this.#steps.length;
  }

  async generate(request: ModelRequest, context: CallContext): Promise<ModelResponse> {
    const step = this.#take(request, context);
    if ('fault' in step) throw new ProviderError(step.fault);
    if ('hang' in step) return await hang(step.onCall);
    return { message: step.answer, usage: step.usage };
  }

  async *generateStream(request: ModelRequest, context: CallContext): AsyncIterable<StreamChunk> {
    const step = this.#take(request, context);
    if ('answer' in step) {
      if (step.resets === true) yield* [{ type: 'text_delta', delta: 'gone' } as const, { type: 'reset' } as const];
      for (const part of step.answer.content) yield* deltasOf(part);
      yield { type: 'done', message: step.answer, usage: step.usage };
      return;
    }
    if (step.afterText !== undefined) yield { type: 'text_delta', delta: step.afterText };
    if ('hang' in step) await hang(step.onCall);
    else yield { type: 'error', error: step.fault };
  }

  #take(request: ModelRequest, context: CallContext): Step {
    this.requests.push(request);
    this.contexts.push(context);
    const step = this.#steps.shift();
    if (step === undefined) throw new Error(`the script has no step for call ${this.requests.length}`);
    return step;
  }
}

function* deltasOf(part: Part): Iterable<StreamChunk> {
  if (part.type === 'opaque') yield { type: 'thinking_delta', delta: String(part.value) };
  if (part.type !== 'text') return;
  for (const word of part.text.match(/\s*\S+/g) ?? []) yield { type: 'text_delta', delta: word };
}

async function hang(onCall: (() => void) | undefined): Promise<never> {
  onCall?.();
  return await new Promise<never>(() => {});
}

export function user(text: string): Message {
  return { role: 'user', content: [textPart(text)] };
}

export function says(text: string, finishReason: FinishReason = 'stop'): Message {
  return { role: 'assistant', content: text === '' ? [] : [textPart(text)], finishReason };
}

export function call(id: string, name: string, args: object | string = {}): ToolCall {
  return { id, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
}

export function calls(...toolCalls: readonly ToolCall[]): Message {
  return { role: 'assistant', content: [], toolCalls, finishReason: 'tool_calls' };
}

export function result(toolCallId: string, text: string, isError = false): Message {
  return { role: 'user', content: [textPart(text)], toolCallId, isError };
}

export function usage(inputTokens: number, outputTokens: number): Usage {
  return { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
}

/** The last message of a request, as text. */
export function lastTextOf(request: ModelRequest | undefined): string {
  return textOf(request?.messages.at(-1)?.content ?? []);
}

/** Everything that a stream has. */
export async function readAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}
