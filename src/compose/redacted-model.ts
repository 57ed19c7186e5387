// A model whose answers are redacted where they enter the history: it may say what it was never told (a secret in a file name, a guess).
import type { LLMProvider, ModelResponse } from '../engine/ports.ts';
import type { Message, Part } from '../schema/message.ts';
import type { StreamChunk } from '../schema/stream.ts';
import { redactParts } from './redact-parts.ts';

/** What takes secrets out, and what finds them. */
export interface SecretFilter {
  readonly secrets: (text: string) => string;
  readonly scan: (text: string) => { readonly exact: boolean };
}

/**
 * `provider` with registered secrets taken out of texts and tool arguments. A vendor's own blocks (thinking) go back byte for byte or
 * not at all: with a hit they are dropped whole (DESIGN.md, Redaction). Deltas of a stream are shown as they come and are not stored.
 */
export function redactModel(provider: LLMProvider, filter: SecretFilter): LLMProvider {
  return {
    generate: async (request, context) => redactResponse(await provider.generate(request, context), filter),
    generateStream: (request, context) => redactStream(provider.generateStream(request, context), filter),
  };
}

async function* redactStream(stream: AsyncIterable<StreamChunk>, filter: SecretFilter): AsyncGenerator<StreamChunk> {
  for await (const chunk of stream) yield chunk.type === 'done' ? { ...chunk, ...redactResponse(chunk, filter) } : chunk;
}

function redactResponse(response: ModelResponse, filter: SecretFilter): ModelResponse {
  const { message } = response;
  const redacted: Message = {
    ...message,
    content: redactParts(withoutHits(message.content, filter), filter.secrets),
    ...(message.finishDetail === undefined ? {} : { finishDetail: filter.secrets(message.finishDetail) }),
    ...(message.toolCalls === undefined
      ? {}
      : { toolCalls: message.toolCalls.map((call) => ({ ...call, arguments: filter.secrets(call.arguments) })) }),
  };
  return { ...response, message: redacted };
}

/** A vendor takes its own blocks of an answer back all together or not at all: where one holds a registered secret, all of them go. */
function withoutHits(parts: readonly Part[], { scan }: SecretFilter): readonly Part[] {
  const isHit = parts.some((part) => part.type === 'opaque' && scan(JSON.stringify(part.value) ?? '').exact);
  return isHit ? parts.filter(({ type }) => type !== 'opaque') : parts;
}
