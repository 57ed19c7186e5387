// A provider over one vendor's wire: one request, whole or streamed, and what to do when a server answers in the other form.

import type { ModelRequest, ModelResponse } from '../schema/model-call.ts';
import { ProviderError, type StreamChunk, withErrorChunk } from '../schema/stream.ts';
import { startAttempt } from './attempt-time.ts';
import { openBody } from './body-form.ts';
import type { Connection } from './connection.ts';
import { begunError, malformedError } from './fault.ts';
import { createPictureGate, isPictureRefusal, type PictureGate, withoutPictures } from './pictures.ts';
import type { LLMProvider } from './port.ts';
import { loadEvents, loadJson } from './response-body.ts';
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
  const pictures = createPictureGate(given.connection);
  const wire = { ...given, send: createSend(given.send, pictures) };
  const ask = (request: ModelRequest, mode: 'whole' | 'stream', signal: AbortSignal) =>
    noted(answer(request, mode, wire, signal), () => pictures.notesOn(request));
  let { alwaysStreams } = wire;
  return {
    async generate(request, { signal }) {
      if (!alwaysStreams) {
        try {
          return await wholeOf(ask(request, 'whole', signal), wire.connection);
        } catch (error) {
          if (!isStreamOnly(error)) throw error;
          alwaysStreams = true;
        }
      }
      return await wholeOf(ask(request, 'stream', signal), wire.connection);
    },
    generateStream: (request, { signal }) => withErrorChunk(ask(request, 'stream', signal)),
  };
}

/** What is to be said is known once the request was answered. */
async function* noted(stream: AsyncIterable<StreamChunk>, notesNow: () => readonly string[]): AsyncGenerator<StreamChunk> {
  for await (const chunk of stream) {
    if (chunk.type === 'done') {
      const notes = notesNow();
      yield notes.length === 0 ? chunk : { ...chunk, notes };
    } else yield chunk;
  }
}

/** Pictures stay in a history: one that the server refuses would make it refuse every later request of the conversation. */
function createSend(send: Wire['send'], pictures: PictureGate): Wire['send'] {
  return async (request, mode, signal) => {
    const asked = pictures.admit(request);
    try {
      return await send(asked, mode, signal);
    } catch (error) {
      if (!isPictureRefusal(error, asked)) throw error;
    }
    const response = await send(withoutPictures(request), mode, signal);
    pictures.close();
    return response;
  };
}

async function wholeOf(chunks: AsyncIterable<StreamChunk>, connection: Connection): Promise<ModelResponse> {
  for await (const chunk of chunks) {
    if (chunk.type !== 'done') continue;
    const { type: _, ...response } = chunk;
    return response;
  }
  throw malformedError(connection, 'a stream without an end');
}

/** The chunks of an answer; some gateways stream whatever they are asked for, and some servers never do. */
async function* answer(
  request: ModelRequest,
  mode: 'whole' | 'stream',
  wire: Wire,
  signal: AbortSignal,
): AsyncGenerator<StreamChunk> {
  const { connection } = wire;
  using time = startAttempt(connection, mode, signal);
  const { isStream, response } = await openBody(await wire.send(request, mode, time.signal), time.signal);
  time.begun();
  if (isStream) yield* readEventStream(response, wire, time.signal);
  else yield { type: 'done', ...wire.readResponse(await loadJson(response, connection, time.signal), connection) };
}

/** What comes after the first event fails in the middle of an answer, which is paid for. */
async function* readEventStream(response: Response, { connection, readStream }: Wire, signal: AbortSignal) {
  let hasBegun = false;
  async function* events(): AsyncGenerator<unknown> {
    for await (const event of loadEvents(response, connection, signal)) {
      yield event;
      hasBegun = true;
    }
  }
  try {
    yield* readStream(events(), connection);
  } catch (error) {
    throw hasBegun && error instanceof ProviderError ? begunError(error) : error;
  }
}
