// The end of every stream: a failed call becomes its one `error` chunk; an abort stays an exception.
import { ProviderError, type StreamChunk } from '../schema/stream.ts';

/** Passes the chunks on; a ProviderError becomes `error`. Anything else (an abort, a fault of ours) is thrown on. */
export async function* withErrorChunk(chunks: AsyncIterable<StreamChunk>): AsyncGenerator<StreamChunk> {
  try {
    yield* chunks;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    yield { type: 'error', error: error.fault };
  }
}
