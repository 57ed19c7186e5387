// One request through an official SDK, up to the answer's head; every way that this can fail becomes a ProviderError.
import type { ProviderError } from '../schema/stream.ts';
import type { Connection } from './connection.ts';
import { timeoutError, unreachableError } from './fault.ts';

/** Sends a body and resolves with the answer once its status is known to be good. */
export type Send = (body: object, signal: AbortSignal) => Promise<Response>;

/** An SDK's answer error, read by shape: `body` is the parsed body as the SDK keeps it, `text` what it could not parse. */
export interface AnswerFailure {
  readonly status: number;
  readonly headers: Headers | undefined;
  readonly body: unknown;
  readonly text: string;
}

/** How one vendor turns an answer with a bad status into an error. */
export type MapAnswer = (connection: Connection, failure: AnswerFailure) => ProviderError;

/** Runs the SDK's call. On abort rejects with the signal's reason, else with a ProviderError. */
export async function sendThrough(
  call: () => Promise<Response>,
  connection: Connection,
  signal: AbortSignal,
  rules: { readonly map: MapAnswer; readonly isTimeout: (error: unknown) => boolean },
): Promise<Response> {
  signal.throwIfAborted();
  try {
    return await call();
  } catch (error) {
    signal.throwIfAborted();
    if (rules.isTimeout(error)) throw timeoutError(connection, 'no answer came in time');
    const failure = readAnswerFailure(error);
    throw failure === undefined ? unreachableError(connection, causeOf(error)) : rules.map(connection, failure);
  }
}

function readAnswerFailure(error: unknown): AnswerFailure | undefined {
  if (!(error instanceof Error && 'status' in error && typeof error.status === 'number')) return undefined;
  const { status } = error;
  return {
    status,
    headers: 'headers' in error && error.headers instanceof Headers ? error.headers : undefined,
    body: 'error' in error ? error.error : undefined,
    // The SDKs put the status before the text.
    text: error.message.replace(new RegExp(`^${status} `), ''),
  };
}

/** The SDK's wrapper says "Connection error."; its cause says what happened. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}
