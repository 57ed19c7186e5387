// A Chat Completions stream to our chunks: deltas as they come, the whole message once at the end.
import type { StreamChunk } from '../../schema/stream.ts';
import type { Connection } from '../connection.ts';
import { hasWords } from '../error-body.ts';
import { malformedError, transportError } from '../fault.ts';
import { textField } from '../lenient.ts';
import { mapErrorObject } from '../map-error.ts';
import { doneMark, isLoss } from '../response-body.ts';
import { ToolCallAccumulator } from '../tool-call-accumulator.ts';
import { type Answer, parseCompletion, renderAnswer, textOfContent } from './read-response.ts';
import { textOfDetail, withPiece } from './reasoning-details.ts';
import { callExtra, reasoningDetails, reasoningFields, type WireDetail, type WireMessage, type WireUsage } from './wire.ts';

/** Yields deltas and one `done`. Throws a ProviderError for an error object and for a stream that was cut before its finish (G2-24). */
export async function* readStream(events: AsyncIterable<unknown>, connection: Connection): AsyncGenerator<StreamChunk> {
  const progress: Progress = { assembly: new Assembly(), isDone: false, hasChoice: false };
  try {
    for await (const event of events) {
      if (event === doneMark) {
        progress.isDone = true;
        break;
      }
      yield* take(event, progress, connection);
    }
  } catch (error) {
    if (progress.finishReason === undefined || !isLoss(error)) throw error;
  }
  const { assembly, finishReason, usage, isDone, hasChoice, said } = progress;
  // Gateways write [DONE] behind an answer that broke off, too; what ends in the middle of a call was no end.
  const isWhole = finishReason !== undefined || (isDone && !assembly.hasHalfCall);
  if ((!isWhole || !hasChoice) && said !== undefined) throw mapErrorObject(connection, said);
  if (!isWhole) throw transportError(connection, 'the answer was cut off before its end');
  if (!hasChoice) throw malformedError(connection, 'an answer without a choice');
  yield { type: 'done', ...renderAnswer({ ...assembly.finish(), finishReason, usage }, connection) };
}

interface Progress {
  readonly assembly: Assembly;
  isDone: boolean;
  hasChoice: boolean;
  finishReason?: string | undefined;
  usage?: WireUsage | undefined;
  /** The latest event that is no part of an answer and has words: where no answer comes of it all, they say why. */
  said?: unknown;
}

function take(event: unknown, progress: Progress, connection: Connection): readonly StreamChunk[] {
  const chunk = parseCompletion(event, connection);
  const choice = chunk.choices?.find((one) => (one.index ?? 0) === 0);
  if (hasWords(chunk)) progress.said = event;
  progress.usage = chunk.usage ?? choice?.usage ?? progress.usage;
  progress.hasChoice ||= choice !== undefined;
  progress.finishReason = choice?.finish_reason || progress.finishReason;
  const delta = choice?.delta ?? choice?.message;
  // The delta whatever the reason: a call and its finish may share a chunk (G2-13).
  return delta ? progress.assembly.add(delta) : [];
}

/** The parts of an answer, growing. */
class Assembly {
  #text = '';
  #refusal = '';
  #details: readonly WireDetail[] = [];
  readonly #reasoning: Record<string, string> = {};
  readonly #calls = new ToolCallAccumulator();

  add(delta: WireMessage): readonly StreamChunk[] {
    const text = textOfContent(delta);
    this.#text += text;
    this.#refusal += delta.refusal ?? '';
    const details = delta[reasoningDetails] ?? [];
    this.#details = details.reduce(withPiece, this.#details);
    for (const call of delta.tool_calls ?? []) {
      const { index, id, function: called, [callExtra]: extra } = call;
      this.#calls.add({ index, id, name: called?.name, arguments: called?.arguments, extra });
    }
    // Servers that send several forms send the same text in them.
    const thought = [...this.#addReasoning(delta), details.map(textOfDetail).join('')].find((value) => value !== '');
    return [
      ...(thought === undefined ? [] : [{ type: 'thinking_delta' as const, delta: thought }]),
      ...(text === '' ? [] : [{ type: 'text_delta' as const, delta: text }]),
    ];
  }

  get hasHalfCall(): boolean {
    return this.#calls.hasHalfCall;
  }

  finish(): Omit<Answer, 'finishReason' | 'usage'> {
    return {
      text: this.#text,
      refusal: this.#refusal,
      reasoning: this.#reasoning,
      details: this.#details,
      calls: this.#calls.finish(),
      extras: this.#calls.extras(),
    };
  }

  #addReasoning(delta: WireMessage): readonly string[] {
    return reasoningFields.map((field) => {
      const value = textField(delta, field);
      this.#reasoning[field] = (this.#reasoning[field] ?? '') + value;
      return value;
    });
  }
}
