// What spans say, without a word of content: names of the OpenTelemetry semantic conventions for generative AI v0.1.0 (the first release
// of their own, after v1.41 of the common ones), `harness9.*` where they have none. Pure.
import type { Attributes } from '@opentelemetry/api';
import type { Message, ToolCall, ToolResult, Usage } from '../../schema/message.ts';

/** The model as it is asked for. `provider` is the conventions' name: `openai`, `anthropic`… */
export interface TracedModel {
  readonly provider: string;
  readonly model: string;
}

/** What the model may call a tool that there is not: its own words, so not told. */
const unknownTool = 'unknown';
/** Ids are an endpoint's, and some hold the tool's name; no vendor's looks otherwise. */
const idForm = /^[\w.:-]{1,128}$/;

export function agentAttributes(agentName: string, conversationId: string | undefined): Attributes {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': agentName,
    'gen_ai.conversation.id': conversationId,
  };
}

export function chatAttributes(
  { provider, model }: TracedModel,
  conversationId: string | undefined,
  isStream: boolean,
): Attributes {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'gen_ai.conversation.id': conversationId,
    // The conventions want it when it is true only.
    ...(isStream ? { 'gen_ai.request.stream': true } : {}),
  };
}

export function answerAttributes({ origin, finishReason }: Message, usage: Usage | undefined): Attributes {
  return {
    'gen_ai.response.model': origin?.model,
    'gen_ai.response.finish_reasons': finishReason === undefined ? undefined : [finishReason],
    ...serverAttributes(origin?.endpoint),
    ...(usage === undefined ? {} : usageAttributes(usage)),
  };
}

function usageAttributes(usage: Usage): Attributes {
  return {
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheReadTokens,
    'gen_ai.usage.cache_write.input_tokens': usage.cacheWriteTokens,
    // Its name until v1.41, which most receivers know.
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
  };
}

function serverAttributes(endpoint: string | undefined): Attributes {
  const url = endpoint === undefined ? null : URL.parse(endpoint);
  if (url === null || url.hostname === '') return {};
  const defaultPort = url.protocol === 'https:' ? 443 : 80;
  return { 'server.address': url.hostname, 'server.port': url.port === '' ? defaultPort : Number(url.port) };
}

export function toolName(call: ToolCall, isKnown: boolean): string {
  return isKnown ? call.name : unknownTool;
}

export function toolAttributes(call: ToolCall, isKnown: boolean): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': toolName(call, isKnown),
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': isKnown && idForm.test(call.id) ? call.id : undefined,
  };
}

export function resultAttributes({ exit }: ToolResult): Attributes {
  return { 'process.exit.code': exit?.code ?? undefined };
}

/** The kind of failure that a result tells the model of; undefined: it is none. */
export function resultErrorType({ isError, exit }: ToolResult): string | undefined {
  if (!isError) return undefined;
  return exit?.timedOut === true ? 'timeout' : 'tool_error';
}
