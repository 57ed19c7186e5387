// Models that take over when the one before cannot serve: a decorator over several providers. It decides who is asked, and retries nothing.
import type { Origin } from '../schema/message.ts';
import type { CallContext, ModelFailure, ModelRequest, ModelResponse } from '../schema/model-call.ts';
import { runScopeOf } from '../schema/run-scope.ts';
import { type FaultKind, ProviderError, type ProviderFault, type StreamChunk, withErrorChunk } from '../schema/stream.ts';
import type { Log } from '../schema/world.ts';
import type { LLMProvider } from './port.ts';

/** A model, and who is asked for it, its retries included. */
export interface FallbackModel {
  readonly origin: Origin;
  readonly provider: LLMProvider;
}

export interface FallbackProvider extends LLMProvider {
  /** The model that the next call goes to. */
  readonly servingOrigin: () => Origin;
}

/** What another model may do better, as people are told. A key that is wrong (401), a request that is, and a refusal by the model itself are not. */
const reasons: Readonly<Partial<Record<FaultKind, string>>> = {
  overloaded: 'overloaded',
  rate_limit: 'over its rate limit',
  timeout: 'no answer in time',
  transport: 'connection failed',
  malformed: 'no usable answer',
  quota: 'no credit left',
  not_found: 'not found',
};
const forbidden = 403;

/**
 * The first of `models` that serves. One that could not is not asked again, by anybody who shares this provider: the run, its sub-agents, its
 * summaries. Every answer names those that were passed over, and why.
 */
export function withFallback(models: readonly FallbackModel[], log: Log): FallbackProvider {
  const chain = new Chain(models, log);
  return {
    servingOrigin: () => chain.servingOrigin,
    generate: (request, context) => chain.generate(request, context),
    generateStream: (request, context) => withErrorChunk(chain.stream(request, context)),
  };
}

/** The models, and those of them that were passed over: each call begins with the one behind these. */
class Chain {
  readonly #models: readonly FallbackModel[];
  readonly #log: Log;
  readonly #passed: ModelFailure[] = [];

  constructor(models: readonly FallbackModel[], log: Log) {
    this.#models = models;
    this.#log = log;
  }

  get servingOrigin(): Origin {
    return this.#modelAt(this.#passed.length).origin;
  }

  async generate(request: ModelRequest, context: CallContext): Promise<ModelResponse> {
    for (;;) {
      const asked = this.#passed.length;
      try {
        return this.#signed(await this.#modelAt(asked).provider.generate(request, context), asked);
      } catch (error) {
        context.signal.throwIfAborted();
        if (!(error instanceof ProviderError)) throw error;
        this.#passOver(asked, error, context);
      }
    }
  }

  async *stream(request: ModelRequest, context: CallContext): AsyncGenerator<StreamChunk> {
    for (;;) {
      const asked = this.#passed.length;
      let fault: ProviderFault | undefined;
      let hasShown = false;
      for await (const chunk of withErrorChunk(this.#modelAt(asked).provider.generateStream(request, context))) {
        if (chunk.type === 'error') {
          fault = chunk.error;
          break;
        }
        hasShown = chunk.type !== 'reset';
        yield chunk.type === 'done' ? { ...chunk, ...this.#signed(chunk, asked) } : chunk;
      }
      if (fault === undefined) return;
      context.signal.throwIfAborted();
      this.#passOver(asked, new ProviderError(fault), context);
      if (hasShown) yield { type: 'reset' };
    }
  }

  #modelAt(index: number): FallbackModel {
    const found = this.#models[index];
    if (found === undefined) throw new RangeError(`There is no model ${index} of ${this.#models.length}.`);
    return found;
  }

  /** Those before the model that answered: others may have moved on meanwhile. */
  #signed(response: ModelResponse, asked: number): ModelResponse {
    return asked === 0 ? response : { ...response, insteadOf: this.#passed.slice(0, asked) };
  }

  /** Leaves the next attempt to the next model, or throws. Of calls that fail at the same time the first one moves on for all. */
  #passOver(asked: number, { fault, cause }: ProviderError, { run }: CallContext): void {
    const why = reasonOf(fault);
    const next = this.#models[Math.max(asked + 1, this.#passed.length)]?.origin;
    if (why === undefined || next === undefined) throw this.#lastWord(asked, fault, cause);
    // It may be dearer than the one that the call was let out for.
    if (runScopeOf(run)?.hasRoom(next) === false) {
      const message = `${fault.message} (the budget has no room for ${next.model})`;
      throw this.#lastWord(asked, { ...fault, message }, cause);
    }
    if (this.#passed.length > asked) return;
    const { model } = this.#modelAt(asked).origin;
    this.#passed.push({ model, why });
    this.#log(`[provider] fallback from=${model} to=${next.model} fault=${fault.kind} status=${fault.status ?? '-'}`);
    this.#log(`[provider] ${fault.message}`);
  }

  #lastWord(asked: number, fault: ProviderFault, cause: unknown): ProviderError {
    const before = this.#passed.slice(0, asked).map(({ model, why }) => `${model}: ${why}`);
    const message = before.length === 0 ? fault.message : `${fault.message} (failed before it: ${before.join('; ')})`;
    return new ProviderError({ ...fault, message }, cause);
  }
}

/** Undefined: another model would not help. */
function reasonOf({ kind, status }: ProviderFault): string | undefined {
  const reason = kind === 'auth' && status === forbidden ? 'refused to serve' : reasons[kind];
  return reason === undefined || status === undefined ? reason : `${reason}, status ${status}`;
}
