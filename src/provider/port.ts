// The provider port as this folder implements it; it matches the engine's by shape and must not import it.
import type { Message, ToolDefinition, Usage } from '../schema/message.ts';
import type { StreamChunk } from '../schema/stream.ts';

/** What every call brings along: the signal that ends it, and the engine's own context, which is only carried. */
export interface CallContext {
  readonly signal: AbortSignal;
  readonly run: Readonly<Record<symbol, unknown>>;
}

/** `messages` from `tailStart` on are outgoing-only, so a cache breakpoint stands before them. `toolChoice: none` still sends the tools. */
export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: 'auto' | 'none';
  readonly tailStart: number;
}

export interface ModelResponse {
  readonly message: Message;
  readonly usage: Usage | undefined;
}

/** `generate` rejects with a ProviderError, `generateStream` ends in one `done` or `error`; on abort both reject with the signal's reason. */
export interface LLMProvider {
  generate(request: ModelRequest, context: CallContext): Promise<ModelResponse>;
  generateStream(request: ModelRequest, context: CallContext): AsyncIterable<StreamChunk>;
}
