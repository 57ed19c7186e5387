// The OpenAI SDK, imported at the first call: it signs and sends; retries, decoding and errors are ours.
import type { Connection } from '../connection.ts';
import { sendThrough } from '../send.ts';
import { type Dialect, decideDialect, initialDialect } from './dialect.ts';
import { mapAnswer } from './map-error.ts';

/** Answers that do not stream may take long to begin; the run's own deadline comes in by the signal. */
const answerTimeoutMs = 600_000;

/** Sends a body in the server's dialect and resolves with the answer once its status is known to be good. */
export type SendInDialect = (bodyIn: (dialect: Dialect) => object, signal: AbortSignal) => Promise<Response>;

/** A sender of Chat Completions. The SDK is loaded once, by the first call; what the server refuses by name is remembered. */
export function createSend(connection: Connection): SendInDialect {
  let loading: ReturnType<typeof loadClient> | undefined;
  let dialect = initialDialect(connection);
  return async (bodyIn, signal) => {
    loading ??= loadClient(connection);
    const { client, isTimeout } = await loading;
    for (;;) {
      let learnt: Dialect | undefined;
      try {
        const call = () => client.post('/chat/completions', { body: bodyIn(dialect), signal }).asResponse();
        return await sendThrough(call, connection, signal, {
          isTimeout,
          map: (_, failure) => {
            learnt = decideDialect(dialect, failure);
            return mapAnswer(connection, failure);
          },
        });
      } catch (error) {
        if (learnt === undefined) throw error;
        dialect = learnt;
      }
    }
  };
}

async function loadClient(connection: Connection) {
  const { OpenAI, APIConnectionTimeoutError } = await import('openai');
  const client = new OpenAI({
    apiKey: connection.apiKey,
    baseURL: connection.endpoint.url,
    fetch: connection.fetch,
    defaultHeaders: connection.headers,
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
