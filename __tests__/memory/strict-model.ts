// A model with a real window: it refuses what is too long, checks each request as both vendors do, and reports usage well, badly or not at all.
import type { LLMProvider, ModelRequest, ModelResponse } from '../../src/engine/ports.ts';
import { type Message, noUsage, textOf, type Usage } from '../../src/schema/message.ts';
import { ProviderError, type StreamChunk } from '../../src/schema/stream.ts';
import { estimateMessage, estimateTokens } from '../../src/schema/token-estimate.ts';
import { asks, call, says } from './compaction/histories.ts';
import { goodSummary } from './compaction/summary-model.ts';
import { checkView } from './compaction/wire-rules.ts';

export const reports = ['right', 'none', 'nothing', 'far too little', 'far too much', 'no numbers'] as const;

export interface StrictModelOptions {
  /** Tokens that fit. */
  readonly window: number;
  /** Its tokens for each one of our estimate. Default 1. */
  readonly factor?: number;
  readonly report?: (typeof reports)[number];
  /** It calls so many tools, then answers. */
  readonly turns: number;
  /** Begins the ids of its calls. */
  readonly name?: string;
  /** What must be in each request, word for word. */
  readonly task?: string;
  readonly summary?: string;
}

export class StrictModel implements LLMProvider {
  /** Those that were answered; summaries apart. */
  readonly requests: ModelRequest[] = [];
  readonly problems: string[] = [];
  refused = 0;
  summaries = 0;
  largest = 0;
  /** Requests that do not begin with the bytes of the one before. */
  newPrefixes = 0;
  readonly #options: StrictModelOptions;

  constructor(options: StrictModelOptions) {
    this.#options = options;
  }

  async generate(request: ModelRequest): Promise<ModelResponse> {
    const { turns, name = 'c', task, window, factor = 1, summary = goodSummary } = this.#options;
    const isSummary = request.tools.length === 0;
    const tokens = Math.ceil(estimateTokens(request.messages, request.tools) * factor);
    if (tokens > window) {
      this.refused += 1;
      throw new ProviderError({ kind: 'context_overflow', message: 'prompt is too long', status: 400, retryable: false });
    }
    this.#check(request);
    if (isSummary) {
      this.summaries += 1;
      return { message: says(summary), usage: this.#usage(tokens, says(summary)) };
    }
    if (task !== undefined && !request.messages.some(({ content }) => textOf(content) === task)) {
      this.problems.push(`request ${this.requests.length} has not the task`);
    }
    this.largest = Math.max(this.largest, tokens);
    const before = this.requests.at(-1);
    if (before !== undefined && !isPrefix(before, request)) this.newPrefixes += 1;
    this.requests.push(request);
    const at = this.requests.length;
    const calls = [
      call(`${name}${at}a`, 'read_file', { path: `src/${at}.ts` }),
      call(`${name}${at}b`, 'bash', { command: `make ${at}` }),
    ];
    const message = at > turns ? says(`All of it is done, ${name}.`) : asks(...calls);
    return { message, usage: this.#usage(tokens, message) };
  }

  async *generateStream(request: ModelRequest): AsyncIterable<StreamChunk> {
    yield { type: 'done', ...(await this.generate(request)) };
  }

  #check({ messages }: ModelRequest): void {
    // Each one would take the most of a test's time; a prime number meets all kinds of turns.
    if (this.requests.length % 7 !== 0) return;
    try {
      checkView(messages);
    } catch (error) {
      this.problems.push(`request ${this.requests.length}: ${error}`);
    }
  }

  #usage(tokens: number, answer: Message): Usage | undefined {
    const usage = (inputTokens: number, outputTokens: number): Usage => ({ ...noUsage, inputTokens, outputTokens });
    switch (this.#options.report ?? 'right') {
      case 'right':
        return usage(tokens, Math.ceil(estimateMessage(answer)));
      case 'none':
        return undefined;
      case 'nothing':
        return usage(0, 0);
      case 'far too little':
        return usage(1, 1);
      case 'far too much':
        return usage(tokens * 1_000, 1_000_000_000);
      case 'no numbers':
        return usage(Number.NaN, Number.POSITIVE_INFINITY);
    }
  }
}

function isPrefix(before: ModelRequest, after: ModelRequest): boolean {
  const head = JSON.stringify(before.messages.slice(0, before.tailStart));
  return JSON.stringify(after.messages.slice(0, before.tailStart)) === head;
}
