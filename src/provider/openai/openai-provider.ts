// The OpenAI-compatible Chat Completions provider: how a request is written, and who reads the answer.

import type { ModelRequest } from '../../schema/model-call.ts';
import { requireNode24 } from '../../schema/node-version.ts';
import { type Connection, type ProviderOptions, parseConnection, type Vendor } from '../connection.ts';
import type { LLMProvider } from '../port.ts';
import type { Body } from '../refused-parameters.ts';
import { createSend } from '../send.ts';
import { createWireProvider } from '../wire-provider.ts';
import { convertMessages } from './convert-messages.ts';
import { convertTools } from './convert-tools.ts';
import { loadClient } from './openai-client.ts';
import { optionalParameters } from './optional-parameters.ts';
import { outputFormat } from './output-format.ts';
import { readResponse } from './read-response.ts';
import { readStream } from './read-stream.ts';
import { completeAddress, factsOf, type ServerFacts } from './server-facts.ts';

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
  const connection = completeAddress(parseConnection(openai, model, options));
  const facts = factsOf(connection);
  const send = createSend(connection, { loadClient, parameters: optionalParameters(facts) });
  return createWireProvider({
    connection,
    send: (request, mode, signal) => send(renderBody(request, connection, { mode, facts, options }), signal),
    readResponse,
    readStream,
    alwaysStreams: false,
  });
}

interface Parameters {
  readonly mode: 'whole' | 'stream';
  readonly facts: ServerFacts;
  readonly options: Pick<ProviderOptions, 'maxOutputTokens' | 'reasoningEffort'>;
}

/**
 * What grows comes last, and what differs in a run's last request behind it, so that each request begins with the bytes of the one
 * before. Parameters that nobody set are not sent: newer models refuse some, older servers others (G2-19).
 */
function renderBody(request: ModelRequest, { model, origin }: Connection, { mode, facts, options }: Parameters): Body {
  const tools = convertTools(request.tools);
  const { maxOutputTokens, reasoningEffort } = options;
  const mayCall = tools.length > 0 && request.toolChoice === 'auto';
  const format = request.outputSchema === undefined ? undefined : outputFormat(request.outputSchema);
  return {
    model,
    ...(maxOutputTokens === undefined ? {} : { [facts.limitName]: maxOutputTokens }),
    ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
    ...(mode === 'stream' ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...(tools.length === 0 ? {} : { tools }),
    messages: convertMessages(request.messages, origin),
    ...(tools.length > 0 && !mayCall ? { tool_choice: 'none' } : {}),
    ...(format === undefined || (mayCall && !facts.takesSchemaBesideTools) ? {} : { response_format: format }),
  };
}
