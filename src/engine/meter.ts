// Counts the tokens of one run: what was spent, and what the next call will take. Estimates are corrected by what the provider reports.
import { type Message, noUsage, type ToolDefinition, type Usage } from '../schema/message.ts';
import { isRecord } from '../schema/record.ts';
import type { Ledger } from '../schema/run-scope.ts';
import type { Need } from './guard.ts';
import type { ModelRequest, TokenEstimate } from './ports.ts';
import type { Allowance } from './scope.ts';

/** The answer that is expected before any was seen. */
const firstResponseTokens = 500;

/** An estimate that is further off than this is not a matter of the tokenizer; such a report is followed so far and no further. */
const leastFactor = 0.5;
const mostFactor = 3;
/** Another window makes other bytes of what is cut to its size: a correction by less than this does not change it. */
const steadyShare = 0.1;
/** A run that has just begun has had small requests only; they say little of what fits. */
const leastRetryShare = 1 / 8;

/** What a provider reported, with 0 for every number that is none: it is summed, compared and stored. Undefined when there is no report. */
export function soundUsage(usage: Usage | undefined): Usage | undefined {
  if (!isRecord(usage)) return undefined;
  return {
    inputTokens: sound(usage.inputTokens),
    outputTokens: sound(usage.outputTokens),
    cacheReadTokens: sound(usage.cacheReadTokens),
    cacheWriteTokens: sound(usage.cacheWriteTokens),
    reasoningTokens: sound(usage.reasoningTokens),
  };
}

function sound(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? tokens : 0;
}

export class Meter {
  readonly #estimate: TokenEstimate;
  readonly #ledger: Ledger;
  readonly #allowances: readonly Allowance[];
  readonly #known = new WeakMap<Message, number>();
  #factor = 1;
  #windowFactor = 1;
  #held = 0;
  #nextRequest = 0;
  #largestResponse = 0;
  #smallestRefused = Number.POSITIVE_INFINITY;
  #largestAnswered = 0;

  constructor(estimate: TokenEstimate, ledger: Ledger, allowances: readonly Allowance[]) {
    this.#estimate = estimate;
    this.#ledger = ledger;
    this.#allowances = allowances;
  }

  get standing(): Need {
    const budgets = this.#allowances.map(({ ledger, maxTokens, name, isShared }) => ({
      name,
      isShared,
      left: maxTokens - (ledger.tokens - this.#held),
    }));
    return { budgets, nextRequest: this.#nextRequest, nextResponse: this.#nextResponse };
  }

  /** Tokens of a request: the estimate times what the last report showed it to be off by. */
  estimate(messages: readonly Message[], tools: readonly ToolDefinition[]): number {
    return Math.ceil(this.#uncorrected(messages, tools) * this.#factor);
  }

  /** A request that was too long, whatever the window is said to be. */
  refuse({ messages, tools }: ModelRequest): void {
    this.#smallestRefused = Math.min(this.#smallestRefused, this.#uncorrected(messages, tools));
  }

  /** Tokens that fit the model: `declared` (0 = not known), or what was refused when that is less. */
  windowWithin(declared: number): number {
    const refused = Math.ceil(this.#smallestRefused * this.#windowFactor);
    if (declared > 0) return Math.min(declared, refused);
    return Number.isFinite(refused) ? refused : 0;
  }

  /** The same for the one retry that a refused request gets: twice what was answered before, so that its half is sure to fit. */
  retryWindow(declared: number): number {
    const window = this.windowWithin(declared);
    if (this.#largestAnswered === 0) return window;
    const sure = Math.ceil(2 * this.#largestAnswered * this.#windowFactor);
    return Math.min(window, Math.max(sure, Math.ceil(window * leastRetryShare)));
  }

  /** Messages that the next request carries in addition. */
  expect(messages: readonly Message[], tools: readonly ToolDefinition[] = []): void {
    if (messages.length + tools.length > 0) this.#nextRequest += this.estimate(messages, tools);
    this.#hold();
  }

  /** All that the next request carries: what was expected before may have been compacted. */
  expectOnly(messages: readonly Message[], tools: readonly ToolDefinition[]): void {
    this.#nextRequest = this.estimate(messages, tools);
    this.#hold();
  }

  /** A call that was made: with what the provider reported, else with the estimates. A call without an answer counts its request. */
  record({ messages, tools }: ModelRequest, answer: Message | undefined, usage: Usage | undefined): void {
    const estimated = this.#uncorrected(messages, tools);
    const reported = usage?.inputTokens ?? 0;
    if (reported > 0 && estimated > 0) {
      this.#factor = Math.min(Math.max(reported / estimated, leastFactor), mostFactor);
      if (Math.abs(this.#factor / this.#windowFactor - 1) > steadyShare) this.#windowFactor = this.#factor;
    }
    const hadRoom = answer !== undefined && answer.finishReason !== 'context_overflow';
    if (hadRoom) this.#largestAnswered = Math.max(this.#largestAnswered, estimated);
    const input = reported > 0 ? reported : Math.ceil(estimated * this.#factor);
    const output = usage?.outputTokens ?? (answer === undefined ? 0 : this.estimate([answer], []));
    this.#ledger.add(input + output, usage ?? noUsage);
    this.#nextRequest = input + output;
    this.#largestResponse = Math.max(this.#largestResponse, output);
    this.#hold();
  }

  /** Calls that somebody else made for this run. They are spent, and no turn: a turn is one step of the ReAct loop. */
  spend(given: Usage): void {
    const usage = soundUsage(given) ?? noUsage;
    this.#ledger.add(usage.inputTokens + usage.outputTokens, usage);
  }

  /** There is no next call any more. */
  release(): void {
    this.#ledger.add(-this.#held, noUsage);
    this.#held = 0;
  }

  /** The next call is in the ledger before it is made: whoever spends from the same budget at the same time leaves room for it. */
  #hold(): void {
    const tokens = this.#nextRequest + this.#nextResponse;
    this.#ledger.add(tokens - this.#held, noUsage);
    this.#held = tokens;
  }

  get #nextResponse(): number {
    return this.#largestResponse === 0 ? firstResponseTokens : this.#largestResponse;
  }

  /** Each message is estimated once, so that a long run does not pay for its whole history every turn. */
  #uncorrected(messages: readonly Message[], tools: readonly ToolDefinition[]): number {
    return messages.reduce((sum, message) => sum + this.#estimateOne(message), sound(this.#estimate([], tools)));
  }

  #estimateOne(message: Message): number {
    const known = this.#known.get(message);
    if (known !== undefined) return known;
    const tokens = sound(this.#estimate([message], []));
    this.#known.set(message, tokens);
    return tokens;
  }
}
