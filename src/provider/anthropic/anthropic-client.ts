// The Anthropic SDK, imported at the first call.
import type { Connection } from '../connection.ts';
import { answerTimeoutMs, type Client } from '../send.ts';
import { withinLimit } from './thinking.ts';

/** A client of Messages. */
export async function loadClient(connection: Connection): Promise<Client> {
  const { Anthropic, APIConnectionTimeoutError } = await import('@anthropic-ai/sdk');
  const client = new Anthropic({
    apiKey: connection.apiKey,
    baseURL: connection.endpoint.identity,
    defaultQuery: Object.fromEntries(new URLSearchParams(connection.endpoint.query)),
    fetch: connection.fetch,
    defaultHeaders: { ...gatewayHeaders(connection), ...connection.headers },
    maxRetries: 0,
    // Given explicitly, the SDK does not refuse large limits by itself (G3-19).
    timeout: answerTimeoutMs,
    logLevel: 'off',
    // Left out, the SDK would read it from the process environment.
    webhookKey: null,
  });
  return {
    post: (body, signal) => client.post('/v1/messages', { body: withinLimit(body), signal }).asResponse(),
    isTimeout: (error) => error instanceof APIConnectionTimeoutError,
  };
}

/** The SDK sends the key as a bearer token; gateways that speak this API were built for the older header. */
function gatewayHeaders({ endpoint, vendor, apiKey }: Connection): Readonly<Record<string, string>> {
  return endpoint.identity === vendor.defaultBaseUrl ? {} : { 'x-api-key': apiKey };
}
