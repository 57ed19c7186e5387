// A model whose calls cost what a seed says: reported whole, in part or not at all, cached or not, with attempts that come to nothing.
import type { LLMProvider, ModelRequest, ModelResponse } from '../../src/engine/ports.ts';
import type { PriceOf } from '../../src/schema/cost.ts';
import { argumentsOf, type Message, noUsage, textOf, textPart, type Usage } from '../../src/schema/message.ts';
import type { Amount } from '../../src/schema/run-scope.ts';
import { ProviderError, type StreamChunk } from '../../src/schema/stream.ts';
import type { Random } from '../tools/random.ts';

/** So many tokens of text. */
export function textOfTokens(tokens: number): string {
  return '▒'.repeat(tokens);
}

/** To the token, so that nothing but an answer's size is unknown: what is written here, and a few for each message. */
export function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, { content, toolCalls = [] }) => {
    const texts = [textOf(content), ...toolCalls.map((call) => String(argumentsOf(call)?.text ?? ''))];
    return sum + 5 + texts.join('').replaceAll(/[^▒]/g, '').length;
  }, 0);
}

/** Dollars: reading the cache is cheap, writing it dear, a long request takes twice as much. */
export const priceOf: PriceOf = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }) => {
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const tier = inputTokens > 20_000 ? 2 : 1;
  return (tier * (3 * plain + 0.3 * cacheReadTokens + 3.75 * cacheWriteTokens + 15 * outputTokens)) / 1e6;
};

/** What a run within it, or the run itself, has really spent, and by how much its last call was larger than anybody could know. */
export interface Bill {
  readonly calls: number;
  readonly spent: Amount;
  readonly overrun: Amount;
}

export interface Habits {
  /** Output tokens of the next answer. */
  readonly output: () => number;
  /** What the answer calls, where it may call. */
  readonly calls: () => string;
  readonly reports: readonly ('all' | 'nothing' | 'zero' | 'input')[];
  readonly isCaching: boolean;
  /** One in so many attempts fails after its answer has begun; 0 = none. */
  readonly failsOneIn: number;
}

export class Spender implements LLMProvider {
  calls = 0;
  spent: Amount = { tokens: 0, usd: 0 };
  overrun: Amount = { tokens: 0, usd: 0 };
  readonly #habits: Habits;
  readonly #random: Random;
  #largest = 0;
  #prefix = 0;

  constructor(habits: Habits, random: Random) {
    this.#habits = habits;
    this.#random = random;
  }

  async generate({ messages, toolChoice }: ModelRequest): Promise<ModelResponse> {
    const { output, calls, reports, isCaching, failsOneIn } = this.#habits;
    this.calls += 1;
    // As the answer will be estimated.
    const outputTokens = 5 + output();
    const inputTokens = tokensOf(messages);
    // Others go on meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
    const cacheReadTokens = isCaching ? Math.min(this.#prefix, inputTokens) : 0;
    const usage: Usage = {
      ...noUsage,
      inputTokens,
      outputTokens,
      cacheReadTokens,
      cacheWriteTokens: isCaching ? inputTokens - cacheReadTokens : 0,
    };
    const expected = toolChoice === 'none' ? Math.min(this.#largest || 500, 500) : this.#largest || 500;
    this.#pay(usage, Math.max(0, outputTokens - expected));
    if (failsOneIn > 0 && this.#random.below(failsOneIn) === 0) {
      throw new ProviderError({ kind: 'transport', message: 'cut', retryable: true, hasBegun: true, usage });
    }
    this.#prefix = inputTokens;
    this.#largest = Math.max(this.#largest, outputTokens);
    return {
      message: answerOf(outputTokens - 5, toolChoice === 'none' ? '' : calls(), this.calls),
      usage: this.#report(usage, reports),
    };
  }

  async *generateStream(request: ModelRequest): AsyncIterable<StreamChunk> {
    yield { type: 'done', ...(await this.generate(request)) };
  }

  #pay(usage: Usage, more: number): void {
    const usd = priceOf(usage, undefined) ?? 0;
    this.spent = { tokens: this.spent.tokens + usage.inputTokens + usage.outputTokens, usd: this.spent.usd + usd };
    const known = priceOf({ ...usage, outputTokens: usage.outputTokens - more }, undefined) ?? 0;
    this.overrun = { tokens: more, usd: usd - known };
  }

  #report(usage: Usage, reports: Habits['reports']): Usage | undefined {
    switch (this.#random.pick(reports)) {
      case 'all':
        return usage;
      case 'zero':
        return noUsage;
      case 'input':
        return { ...usage, outputTokens: 0 };
      case 'nothing':
        return undefined;
    }
  }
}

/** An answer of so many tokens, which calls the tool of that name; '' = none. */
function answerOf(tokens: number, name: string, at: number): Message {
  if (name === '') return { role: 'assistant', content: [textPart(textOfTokens(tokens))], finishReason: 'stop' };
  const call = { id: `c${at}`, name, arguments: JSON.stringify({ text: textOfTokens(tokens), at }) };
  return { role: 'assistant', content: [], toolCalls: [call], finishReason: 'tool_calls' };
}
