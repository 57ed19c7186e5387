// The Anthropic SDK, imported at the first call: it signs and sends; retries, decoding and errors are ours.
import type { Connection } from '../connection.ts';
import { createAdaptedSend } from '../refused-parameters.ts';
import { type MapAnswer, type Send, sendThrough } from '../send.ts';
import { mapAnswer } from './map-error.ts';
import { optionalParameters } from './optional-parameters.ts';
import { withinLimit } from './thinking.ts';

/** Answers that do not stream may take long to begin; given explicitly, the SDK does not refuse large limits by itself (G3-19). */
const answerTimeoutMs = 600_000;

/** A sender of Messages. The SDK is loaded once, by the first call. */
export function createSend(connection: Connection): Send {
  const adapted = createAdaptedSend(optionalParameters);
  let loading: ReturnType<typeof loadClient> | undefined;
  return async (given, signal) => {
    loading ??= loadClient(connection);
    const { client, isTimeout } = await loading;
    return await adapted({ ...given }, (adaptedBody, refused) => {
      const body = withinLimit(adaptedBody);
      const call = () => client.post('/v1/messages', { body, signal }).asResponse();
      const map: MapAnswer = (to, failure) => {
        refused(failure);
        return mapAnswer(to, failure);
      };
      return sendThrough(call, connection, signal, { map, isTimeout });
    });
  };
}

async function loadClient(connection: Connection) {
  const { Anthropic, APIConnectionTimeoutError } = await import('@anthropic-ai/sdk');
  const client = new Anthropic({
    apiKey: connection.apiKey,
    baseURL: connection.endpoint.identity,
    defaultQuery: Object.fromEntries(new URLSearchParams(connection.endpoint.query)),
    fetch: connection.fetch,
    defaultHeaders: { ...gatewayHeaders(connection), ...connection.headers },
    maxRetries: 0,
    timeout: answerTimeoutMs,
    logLevel: 'off',
    // Left out, the SDK would read it from the process environment.
    webhookKey: null,
  });
  return { client, isTimeout: (error: unknown) => error instanceof APIConnectionTimeoutError };
}

/** The SDK sends the key as a bearer token; gateways that speak this API were built for the older header. */
function gatewayHeaders({ endpoint, vendor, apiKey }: Connection): Readonly<Record<string, string>> {
  return endpoint.identity === vendor.defaultBaseUrl ? {} : { 'x-api-key': apiKey };
}
