// The provider port as this folder implements it; it matches the engine's by shape and must not import it.
import type { CallContext, ModelRequest, ModelResponse } from '../schema/model-call.ts';
import type { StreamChunk } from '../schema/stream.ts';

/** `generate` rejects with a ProviderError, `generateStream` ends in one `done` or `error`; on abort both reject with the signal's reason. */
export interface LLMProvider {
  generate(request: ModelRequest, context: CallContext): Promise<ModelResponse>;
  generateStream(request: ModelRequest, context: CallContext): AsyncIterable<StreamChunk>;
}
