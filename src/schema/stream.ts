// What a provider streams: increments of one model call, ending in exactly one `done` or `error`. Source: spec §3.3.
import { z } from 'zod';
import { Harness9Error } from './error.ts';
import type { Usage } from './message.ts';
import type { ModelResponse } from './model-call.ts';

/**
 * `reset`: a retry begins; drop what was shown of this call. Tool calls come whole, in `done` (spec §3.3).
 * A stream never throws for a failed call: it ends with `error`.
 */
export type StreamChunk =
  | { readonly type: 'text_delta'; readonly delta: string }
  | { readonly type: 'thinking_delta'; readonly delta: string }
  | { readonly type: 'reset' }
  | ({ readonly type: 'done' } & ModelResponse)
  | { readonly type: 'error'; readonly error: ProviderFault };

export const faultKindSchema = z.enum([
  'auth',
  'not_found',
  'rate_limit',
  'overloaded',
  'context_overflow',
  'bad_request',
  'content_filter',
  'transport',
  'malformed',
  'quota',
  'timeout',
]);
export type FaultKind = z.infer<typeof faultKindSchema>;

/** Why a model call failed, as flags that decide what may be tried next; never read from the text. */
export interface ProviderFault {
  readonly kind: FaultKind;
  readonly message: string;
  readonly hint?: string | undefined;
  /** The server's own words within `message`, cleaned. */
  readonly said?: string | undefined;
  readonly status?: number | undefined;
  readonly retryable: boolean;
  /** What the server asked us to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the answer had begun when it failed: such a call is paid for. `usage`: what was reported of it until then. */
  readonly hasBegun?: boolean | undefined;
  readonly usage?: Usage | undefined;
  /** What it took is counted already. */
  readonly isCounted?: boolean | undefined;
}

/** A model call that failed for good; `fault` says how. Thrown by `generate`, yielded as `error` by `generateStream`. */
export class ProviderError extends Harness9Error {
  readonly fault: ProviderFault;

  constructor(fault: ProviderFault, cause?: unknown) {
    super({ code: `PROVIDER_${fault.kind.toUpperCase()}`, message: fault.message, hint: fault.hint, cause });
    this.name = 'ProviderError';
    this.fault = fault;
  }
}

/** A stream by whoever may throw in it, kept to that: a ProviderError becomes `error`; an abort, and a fault of ours, stay exceptions. */
export async function* withErrorChunk(chunks: AsyncIterable<StreamChunk>): AsyncGenerator<StreamChunk> {
  try {
    yield* chunks;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    yield { type: 'error', error: error.fault };
  }
}
