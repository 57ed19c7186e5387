// The OpenAI SDK, imported at the first call.
import type { Connection } from '../connection.ts';
import { answerTimeoutMs, type Client } from '../send.ts';
import { factsOf } from './server-facts.ts';

/** A client of Chat Completions. */
export async function loadClient(connection: Connection): Promise<Client> {
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
  return {
    post: (body, signal) => client.post('/chat/completions', { body, signal }).asResponse(),
    isTimeout: (error) => error instanceof APIConnectionTimeoutError,
  };
}

function keyHeaders(connection: Connection): Readonly<Record<string, string | null>> {
  const { keyHeader } = factsOf(connection);
  return keyHeader === undefined ? {} : { [keyHeader]: connection.apiKey, authorization: null };
}
