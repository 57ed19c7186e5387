// Tries a failed model call again when its fault says that this may help: how often, after which wait, and until when. A decorator over any provider.
import type { Origin } from '../schema/message.ts';
import { runScopeOf } from '../schema/run-scope.ts';
import { ProviderError, type ProviderFault, type StreamChunk, withErrorChunk } from '../schema/stream.ts';
import type { Clock, Log } from '../schema/world.ts';
import type { CallContext, LLMProvider, ModelRequest, ModelResponse } from './ports.ts';

export interface RetryOptions {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  /** Calls in all, the first included. Default 6 (threats.md §4). */
  readonly maxAttempts?: number | undefined;
  /** All waits of one call together, in milliseconds. Default 120,000. */
  readonly maxWaitMs?: number | undefined;
  /** Whose price the attempts have; undefined: the run's own model. */
  readonly origin?: Origin | undefined;
}

const mostAttempts = 6;
/** Longer, and whoever waits for the run takes it for dead. */
const mostWaitMs = 120_000;
/** Half a second, doubled with every failure, at most thirty. */
const baseDelayMs = 500;
const maxDelayMs = 30_000;
/** On top of a server's own wait, so that clients that were refused together do not come back together. */
const spreadMs = 1_000;

/**
 * `provider`, tried again with full jitter and with the server's own wait as a floor, within the time that the run has left. What was given up
 * on is not retryable any more, so that one decorator around another does not multiply the attempts.
 */
export function withRetry(provider: LLMProvider, options: RetryOptions): LLMProvider {
  return {
    generate: (request, context) => generate(provider, request, new Patience(request, context, options)),
    generateStream: (request, context) => withErrorChunk(stream(provider, request, new Patience(request, context, options))),
  };
}

async function generate(provider: LLMProvider, request: ModelRequest, patience: Patience): Promise<ModelResponse> {
  for (;;) {
    try {
      return await provider.generate(request, patience.context);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      await patience.waitOrThrow(error, '');
    }
  }
}

async function* stream(provider: LLMProvider, request: ModelRequest, patience: Patience): AsyncGenerator<StreamChunk> {
  for (;;) {
    const attempt = new Attempt();
    yield* attempt.follow(withErrorChunk(provider.generateStream(request, patience.context)));
    if (attempt.fault === undefined) return;
    await patience.waitOrThrow(new ProviderError(attempt.fault), attempt.shown);
    if (attempt.shown !== '') yield { type: 'reset' };
  }
}

/** One attempt at a stream. `shown`: what of it has been handed on and counts no more when it fails. */
class Attempt {
  fault: ProviderFault | undefined;
  shown = '';

  /** Hands on all but the `error`. */
  async *follow(chunks: AsyncIterable<StreamChunk>): AsyncGenerator<StreamChunk> {
    for await (const chunk of chunks) {
      if (chunk.type === 'error') {
        this.fault = chunk.error;
        return;
      }
      if (chunk.type === 'reset') this.shown = '';
      if ('delta' in chunk) this.shown += chunk.delta;
      yield chunk;
    }
  }
}

/** What one call has cost in attempts and waits, and whether there is another attempt. */
class Patience {
  readonly context: CallContext;
  readonly #request: ModelRequest;
  readonly #options: RetryOptions;
  #attempts = 0;
  #waitedMs = 0;
  #hasSpent = false;

  constructor(request: ModelRequest, context: CallContext, options: RetryOptions) {
    this.context = context;
    this.#request = request;
    this.#options = options;
  }

  /** Waits before the next attempt, or throws the fault when there is none. */
  async waitOrThrow(error: ProviderError, shown: string): Promise<void> {
    const { signal } = this.context;
    signal.throwIfAborted();
    const { fault } = error;
    this.#attempts += 1;
    this.#spend(fault, shown);
    const wait = this.#decideWait(fault);
    if (typeof wait === 'string') throw givenUp(error, wait);
    this.#waitedMs += wait;
    const { clock, log } = this.#options;
    log(`[provider] attempt=${this.#attempts} fault=${fault.kind} status=${fault.status ?? '-'} retry_in_ms=${wait}`);
    await clock.sleep(wait, signal);
  }

  /** Milliseconds, or why there is no other attempt: '' when the fault itself says all. */
  #decideWait({ retryable, retryAfterMs }: ProviderFault): number | string {
    const { maxAttempts = mostAttempts, maxWaitMs = mostWaitMs, random } = this.#options;
    if (!retryable) return this.#attempts === 1 ? '' : this.#afterAttempts();
    if (this.#attempts >= maxAttempts) return this.#afterAttempts();
    if (!this.#isAffordable()) return `${this.#afterAttempts()}: the budget has no room for another one`;
    const leftMs = Math.min(maxWaitMs - this.#waitedMs, timeLeft(this.context));
    if (retryAfterMs !== undefined && retryAfterMs > leftMs) return this.#afterDate(retryAfterMs, leftMs);
    const ceilingMs = retryAfterMs === undefined ? Math.min(maxDelayMs, baseDelayMs * 2 ** this.#attempts) : spreadMs;
    const wishedMs = (retryAfterMs ?? 0) + Math.round(random() * ceilingMs);
    return leftMs > 0 ? Math.min(wishedMs, Math.floor(leftMs)) : this.#afterAttempts();
  }

  #afterAttempts(): string {
    return `given up after ${this.#attempts} ${this.#attempts === 1 ? 'attempt' : 'attempts'}`;
  }

  #afterDate(waitMs: number, leftMs: number): string {
    const until = new Date(this.#options.clock.now().getTime() + waitMs);
    const when = Number.isNaN(until.getTime()) ? '' : ` until ${until.toISOString().replace('T', ' ').slice(0, 19)} UTC`;
    return `it asks to be left alone for ${seconds(waitMs)}${when}, and ${seconds(leftMs)} of waiting are left here`;
  }

  /** An attempt is paid for once its answer has begun. It is told at once: whatever becomes of the call, its end may never be heard of. */
  #spend({ isCounted, hasBegun, usage }: ProviderFault, heard: string): void {
    if (isCounted === true || (hasBegun !== true && heard === '')) return;
    this.#hasSpent = true;
    runScopeOf(this.context.run)?.spendInVain({ request: this.#request, heard, reported: usage }, this.#options.origin);
  }

  #isAffordable(): boolean {
    return !this.#hasSpent || runScopeOf(this.context.run)?.hasRoom(this.#options.origin) !== false;
  }
}

/** The last word on a call. `why`: '' where the fault itself says all. */
function givenUp({ fault, cause }: ProviderError, why: string): ProviderError {
  const message = why === '' ? fault.message : `${fault.message} (${why})`;
  return new ProviderError({ ...fault, message, retryable: false, isCounted: true }, cause);
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}

/** Where nothing is left the signal is about to say so, and ends the wait. */
function timeLeft({ run }: CallContext): number {
  return runScopeOf(run)?.leftMs() || Number.POSITIVE_INFINITY;
}
