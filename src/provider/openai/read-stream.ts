// A Chat Completions stream to our chunks: deltas as they come, the whole message once at the end.
import type { StreamChunk } from '../../schema/stream.ts';
import type { Connection } from '../connection.ts';
import { transportError } from '../fault.ts';
import { doneMark } from '../response-body.ts';
import { ToolCallAccumulator } from '../tool-call-accumulator.ts';
import { parseCompletion, renderAnswer, textOfContent, textOfField } from './read-response.ts';
import { reasoningFields, type WireMessage, type WireUsage } from './wire.ts';

/** Yields deltas and one `done`. Throws a ProviderError for an error object and for a stream that was cut before its finish (G2-24). */
export async function* readStream(events: AsyncIterable<unknown>, connection: Connection): AsyncGenerator<StreamChunk> {
  const assembly = new Assembly();
  let isFinished = false;
  let finishReason: string | undefined;
  let usage: WireUsage | undefined;
  for await (const event of events) {
    if (event === doneMark) {
      isFinished = true;
      break;
    }
    const chunk = parseCompletion(event, connection);
    usage = chunk.usage ?? usage;
    const choice = chunk.choices?.find((one) => (one.index ?? 0) === 0);
    // The delta before the reason: a call and its finish may share a chunk (G2-13).
    const delta = choice?.delta ?? choice?.message;
    if (delta) yield* assembly.add(delta);
    if (choice?.finish_reason) {
      finishReason = choice.finish_reason;
      isFinished = true;
    }
  }
  if (!isFinished) throw transportError(connection, 'the answer was cut off before its end');
  yield { type: 'done', ...renderAnswer(assembly.finish(finishReason, usage), connection) };
}

/** The parts of an answer, growing. */
class Assembly {
  #text = '';
  #refusal = '';
  readonly #reasoning: Record<string, string> = {};
  readonly #calls = new ToolCallAccumulator();

  add(delta: WireMessage): readonly StreamChunk[] {
    const text = textOfContent(delta);
    const thoughts = reasoningFields.map((field) => {
      const value = textOfField(delta, field);
      this.#reasoning[field] = (this.#reasoning[field] ?? '') + value;
      return value;
    });
    this.#text += text;
    this.#refusal += delta.refusal ?? '';
    for (const call of delta.tool_calls ?? []) {
      this.#calls.add({ index: call.index, id: call.id, name: call.function?.name, arguments: call.function?.arguments });
    }
    // Servers that send both names send the same text in them.
    const thought = thoughts.find((value) => value !== '');
    return [
      ...(thought === undefined ? [] : [{ type: 'thinking_delta' as const, delta: thought }]),
      ...(text === '' ? [] : [{ type: 'text_delta' as const, delta: text }]),
    ];
  }

  finish(finishReason: string | undefined, usage: WireUsage | undefined) {
    return {
      text: this.#text,
      refusal: this.#refusal,
      reasoning: this.#reasoning,
      calls: this.#calls.finish(),
      finishReason,
      usage,
    };
  }
}
