// A request's body as a prompt cache sees it: one sequence of pieces, of which the last may be outgoing only. Reads both protocols.
import { z } from 'zod';
import { countSame } from './simulate-openai.ts';

export type Protocol = 'openai' | 'anthropic';

/** `stable`: what the next request is to begin with, piece by piece. `tail`: what stands in this request only. */
export interface SplitRequest {
  readonly stable: readonly string[];
  readonly tail: readonly string[];
}

const openaiSchema = z.looseObject({
  tools: z.array(z.unknown()).default([]),
  messages: z.array(z.looseObject({ role: z.string() })),
});
const anthropicSchema = z.looseObject({
  tools: z.array(z.unknown()).default([]),
  system: z.array(z.unknown()).default([]),
  messages: z.array(z.object({ role: z.string(), content: z.array(z.looseObject({ type: z.string() })) })),
});

/**
 * The pieces without the marks of the cache. The tail: what the user says behind the results of the newest calls; of a request without any,
 * what was not there in the first one, whose one user message is the task.
 */
export function splitRequest(body: unknown, protocol: Protocol): SplitRequest {
  const { head, said } = protocol === 'openai' ? readOpenAI(body) : readAnthropic(body);
  const lastResult = said.findLastIndex(({ isResult }) => isResult);
  const end = lastResult < 0 ? 1 : lastResult + 1;
  const pieces = said.map(({ bytes }) => bytes);
  return { stable: [...head, ...pieces.slice(0, end)], tail: pieces.slice(end) };
}

interface Said {
  readonly bytes: string;
  readonly isResult: boolean;
}

function readOpenAI(body: unknown): { readonly head: readonly string[]; readonly said: readonly Said[] } {
  const { tools, messages } = openaiSchema.parse(body);
  const [system, ...rest] = messages;
  return {
    head: [...tools, system].map(bytesOf),
    said: rest.map((message) => ({ bytes: bytesOf(message), isResult: message.role === 'tool' })),
  };
}

function readAnthropic(body: unknown): { readonly head: readonly string[]; readonly said: readonly Said[] } {
  const { tools, system, messages } = anthropicSchema.parse(body);
  return {
    head: [...tools, ...system].map(bytesOf),
    said: messages.flatMap(({ role, content }) =>
      content.map((block) => ({ bytes: `${role}:${bytesOf(block)}`, isResult: block.type === 'tool_result' })),
    ),
  };
}

function bytesOf(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner));
}

/** How much of `before` `after` begins with, by bytes: 1 = the whole of it. */
export function shareKept(before: readonly string[], after: readonly string[]): number {
  const [first, second] = [before.join('\n'), after.join('\n')];
  return countSame(first, second) / first.length;
}
