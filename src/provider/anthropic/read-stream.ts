// A Messages stream to our chunks: deltas as they come, the whole message once at the end.
import { ProviderError, type StreamChunk } from '../../schema/stream.ts';
import type { Connection } from '../connection.ts';
import { hasWords } from '../error-body.ts';
import { malformedError, transportError } from '../fault.ts';
import { mapErrorObject } from '../map-error.ts';
import { doneMark, isLoss } from '../response-body.ts';
import { BlockAssembly } from './block-assembly.ts';
import { readUsage, renderAnswer } from './read-response.ts';
import { anyEventSchema, eventSchema, type WireDelta, type WireEvent, type WireStopDetails, type WireUsage } from './wire.ts';

interface Progress {
  readonly blocks: BlockAssembly;
  readonly open: Set<number>;
  usage: WireUsage | undefined;
  stopReason: string | undefined;
  stopDetails: WireStopDetails | undefined;
  isStopped: boolean;
  /** The latest event that is no part of an answer and has words: where no answer comes of it all, they say why. */
  said?: unknown;
}

/** Yields deltas and one `done`. Throws a ProviderError for an error event (G3-10) and for a stream that was cut before its end. */
export async function* readStream(events: AsyncIterable<unknown>, connection: Connection): AsyncGenerator<StreamChunk> {
  const progress: Progress = {
    blocks: new BlockAssembly(),
    open: new Set(),
    usage: undefined,
    stopReason: undefined,
    stopDetails: undefined,
    isStopped: false,
  };
  try {
    for await (const data of events) {
      const event = data === doneMark ? undefined : parseEvent(data, connection);
      if (event !== undefined) {
        take(event, progress, connection);
        yield* deltasOf(event);
      } else if (hasWords(data)) progress.said = data;
      if (progress.isStopped) break;
    }
    if (!isWhole(progress)) throw endedEarly(progress, connection);
  } catch (error) {
    if (progress.stopReason === undefined || !isWhole(progress) || !isLoss(error)) throw withSpending(error, progress);
  }
  const { stopReason, stopDetails, usage } = progress;
  const answer = { content: progress.blocks.finish(), stop_reason: stopReason, stop_details: stopDetails, usage };
  yield { type: 'done', ...renderAnswer(answer, connection) };
}

/** A reason with every block closed is a whole answer, even if the last event was lost; so is the last event, unless a block is open still. */
function isWhole({ stopReason, open, isStopped }: Progress): boolean {
  return stopReason === undefined ? isStopped && open.size === 0 : isStopped || open.size === 0;
}

function endedEarly({ said }: Progress, connection: Connection): ProviderError {
  return said === undefined
    ? transportError(connection, 'the answer was cut off before its end')
    : mapErrorObject(connection, said);
}

/** The fault with as much of the usage as was told; that such a call is paid for, wire-provider.ts says. */
function withSpending(error: unknown, { usage }: Progress): unknown {
  if (!(error instanceof ProviderError) || usage === undefined) return error;
  return new ProviderError({ ...error.fault, usage: readUsage(usage) }, error.cause);
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
      throw mapErrorObject(connection, event.error ?? event);
    case 'message_start':
      progress.usage = event.message.usage ?? {};
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
      progress.stopDetails = event.delta?.stop_details ?? progress.stopDetails;
      progress.usage = largest(progress.usage ?? {}, event.usage ?? {});
      return;
    case 'message_stop':
      progress.isStopped = true;
  }
}

/** Usage is cumulative; gateways leave fields of the first or the last one out, or set them to 0. */
function largest(first: WireUsage, last: WireUsage): WireUsage {
  const most = (a: number | null | undefined, b: number | null | undefined) =>
    typeof a === 'number' && typeof b === 'number' ? Math.max(a, b) : (b ?? a);
  return {
    input_tokens: most(first.input_tokens, last.input_tokens),
    output_tokens: most(first.output_tokens, last.output_tokens),
    cache_read_input_tokens: most(first.cache_read_input_tokens, last.cache_read_input_tokens),
    cache_creation_input_tokens: most(first.cache_creation_input_tokens, last.cache_creation_input_tokens),
    output_tokens_details: last.output_tokens_details ?? first.output_tokens_details,
  };
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
