// The Anthropic Messages provider: one request, blocking or streaming. Retries are a decorator's.
import { requireNode24 } from '../../schema/node-version.ts';
import type { StreamChunk } from '../../schema/stream.ts';
import { type Connection, type ProviderOptions, parseConnection, type Vendor } from '../connection.ts';
import { malformedError } from '../fault.ts';
import { withErrorChunk } from '../finish-stream.ts';
import type { LLMProvider, ModelRequest, ModelResponse } from '../port.ts';
import { isEventStream, loadEvents, loadJson } from '../response-body.ts';
import type { Send } from '../send.ts';
import { createSend } from './anthropic-client.ts';
import { markCache } from './cache-marks.ts';
import { convertMessages, convertSystem } from './convert-messages.ts';
import { convertTools } from './convert-tools.ts';
import { readResponse } from './read-response.ts';
import { readStream } from './read-stream.ts';

const anthropic: Vendor = {
  provider: 'anthropic',
  keyVariable: 'ANTHROPIC_API_KEY',
  urlVariable: 'ANTHROPIC_BASE_URL',
  defaultBaseUrl: 'https://api.anthropic.com',
  // The SDK adds /v1/messages by itself (G3-18).
  endings: ['/messages', '/v1'],
};

/** Above this an answer may take over ten minutes, longer than many gateways keep a silent connection (G3-19). */
const maxBlockingTokens = 21_333;

/**
 * A provider for `model`; `maxTokens` limits one answer. Key and base URL: the options, else ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL of
 * `options.env` (default: the process environment). Throws a Harness9Error for a missing key and for a base URL that must not be used.
 */
export function createAnthropicProvider(model: string, maxTokens = 4096, options: ProviderOptions = {}): LLMProvider {
  requireNode24();
  const connection = parseConnection(anthropic, model, options);
  const call: Call = { connection, send: createSend(connection), maxTokens: options.maxOutputTokens ?? maxTokens };
  return {
    generate: (request, { signal }) =>
      call.maxTokens > maxBlockingTokens
        ? lastOf(streamAnswer(request, call, signal), call)
        : generateAnswer(request, call, signal),
    generateStream: (request, { signal }) => withErrorChunk(streamAnswer(request, call, signal)),
  };
}

interface Call {
  readonly connection: Connection;
  readonly send: Send;
  readonly maxTokens: number;
}

async function generateAnswer(request: ModelRequest, call: Call, signal: AbortSignal): Promise<ModelResponse> {
  const response = await call.send(renderBody(request, call), signal);
  return readResponse(await loadJson(response, call.connection, signal), call.connection, seedOf(request));
}

async function* streamAnswer(request: ModelRequest, call: Call, signal: AbortSignal): AsyncGenerator<StreamChunk> {
  const { connection } = call;
  const response = await call.send({ ...renderBody(request, call), stream: true }, signal);
  if (isEventStream(response)) {
    yield* readStream(loadEvents(response, connection, signal), connection, seedOf(request));
    return;
  }
  const { message, usage } = readResponse(await loadJson(response, connection, signal), connection, seedOf(request));
  yield { type: 'done', message, usage };
}

async function lastOf(chunks: AsyncIterable<StreamChunk>, call: Call): Promise<ModelResponse> {
  for await (const chunk of chunks) {
    if (chunk.type === 'done') return { message: chunk.message, usage: chunk.usage };
  }
  throw malformedError(call.connection, 'a stream without an end');
}

function renderBody(request: ModelRequest, { connection, maxTokens }: Call): object {
  const { system, tools, messages } = markCache(
    {
      system: convertSystem(request.messages),
      tools: convertTools(request.tools),
      turns: convertMessages(request.messages, connection.origin),
    },
    request.tailStart,
  );
  return {
    model: connection.model,
    max_tokens: maxTokens,
    ...(system.length === 0 ? {} : { system }),
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length > 0 && request.toolChoice === 'none' ? { tool_choice: { type: 'none' } } : {}),
  };
}

/** Grows with the history, so that synthesised call ids do not repeat from turn to turn. */
function seedOf(request: ModelRequest): string {
  return String(request.messages.length);
}
