// A request through a vendor's SDK, up to the answer's head: mended where the server refuses a parameter; every other failure becomes a ProviderError.
import { parseJson } from '../schema/parse-json.ts';
import type { ProviderError } from '../schema/stream.ts';
import type { Connection } from './connection.ts';
import { htmlError, looksLikeHtml, timeoutError, unreachableError } from './fault.ts';
import { type AnswerFailure, mapAnswer } from './map-error.ts';
import { RefusedAnswer } from './refused-answer.ts';
import { type Body, createAdaptedSend, type OptionalParameter } from './refused-parameters.ts';

/** Sends a body and resolves with the answer once its status is known to be good. On abort rejects with the signal's reason, else with a ProviderError. */
export type Send = (body: Body, signal: AbortSignal) => Promise<Response>;

/** An official SDK, which signs and sends; retries, decoding and errors are ours. */
export interface Client {
  readonly post: (body: Body, signal: AbortSignal) => Promise<Response>;
  /** Whether the SDK gave up waiting. */
  readonly isTimeout: (error: unknown) => boolean;
}

/** Answers that do not stream may take long to begin; the run's own deadline comes in by the signal. */
export const answerTimeoutMs = 600_000;

/** A sender. The SDK is loaded once, by the first call; what the server refuses of `parameters` is remembered. */
export function createSend(
  connection: Connection,
  vendor: { readonly loadClient: (connection: Connection) => Promise<Client>; readonly parameters: readonly OptionalParameter[] },
): Send {
  const adapted = createAdaptedSend(vendor.parameters);
  let loading: Promise<Client> | undefined;
  return async (body, signal) => {
    loading ??= vendor.loadClient(connection);
    const client = await loading;
    return await adapted(body, async (sent, refused) => {
      signal.throwIfAborted();
      try {
        return await client.post(sent, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (client.isTimeout(error)) throw timeoutError(connection, 'no answer came in time');
        const cause = causeOf(error);
        throw cause instanceof RefusedAnswer ? refusalError(cause, connection, refused) : unreachableError(connection, cause);
      }
    });
  };
}

function refusalError(
  { status, headers, text }: RefusedAnswer,
  connection: Connection,
  refused: (failure: AnswerFailure) => void,
): ProviderError {
  const body = parseJson(text);
  if (body === undefined && looksLikeHtml(headers, text)) return htmlError(connection, status);
  const failure = { status, headers, body, text };
  refused(failure);
  return mapAnswer(connection, failure);
}

/** The SDK's wrapper says "Connection error."; its cause says what happened. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}
