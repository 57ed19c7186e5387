// The OpenAI SDK, imported at the first call: it signs and sends; retries, decoding and errors are ours.
import type { Connection } from '../connection.ts';
import { type Body, createAdaptedSend } from '../refused-parameters.ts';
import { sendThrough } from '../send.ts';
import { mapAnswer } from './map-error.ts';
import { optionalParameters } from './optional-parameters.ts';
import { factsOf } from './server-facts.ts';

/** Answers that do not stream may take long to begin; the run's own deadline comes in by the signal. */
const answerTimeoutMs = 600_000;

/** A sender of Chat Completions. The SDK is loaded once, by the first call; what the server refuses by name is remembered. */
export function createSend(connection: Connection): (body: Body, signal: AbortSignal) => Promise<Response> {
  let loading: ReturnType<typeof loadClient> | undefined;
  const adaptedSend = createAdaptedSend(optionalParameters(factsOf(connection)));
  return async (body, signal) => {
    loading ??= loadClient(connection);
    const { client, isTimeout } = await loading;
    return await adaptedSend(body, (sent, refused) =>
      sendThrough(() => client.post('/chat/completions', { body: sent, signal }).asResponse(), connection, signal, {
        isTimeout,
        map: (_, failure) => {
          refused(failure);
          return mapAnswer(connection, failure);
        },
      }),
    );
  };
}

async function loadClient(connection: Connection) {
  const { OpenAI, APIConnectionTimeoutError } = await import('openai');
  const client = new OpenAI({
    apiKey: connection.apiKey,
    baseURL: connection.endpoint.identity,
    defaultQuery: Object.fromEntries(new URLSearchParams(connection.endpoint.query)),
    fetch: connection.fetch,
    defaultHeaders: { ...keyHeaders(connection), ...connection.headers },
    maxRetries: 0,
    timeout: answerTimeoutMs,
    logLevel: 'off',
    // Left out, the SDK would read them from the process environment.
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
  });
  return { client, isTimeout: (error: unknown) => error instanceof APIConnectionTimeoutError };
}

function keyHeaders(connection: Connection): Readonly<Record<string, string | null>> {
  const { keyHeader } = factsOf(connection);
  return keyHeader === undefined ? {} : { [keyHeader]: connection.apiKey, authorization: null };
}
