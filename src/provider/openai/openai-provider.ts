// The OpenAI-compatible Chat Completions provider: one request, blocking or streaming. Retries are a decorator's.
import { requireNode24 } from '../../schema/node-version.ts';
import type { StreamChunk } from '../../schema/stream.ts';
import { type Connection, type ProviderOptions, parseConnection, type Vendor } from '../connection.ts';
import { withErrorChunk } from '../finish-stream.ts';
import type { LLMProvider, ModelRequest } from '../port.ts';
import { isEventStream, loadEvents, loadJson } from '../response-body.ts';
import { convertMessages } from './convert-messages.ts';
import { convertTools } from './convert-tools.ts';
import type { Dialect } from './dialect.ts';
import { createSend, type SendInDialect } from './openai-client.ts';
import { readResponse } from './read-response.ts';
import { readStream } from './read-stream.ts';

const openai: Vendor = {
  provider: 'openai',
  keyVariable: 'OPENAI_API_KEY',
  urlVariable: 'OPENAI_BASE_URL',
  defaultBaseUrl: 'https://api.openai.com/v1',
  endings: ['/chat/completions'],
};

/**
 * A provider for `model`. Key and base URL: the options, else OPENAI_API_KEY and OPENAI_BASE_URL of `options.env` (default: the process
 * environment). Throws a Harness9Error for a missing key and for a base URL that must not be used.
 */
export function createOpenAIProvider(model: string, options: ProviderOptions = {}): LLMProvider {
  requireNode24();
  const connection = parseConnection(openai, model, options);
  const send = createSend(connection);
  const call: Call = { connection, send, maxOutputTokens: options.maxOutputTokens };
  return {
    generate: async (request, { signal }) => {
      const response = await send((dialect) => renderBody(request, call, dialect), signal);
      return readResponse(await loadJson(response, connection, signal), connection, seedOf(request));
    },
    generateStream: (request, { signal }) => withErrorChunk(streamAnswer(request, call, signal)),
  };
}

interface Call {
  readonly connection: Connection;
  readonly send: SendInDialect;
  readonly maxOutputTokens: number | undefined;
}

async function* streamAnswer(request: ModelRequest, call: Call, signal: AbortSignal): AsyncGenerator<StreamChunk> {
  const { connection } = call;
  const streaming = (dialect: Dialect) => ({
    ...renderBody(request, call, dialect),
    stream: true,
    ...(dialect.hasStreamOptions ? { stream_options: { include_usage: true } } : {}),
  });
  const response = await call.send(streaming, signal);
  if (isEventStream(response)) {
    yield* readStream(loadEvents(response, connection, signal), connection, seedOf(request));
    return;
  }
  const { message, usage } = readResponse(await loadJson(response, connection, signal), connection, seedOf(request));
  yield { type: 'done', message, usage };
}

/** Parameters that nobody set are not sent: newer models refuse some, older servers others (G2-19). */
function renderBody(request: ModelRequest, { connection, maxOutputTokens }: Call, dialect: Dialect): object {
  const tools = convertTools(request.tools);
  return {
    model: connection.model,
    messages: convertMessages(request.messages, connection.origin),
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length > 0 && request.toolChoice === 'none' ? { tool_choice: 'none' } : {}),
    ...(maxOutputTokens === undefined ? {} : { [dialect.limitName]: maxOutputTokens }),
  };
}

/** Grows with the history, so that synthesised call ids do not repeat from turn to turn. */
function seedOf(request: ModelRequest): string {
  return String(request.messages.length);
}
