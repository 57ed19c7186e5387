// Counts what one run takes, in tokens and dollars: what was spent, and what the next call will take. Estimates are corrected by reports.
import type { PriceOf } from '../schema/cost.ts';
import {
  completeUsage,
  type Message,
  noUsage,
  type Origin,
  type ToolDefinition,
  textPart,
  type Usage,
} from '../schema/message.ts';
import type { RunResult } from '../schema/run.ts';
import { type Allowance, type Amount, type Ledger, noAmount, type VainAttempt } from '../schema/run-scope.ts';
import type { Budget } from './guard.ts';
import type { ModelRequest, TokenEstimate } from './ports.ts';
import { amountOf, type CallSize, sound, soundUsage, spendingOf } from './pricing.ts';

/** The answer that is expected before any was seen. */
const firstResponseTokens = 500;
/** A wrap-up is asked for in a few words, and answered in some more, however much was written in a turn before. */
const closing = { request: 100, response: 500 };

/** An estimate that is further off than this is not a matter of the tokenizer; such a report is followed so far and no further. */
const leastFactor = 0.5;
const mostFactor = 3;
/** Another window makes other bytes of what is cut to its size: a correction by less than this does not change it. */
const steadyShare = 0.1;
/** A run that has just begun has had small requests only; they say little of what fits. */
const leastRetryShare = 1 / 8;

/** What a meter counts with. `priceOf`: undefined where nobody knows prices. */
export interface MeterParts {
  readonly estimate: TokenEstimate;
  readonly ledger: Ledger;
  readonly allowances: readonly Allowance[];
  readonly priceOf: PriceOf | undefined;
}

export class Meter {
  readonly #parts: MeterParts;
  readonly #known = new WeakMap<Message, number>();
  #factor = 1;
  #windowFactor = 1;
  #held = noAmount;
  #nextRequest = 0;
  #isLast = false;
  #largestResponse = 0;
  #smallestRefused = Number.POSITIVE_INFINITY;
  #largestAnswered = 0;
  #origin: Origin | undefined;
  #lastInput = 0;
  #lastCached = 0;

  constructor(parts: MeterParts) {
    this.#parts = parts;
  }

  /** Tokens of the next request. */
  get nextRequest(): number {
    return this.#nextRequest;
  }

  /** What the run and those within it have cost; nothing where nobody knows prices. */
  get cost(): Pick<RunResult, 'cost'> {
    const { ledger, priceOf } = this.#parts;
    return priceOf === undefined ? {} : { cost: { usd: ledger.spent.usd, unpricedModels: ledger.unpricedModels } };
  }

