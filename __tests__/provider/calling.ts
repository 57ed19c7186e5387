// How the tests of this folder call a provider, and the shapes that they send.

import type { LLMProvider } from '../../src/provider/port.ts';
import type { Message, ToolDefinition, Usage } from '../../src/schema/message.ts';
import type { CallContext, ModelRequest } from '../../src/schema/model-call.ts';
import { ProviderError, type StreamChunk } from '../../src/schema/stream.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import type { Clock } from '../../src/schema/world.ts';

export function contextOf(signal: AbortSignal = new AbortController().signal): CallContext {
  return { signal, run: {} };
}

export function user(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

export function system(text: string): Message {
  return { role: 'system', content: [{ type: 'text', text }] };
}

export function result(toolCallId: string, text: string, isError = false): Message {
  return { role: 'user', content: [{ type: 'text', text }], toolCallId, isError };
}

export function assistant(text: string, ...calls: readonly (readonly [string, string, string])[]): Message {
  return {
    role: 'assistant',
    content: text === '' ? [] : [{ type: 'text', text }],
    ...(calls.length === 0 ? {} : { toolCalls: calls.map(([id, name, args]) => ({ id, name, arguments: args })) }),
  };
}

export const readFile: ToolDefinition = {
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: {
    type: 'object',
    properties: { path: { $ref: '#/$defs/path' } },
    required: ['path'],
    additionalProperties: false,
    $defs: { path: { type: 'string' } },
  },
  place: 'host',
  effect: 'read',
};

export function requestOf(messages: readonly Message[], rest: Partial<ModelRequest> = {}): ModelRequest {
  return { messages, tools: [readFile], toolChoice: 'auto', tailStart: messages.length, ...rest };
}

export const hello = requestOf([system('Be brief.'), user('Hello')]);

/** What an engine sends in four turns of one run; the last one is a wrap-up. */
export function growingHistory(): readonly Pick<ModelRequest, 'messages' | 'toolChoice'>[] {
  const messages = [
    system('Be brief.'),
    user('Look at "x" and at y.'),
    assistant('I look.', ['a', 'read_file', '{"path": "x"}'], ['b', 'read_file', '{"path":']),
    result('a', 'content'),
    result('b', 'the arguments were cut', true),
    assistant('', ['c', 'read_file', '{"path":"y"}']),
    result('c', ''),
    assistant('Both are fine.'),
    user('And now?'),
  ];
  return [2, 5, 7, 9].map((length) => ({
    messages: messages.slice(0, length),
    toolChoice: length === messages.length ? 'none' : 'auto',
  }));
}

/** All chunks of a stream. */
export async function collect(
  provider: LLMProvider,
  request: ModelRequest = hello,
  context = contextOf(),
): Promise<readonly StreamChunk[]> {
  const chunks: StreamChunk[] = [];
  for await (const chunk of provider.generateStream(request, context)) {
    chunks.push(chunk);
  }
  return chunks;
}

/** The last chunk, which is `done` or `error`. */
export async function finalOf(provider: LLMProvider, request: ModelRequest = hello): Promise<StreamChunk | undefined> {
  return (await collect(provider, request)).at(-1);
}

/** What a request comes to in either mode; a fault is the chunk that a stream ends in. */
export async function answerIn(mode: 'blocking' | 'streaming', provider: LLMProvider, request: ModelRequest = hello) {
  if (mode === 'streaming') return await finalOf(provider, request);
  return await provider.generate(request, contextOf()).catch((error: unknown) => {
    if (error instanceof ProviderError) return { type: 'error', error: error.fault };
    throw error;
  });
}

export function usageOf(usage: Partial<Usage>): Usage {
  return { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, ...usage };
}

/** A clock under which the waits of retries are none; the limits of tools and stores are longer. */
export const impatientClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => (ms < 5000 ? Promise.resolve() : systemClock.sleep(ms, signal)),
};
