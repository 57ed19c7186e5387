// Models that take over when the one before cannot serve: a decorator over several providers. It decides who is asked, and retries nothing.
import { sumUsage, type Usage } from '../schema/message.ts';
import type { CallContext, ModelFailure, ModelRequest, ModelResponse } from '../schema/model-call.ts';
import { type FaultKind, ProviderError, type ProviderFault, type StreamChunk, withErrorChunk } from '../schema/stream.ts';
import type { Log } from '../schema/world.ts';
import type { LLMProvider } from './port.ts';

/** A model by its name, and who is asked for it, its retries included. */
export interface FallbackModel {
  readonly model: string;
  readonly provider: LLMProvider;
}

/** What another model may do better, as people are told. A key that is wrong (401), a request that is, and a refusal by the model itself are not. */
const reasons: Readonly<Partial<Record<FaultKind, string>>> = {
  overloaded: 'overloaded',
  rate_limit: 'over its rate limit',
  timeout: 'no answer in time',
  transport: 'not reached',
  malformed: 'no usable answer',
  quota: 'no credit left',
  not_found: 'not found',
};
const forbidden = 403;

/**
 * The first of `models` that serves. One that could not is not asked again, by anybody who shares this provider: the run, its sub-agents, its
 * summaries. Every answer names those that were passed over, and why.
 */
export function withFallback(models: readonly FallbackModel[], log: Log): LLMProvider {
  const passed: ModelFailure[] = [];
  const call = () => new FallbackCall(models, passed, log);
  return {
    generate: (request, context) => call().generate(request, context),
    generateStream: (request, context) => withErrorChunk(call().stream(request, context)),
  };
}

/** One call, from the model that serves now on. `passed` is everybody's. */
class FallbackCall {
  readonly #models: readonly FallbackModel[];
  readonly #passed: ModelFailure[];
  readonly #log: Log;
  #wasted: Usage | undefined;

  constructor(models: readonly FallbackModel[], passed: ModelFailure[], log: Log) {
    this.#models = models;
    this.#passed = passed;
    this.#log = log;
  }

  async generate(request: ModelRequest, context: CallContext): Promise<ModelResponse> {
    for (;;) {
      const asked = this.#passed.length;
      try {
        return this.#signed(await this.#providerAt(asked).generate(request, context));
      } catch (error) {
        context.signal.throwIfAborted();
        if (!(error instanceof ProviderError)) throw error;
        this.#passOver(asked, error.fault, error.cause);
      }
    }
  }

  async *stream(request: ModelRequest, context: CallContext): AsyncGenerator<StreamChunk> {
    for (;;) {
      const asked = this.#passed.length;
      let fault: ProviderFault | undefined;
      let hasShown = false;
      for await (const chunk of withErrorChunk(this.#providerAt(asked).generateStream(request, context))) {
        if (chunk.type === 'error') {
          fault = chunk.error;
          break;
        }
        hasShown = chunk.type !== 'reset';
        yield chunk.type === 'done' ? { ...chunk, ...this.#signed(chunk) } : chunk;
      }
      if (fault === undefined) return;
      context.signal.throwIfAborted();
      this.#passOver(asked, fault);
      if (hasShown) yield { type: 'reset' };
    }
  }

  #providerAt(index: number): LLMProvider {
    const found = this.#models[index];
    if (found === undefined) throw new RangeError(`There is no model ${index} of ${this.#models.length}.`);
    return found.provider;
  }

  #signed(response: ModelResponse): ModelResponse {
    const wasted = sumUsage(this.#wasted, response.wasted);
    return {
      ...response,
      ...(wasted === undefined ? {} : { wasted }),
      ...(this.#passed.length === 0 ? {} : { insteadOf: [...this.#passed] }),
    };
  }

  /** Leaves the next attempt to the next model, or throws. Of calls that fail at the same time the first one moves on for all. */
  #passOver(asked: number, fault: ProviderFault, cause?: unknown): void {
    this.#wasted = sumUsage(this.#wasted, fault.wasted);
    const why = reasonOf(fault);
    const [model, next] = [this.#models[asked]?.model ?? '', this.#models[asked + 1]?.model];
    if (why === undefined || next === undefined) throw this.#lastWord(fault, cause);
    if (this.#passed.length > asked) return;
    this.#passed.push({ model, why });
    this.#log(`[provider] fallback from=${model} to=${next} fault=${fault.kind} status=${fault.status ?? '-'}`);
    this.#log(`[provider] ${fault.message}`);
  }

  #lastWord(fault: ProviderFault, cause: unknown): ProviderError {
    const before = this.#passed.map(({ model, why }) => `${model}: ${why}`).join('; ');
    const message = before === '' ? fault.message : `${fault.message} (before it failed ${before})`;
    return new ProviderError({ ...fault, message, ...(this.#wasted === undefined ? {} : { wasted: this.#wasted }) }, cause);
  }
}

/** Undefined: another model would not help. */
function reasonOf({ kind, status }: ProviderFault): string | undefined {
  const reason = kind === 'auth' && status === forbidden ? 'refused to serve' : reasons[kind];
  return reason === undefined || status === undefined ? reason : `${reason}, status ${status}`;
}
