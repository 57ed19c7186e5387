// A provider over one vendor's wire: one request, whole or streamed, and what to do when a server answers in the other form.

import type { ModelRequest, ModelResponse } from '../schema/model-call.ts';
import type { StreamChunk } from '../schema/stream.ts';
import type { Connection } from './connection.ts';
import { malformedError } from './fault.ts';
import { withErrorChunk } from './finish-stream.ts';
import { isPictureRefusal, withoutPictures } from './pictures.ts';
import type { LLMProvider } from './port.ts';
import { isEventStream, loadEvents, loadJson } from './response-body.ts';
import { isStreamOnly } from './stream-only.ts';

/** What a vendor's adapter knows. */
export interface Wire {
  readonly connection: Connection;
  /** Sends the request; resolves with the answer once its status is known to be good. */
  readonly send: (request: ModelRequest, mode: 'whole' | 'stream', signal: AbortSignal) => Promise<Response>;
  readonly readResponse: (body: unknown, connection: Connection) => ModelResponse;
  readonly readStream: (events: AsyncIterable<unknown>, connection: Connection) => AsyncIterable<StreamChunk>;
  /** Whole answers are asked for as streams too: they may take longer than a silent connection lives. */
  readonly alwaysStreams: boolean;
}

/** Both verbs of the port. Retries are a decorator's. */
export function createWireProvider(given: Wire): LLMProvider {
  const wire = { ...given, send: createSend(given.send) };
  let { alwaysStreams } = wire;
  return {
    async generate(request, { signal }) {
      if (!alwaysStreams) {
        try {
          return await generateWhole(request, wire, signal);
        } catch (error) {
          if (!isStreamOnly(error)) throw error;
          alwaysStreams = true;
        }
      }
      return await generateByStream(request, wire, signal);
    },
    generateStream: (request, { signal }) => withErrorChunk(streamAnswer(request, wire, signal)),
  };
}

/** Pictures stay in a history: one that the server refuses would make it refuse every later request of the conversation. */
function createSend(send: Wire['send']): Wire['send'] {
  let takesPictures = true;
  return async (request, mode, signal) => {
    const asked = takesPictures ? request : withoutPictures(request);
    try {
      return await send(asked, mode, signal);
    } catch (error) {
      if (!isPictureRefusal(error, asked)) throw error;
    }
    const response = await send(withoutPictures(request), mode, signal);
    takesPictures = false;
    return response;
  };
}

async function generateWhole(request: ModelRequest, wire: Wire, signal: AbortSignal): Promise<ModelResponse> {
  const response = await wire.send(request, 'whole', signal);
  return wire.readResponse(await loadJson(response, wire.connection, signal), wire.connection);
}

async function generateByStream(request: ModelRequest, wire: Wire, signal: AbortSignal): Promise<ModelResponse> {
  for await (const chunk of streamAnswer(request, wire, signal)) {
    if (chunk.type === 'done') return { message: chunk.message, usage: chunk.usage };
  }
  throw malformedError(wire.connection, 'a stream without an end');
}

async function* streamAnswer(request: ModelRequest, wire: Wire, signal: AbortSignal): AsyncGenerator<StreamChunk> {
  const { connection } = wire;
  const response = await wire.send(request, 'stream', signal);
  if (isEventStream(response)) yield* wire.readStream(loadEvents(response, connection, signal), connection);
  else yield { type: 'done', ...wire.readResponse(await loadJson(response, connection, signal), connection) };
}