  /** Every budget that the run spends from, beside what its next calls take of it. */
  get budgets(): readonly Budget[] {
    const { allowances } = this.#parts;
    if (allowances.length === 0) return [];
    const request = this.#nextRequest;
    const response = this.#nextResponse;
    // A request that has become smaller was cut, and begins otherwise than what is in the cache.
    const cached = request < this.#lastInput ? 0 : this.#lastCached;
    const next = this.#amountOf({ request, response, cached });
    const closingResponse = Math.min(response, closing.response);
    const lastCall = { request: request + closing.request, response: closingResponse, cached: 0 };
    const last = this.#amountOf(lastCall);
    const wrapUp = this.#amountOf({ ...lastCall, request: lastCall.request + response });
    return allowances.map(({ ledger, unit, most, name }) => ({
      name,
      unit,
      left: most - ledger.spent[unit] - (ledger.held[unit] - this.#held[unit]),
      next: next[unit],
      last: last[unit],
      wrapUp: wrapUp[unit],
    }));
  }

  /** Whether there is room for the call that is under way, made anew by the model of `origin` (undefined: the run's own); it is held. */
  hasRoom(origin: Origin | undefined): boolean {
    const again = this.#amountOf({ request: this.#nextRequest, response: this.#nextResponse, cached: 0 }, origin);
    this.#holdAmount(again);
    return this.budgets.every(({ unit, left }) => again[unit] <= left);
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

  /** All that the next request carries: what was expected before may have been compacted. `isLast`: it is the run's last one. */
  expectOnly(messages: readonly Message[], tools: readonly ToolDefinition[], { isLast = false } = {}): void {
    this.#isLast = isLast;
    this.#nextRequest = this.estimate(messages, tools);
    this.#hold();
  }

  /** A call that was called off: its request, and what was heard of its answer. */
  recordCalledOff(request: ModelRequest, heard: string): void {
    this.#count(this.#sizeOf({ request, heard, reported: undefined }), undefined);
  }

  /** An attempt at the call that is under way came to nothing; that call is still to be made. */
  spendInVain(attempt: VainAttempt, origin = this.#origin): void {
    const reported = soundUsage(attempt.reported);
    const size = this.#sizeOf({ ...attempt, reported });
    // The whole answer will be no shorter.
    this.#largestResponse = Math.max(this.#largestResponse, size.outputTokens);
    this.#spend(size, reported, origin);
  }

  /** What is reported when an answer begins knows nothing of how it goes on. */
  #sizeOf({ request, heard, reported }: VainAttempt): Usage {
    const output: readonly Message[] = heard === '' ? [] : [{ role: 'assistant', content: [textPart(heard)] }];
    const outputTokens = this.estimate(output, []);
    const known = completeUsage(reported, { inputTokens: this.estimate(request.messages, request.tools), outputTokens });
    return { ...known, outputTokens: Math.max(known.outputTokens, outputTokens) };
  }

  /** A call that was answered: with what the provider reported, else with the estimates. */
  record({ messages, tools }: ModelRequest, answer: Message, usage: Usage | undefined): void {
    const estimated = this.#uncorrected(messages, tools);
    const reported = usage?.inputTokens ?? 0;
    if (reported > 0 && estimated > 0) {
      this.#factor = Math.min(Math.max(reported / estimated, leastFactor), mostFactor);
      if (Math.abs(this.#factor / this.#windowFactor - 1) > steadyShare) this.#windowFactor = this.#factor;
    }
    if (answer.finishReason !== 'context_overflow') this.#largestAnswered = Math.max(this.#largestAnswered, estimated);
    this.#origin = answer.origin ?? this.#origin;
    const inputTokens = Math.ceil(estimated * this.#factor);
    this.#count(completeUsage(usage, { inputTokens, outputTokens: this.estimate([answer], []) }), usage);
  }

  /** A call at its end, and what the next one will be then. */
  #count(counted: Usage, reported: Usage | undefined): void {
    this.#spend(counted, reported, this.#origin);
    this.#lastInput = counted.inputTokens;
    this.#lastCached = counted.cacheReadTokens + counted.cacheWriteTokens;
    this.#nextRequest = counted.inputTokens + counted.outputTokens;
    this.#largestResponse = Math.max(this.#largestResponse, counted.outputTokens);
    this.#hold();
  }

  #spend(counted: Usage, reported: Usage | undefined, origin: Origin | undefined): void {
    // What nobody speaks of may have been written to a cache, which is the dearest.
    const isReported = reported !== undefined && reported.inputTokens > 0;
    const paid = isReported ? counted : { ...counted, cacheReadTokens: 0, cacheWriteTokens: counted.inputTokens };
    this.#parts.ledger.spend(spendingOf({ counted: paid, reported }, origin, this.#parts.priceOf));
  }

  /** Calls that somebody else made for this run. They are spent, and no turn: a turn is one step of the ReAct loop. */
  spend(given: Usage, origin = this.#origin): void {
    const usage = soundUsage(given) ?? noUsage;
    this.#parts.ledger.spend(spendingOf({ counted: usage, reported: usage }, origin, this.#parts.priceOf));
  }

  /** Somebody may make a call of that size for this run before the next one: it is held, too, until that one is expected anew. */
  holdOneMore(): void {
    const next = this.#amountOf({ request: this.#nextRequest, response: this.#nextResponse, cached: 0 });
    this.#holdAmount({ tokens: this.#held.tokens + next.tokens, usd: this.#held.usd + next.usd });
  }

  /** There is no next call any more. */
  release(): void {
    this.#holdAmount(noAmount);
  }

  /** The next call is in the ledger before it is made: whoever spends from the same budget at the same time leaves room for it. */
  #hold(): void {
    const request = this.#nextRequest + closing.request;
    this.#holdAmount(this.#amountOf({ request, response: this.#nextResponse, cached: 0 }));
  }

  #holdAmount(amount: Amount): void {
    const { tokens, usd } = this.#held;
    this.#parts.ledger.hold({ tokens: amount.tokens - tokens, usd: amount.usd - usd });
    this.#held = amount;
  }

  /** Prices are looked up for a budget only, and not by the model that answered last: another one may have taken over. */
  #amountOf(size: CallSize, origin?: Origin): Amount {
    const { allowances, priceOf } = this.#parts;
    const isInDollars = allowances.some(({ unit }) => unit === 'usd');
    return amountOf(size, origin, isInDollars ? priceOf : undefined);
  }

  get #nextResponse(): number {
    const expected = this.#largestResponse === 0 ? firstResponseTokens : this.#largestResponse;
    return this.#isLast ? Math.min(expected, closing.response) : expected;
  }

  /** Each message is estimated once, so that a long run does not pay for its whole history every turn. */
  #uncorrected(messages: readonly Message[], tools: readonly ToolDefinition[]): number {
    return messages.reduce((sum, message) => sum + this.#estimateOne(message), sound(this.#parts.estimate([], tools)));
  }

  #estimateOne(message: Message): number {
    const known = this.#known.get(message);
    if (known !== undefined) return known;
    const tokens = sound(this.#parts.estimate([message], []));
    this.#known.set(message, tokens);
    return tokens;
  }
}
