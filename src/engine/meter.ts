// Counts the tokens of one run: what was spent, and what the next call will take. Estimates fill in where a provider reports nothing.
import { addUsage, type Message, noUsage, type ToolDefinition, type Usage } from '../schema/message.ts';
import type { TokenEstimate } from './ports.ts';

/** The answer that is expected before any was seen. */
const firstResponseTokens = 500;

export class Meter {
  readonly #estimate: TokenEstimate;
  readonly #known = new WeakMap<Message, number>();
  #usage: Usage = noUsage;
  #lastUsage: Usage | undefined;
  #tokens = 0;
  #nextRequest = 0;
  #largestResponse = 0;

  constructor(estimate: TokenEstimate) {
    this.#estimate = estimate;
  }

  /** What the providers reported, summed. */
  get usage(): Usage {
    return this.#usage;
  }

  get lastUsage(): Usage | undefined {
    return this.#lastUsage;
  }

  get standing(): { readonly tokens: number; readonly nextRequest: number; readonly nextResponse: number } {
    const nextResponse = this.#largestResponse === 0 ? firstResponseTokens : this.#largestResponse;
    return { tokens: this.#tokens, nextRequest: this.#nextRequest, nextResponse };
  }

  /** Tokens of a request. Each message is estimated once, so that a long run does not pay for its whole history every turn. */
  estimate(messages: readonly Message[], tools: readonly ToolDefinition[]): number {
    return messages.reduce((sum, message) => sum + this.#estimateOne(message), this.#estimate([], tools));
  }

  /** Messages that the next request carries in addition. */
  expect(messages: readonly Message[], tools: readonly ToolDefinition[] = []): void {
    this.#nextRequest += messages.length + tools.length === 0 ? 0 : this.estimate(messages, tools);
  }

  /** A call that was made: with what the provider reported, else with the estimates. A call without an answer counts its request. */
  record(requestTokens: number, answer: Message | undefined, usage: Usage | undefined): void {
    const input = usage === undefined || usage.inputTokens === 0 ? requestTokens : usage.inputTokens;
    const output = usage?.outputTokens ?? (answer === undefined ? 0 : this.#estimateOne(answer));
    this.#tokens += input + output;
    this.#nextRequest = input + output;
    this.#largestResponse = Math.max(this.#largestResponse, output);
    if (usage === undefined) return;
    this.#usage = addUsage(this.#usage, usage);
    this.#lastUsage = usage;
  }

  #estimateOne(message: Message): number {
    const known = this.#known.get(message);
    if (known !== undefined) return known;
    const tokens = this.#estimate([message], []);
    this.#known.set(message, tokens);
    return tokens;
  }
}
