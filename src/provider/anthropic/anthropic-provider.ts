// The Anthropic Messages provider: how a request is written, and who reads the answer.

import type { ModelRequest } from '../../schema/model-call.ts';
import { requireNode24 } from '../../schema/node-version.ts';
import type { ReasoningEffort } from '../../schema/settings.ts';
import { type Connection, type ProviderOptions, parseConnection, type Vendor } from '../connection.ts';
import type { LLMProvider } from '../port.ts';
import type { Body } from '../refused-parameters.ts';
import { createSend } from '../send.ts';
import { createWireProvider } from '../wire-provider.ts';
import { loadClient } from './anthropic-client.ts';
import { markCache } from './cache-marks.ts';
import { convertMessages, convertSystem } from './convert-messages.ts';
import { convertTools } from './convert-tools.ts';
import { optionalParameters } from './optional-parameters.ts';
import { readResponse } from './read-response.ts';
import { readStream } from './read-stream.ts';
import { mayThink, renderThinking, roomForThinking } from './thinking.ts';

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
 * A provider for `model`; `maxTokens` limits one answer, its thinking apart; `options.maxOutputTokens` limits both together. Key and base URL: the options, else ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL of
 * `options.env` (default: the process environment). Throws a Harness9Error for a missing key and for a base URL that must not be used.
 */
export function createAnthropicProvider(model: string, maxTokens = 4096, options: ProviderOptions = {}): LLMProvider {
  requireNode24();
  const connection = parseConnection(anthropic, model, options);
  const effort = options.reasoningEffort;
  const limit = options.maxOutputTokens ?? maxTokens + roomForThinking(model, effort);
  const send = createSend(connection, { loadClient, parameters: optionalParameters });
  return createWireProvider({
    connection,
    send: (request, mode, signal) => send(renderBody(request, connection, { mode, limit, effort }), signal),
    readResponse,
    readStream,
    alwaysStreams: limit > maxBlockingTokens,
  });
}

/** What all requests of a provider have in common. */
interface Form {
  readonly limit: number;
  readonly effort: ReasoningEffort | undefined;
}

/** What grows comes last, and what differs in a run's last request behind it, so that each request begins with the bytes of the one before. */
function renderBody(
  request: ModelRequest,
  connection: Connection,
  { mode, limit, effort }: Form & { readonly mode: 'whole' | 'stream' },
): Body {
  const turns = convertMessages(request.messages, connection.origin);
  const { system, tools, messages } = markCache(
    { system: convertSystem(request.messages), tools: convertTools(request.tools), turns },
    request.tailStart,
  );
  const form = renderThinking(connection.model, effort, limit);
  const thinks = form.thinking !== undefined && (form.thinking.type !== 'enabled' || mayThink(turns));
  const outputConfig = {
    ...(form.effort === undefined ? {} : { effort: form.effort }),
    ...(sendsSchema(request, connection) ? { format: { type: 'json_schema', schema: request.outputSchema } } : {}),
  };
  return {
    model: connection.model,
    max_tokens: limit,
    ...(mode === 'stream' ? { stream: true } : {}),
    ...(thinks ? { thinking: form.thinking } : {}),
    ...(tools.length === 0 ? {} : { tools }),
    ...(system.length === 0 ? {} : { system }),
    messages,
    ...(tools.length > 0 && request.toolChoice === 'none' ? { tool_choice: { type: 'none' } } : {}),
    ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
  };
}

/** The vendor's own API constrains the answer and leaves calls alone; of other servers nobody knows, so they are asked where no call can be made. */
function sendsSchema({ outputSchema, toolChoice }: ModelRequest, { endpoint, vendor }: Connection): boolean {
  return outputSchema !== undefined && (toolChoice === 'none' || endpoint.identity === vendor.defaultBaseUrl);
}
