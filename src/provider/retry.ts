// Tries a failed model call again, when the fault says that this may help; a decorator over any provider.

import type { CallContext, ModelRequest, ModelResponse } from '../schema/model-call.ts';
import { ProviderError, type ProviderFault, type StreamChunk } from '../schema/stream.ts';
import type { Clock, Log } from '../schema/world.ts';
import { withErrorChunk } from './finish-stream.ts';
import type { LLMProvider } from './port.ts';

export interface RetryOptions {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
}

/** Calls in all, the first included. */
const maxAttempts = 4;
/** For one model call, all waits together; the run's own end comes in by the signal. */
const maxWaitMs = 120_000;

/** One second, doubled each time, at most thirty. */
const baseDelayMs = 1_000;
const maxDelayMs = 30_000;

/** `provider`, tried again with full jitter and the server's `Retry-After`. After the last try the error carries its status and text. */
export function withRetry(provider: LLMProvider, options: RetryOptions): LLMProvider {
  return {
    generate: (request, context) => generate(provider, request, context, options),
    generateStream: (request, context) => withErrorChunk(stream(provider, request, context, options)),
  };
}

async function generate(
  provider: LLMProvider,
  request: ModelRequest,
  context: CallContext,
  options: RetryOptions,
): Promise<ModelResponse> {
  const patience = createPatience(options);
  for (;;) {
    try {
      return await provider.generate(request, context);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      await patience.waitOrThrow(error.fault, context.signal, error.cause);
    }
  }
}

async function* stream(
  provider: LLMProvider,
  request: ModelRequest,
  context: CallContext,
  options: RetryOptions,
): AsyncGenerator<StreamChunk> {
  const patience = createPatience(options);
  for (;;) {
    let hasShown = false;
    let fault: ProviderFault | undefined;
    for await (const chunk of provider.generateStream(request, context)) {
      if (chunk.type === 'error') {
        fault = chunk.error;
        break;
      }
      hasShown = true;
      yield chunk;
    }
    if (fault === undefined) return;
    await patience.waitOrThrow(fault, context.signal);
    if (hasShown) yield { type: 'reset' };
  }
}

interface Patience {
  /** Waits before the next attempt, or throws the fault when there is none. */
  readonly waitOrThrow: (fault: ProviderFault, signal: AbortSignal, cause?: unknown) => Promise<void>;
}

function createPatience({ clock, random, log }: RetryOptions): Patience {
  let leftMs = maxWaitMs;
  let attempt = 0;
  return {
    waitOrThrow: async (fault, signal, cause) => {
      signal.throwIfAborted();
      attempt += 1;
      const waitMs = waitBefore(attempt, fault, random);
      if (!fault.retryable || attempt === maxAttempts || waitMs > leftMs) {
        throw new ProviderError(
          attempt === 1 ? fault : { ...fault, message: `${fault.message} (given up after ${attempt} attempts)` },
          cause,
        );
      }
      leftMs -= waitMs;
      log(`[provider] attempt=${attempt} fault=${fault.kind} status=${fault.status ?? '-'} retry_in_ms=${waitMs}`);
      await clock.sleep(waitMs, signal);
    },
  };
}

/** Full jitter; the server's own wish is a floor, with the jitter of a first try on top so that clients do not come back together. */
function waitBefore(attempt: number, { retryAfterMs }: ProviderFault, random: () => number): number {
  const ceiling = Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));
  return retryAfterMs === undefined ? Math.round(random() * ceiling) : retryAfterMs + Math.round(random() * baseDelayMs);
}
