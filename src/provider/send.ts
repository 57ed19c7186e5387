// One request through an official SDK, up to the answer's head; every way that this can fail becomes a ProviderError.
import { parseJson } from '../schema/parse-json.ts';
import type { ProviderError } from '../schema/stream.ts';
import type { Connection } from './connection.ts';
import { htmlError, looksLikeHtml, timeoutError, unreachableError } from './fault.ts';
import { RefusedAnswer } from './refused-answer.ts';

/** Sends a body and resolves with the answer once its status is known to be good. */
export type Send = (body: object, signal: AbortSignal) => Promise<Response>;

/** An answer that says no. `body`: its text as JSON, undefined when it is none. */
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
    const cause = causeOf(error);
    throw cause instanceof RefusedAnswer ? refusalError(cause, connection, rules.map) : unreachableError(connection, cause);
  }
}

function refusalError({ status, headers, text }: RefusedAnswer, connection: Connection, map: MapAnswer): ProviderError {
  const body = parseJson(text);
  if (body === undefined && looksLikeHtml(headers, text)) return htmlError(connection, status);
  return map(connection, { status, headers, body, text });
}

/** The SDK's wrapper says "Connection error."; its cause says what happened. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}
