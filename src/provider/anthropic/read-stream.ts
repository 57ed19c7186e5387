// A Messages stream to our chunks: deltas as they come, the whole message once at the end.
import type { StreamChunk } from '../../schema/stream.ts';
import type { Connection } from '../connection.ts';
import { malformedError, transportError } from '../fault.ts';
import { doneMark } from '../response-body.ts';
import { BlockAssembly } from './block-assembly.ts';
import { mapErrorObject } from './map-error.ts';
import { renderAnswer } from './read-response.ts';
import { anyEventSchema, eventSchema, type WireDelta, type WireEvent, type WireUsage } from './wire.ts';

interface Progress {
  readonly blocks: BlockAssembly;
  readonly open: Set<number>;
  usage: WireUsage | undefined;
  stopReason: string | undefined;
  isStopped: boolean;
}

/** Yields deltas and one `done`. Throws a ProviderError for an error event (G3-10) and for a stream that was cut before its end. */
export async function* readStream(events: AsyncIterable<unknown>, connection: Connection): AsyncGenerator<StreamChunk> {
  const progress: Progress = {
    blocks: new BlockAssembly(),
    open: new Set(),
    usage: undefined,
    stopReason: undefined,
    isStopped: false,
  };
  for await (const data of events) {
    const event = data === doneMark ? undefined : parseEvent(data, connection);
    if (event !== undefined) {
      take(event, progress, connection);
      yield* deltasOf(event);
    }
    if (progress.isStopped) break;
  }
  // A reason with every block closed is a whole answer, even if the last event was lost.
  if (!progress.isStopped && (progress.stopReason === undefined || progress.open.size > 0)) {
    throw transportError(connection, 'the answer was cut off before its end');
  }
  const answer = { content: progress.blocks.finish(), stop_reason: progress.stopReason, usage: progress.usage };
  yield { type: 'done', ...renderAnswer(answer, connection) };
}

/** Known events only: the vendor adds new ones. An error object counts under any name. */
function parseEvent(data: unknown, connection: Connection): WireEvent | undefined {
  const parsed = eventSchema.safeParse(data);
  if (parsed.success) return parsed.data;
  const any = anyEventSchema.safeParse(data);
  if (!any.success || eventSchema.options.some((option) => option.shape.type.value === any.data.type)) {
    throw malformedError(connection, 'an event of an unknown form', parsed.error);
  }
  return any.data.error === undefined ? undefined : { type: 'error', error: any.data.error };
}

function take(event: WireEvent, progress: Progress, connection: Connection): void {
  switch (event.type) {
    case 'error':
      throw mapErrorObject(connection, event.error);
    case 'message_start':
      progress.usage = event.message.usage ?? undefined;
      return;
    case 'content_block_start':
      progress.blocks.start(event.index, event.content_block);
      progress.open.add(event.index);
      return;
    case 'content_block_delta':
      if (!progress.blocks.add(event.index, event.delta)) {
        throw malformedError(connection, `a delta for block ${event.index}, which was never started`);
      }
      return;
    case 'content_block_stop':
      progress.open.delete(event.index);
      return;
    case 'message_delta':
      progress.stopReason = event.delta?.stop_reason ?? progress.stopReason;
      progress.usage = { ...progress.usage, ...withoutBlanks(event.usage ?? {}) };
      return;
    case 'message_stop':
      progress.isStopped = true;
  }
}

/** The last usage is cumulative; what it leaves out keeps the first one's value. */
function withoutBlanks(usage: WireUsage): WireUsage {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined));
}

function deltasOf(event: WireEvent): readonly StreamChunk[] {
  if (event.type === 'content_block_start') {
    const { type, text } = event.content_block;
    return type === 'text' && typeof text === 'string' && text !== '' ? [{ type: 'text_delta', delta: text }] : [];
  }
  return event.type === 'content_block_delta' ? deltaChunks(event.delta) : [];
}

function deltaChunks(delta: WireDelta): readonly StreamChunk[] {
  return [
    ...(delta.thinking ? [{ type: 'thinking_delta' as const, delta: delta.thinking }] : []),
    ...(delta.text ? [{ type: 'text_delta' as const, delta: delta.text }] : []),
  ];
}
