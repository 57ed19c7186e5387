// The two ways to call a model for one turn: whole, or as it streams. All that differs between `run` and `runStream` is here.
import { textOf } from '../schema/message.ts';
import { ProviderError, type ProviderFault } from '../schema/stream.ts';
import { untilAborted } from '../schema/until-aborted.ts';
import type { Log } from '../schema/world.ts';
import type { Emit } from './events.ts';
import type { CallContext, LLMProvider, ModelRequest, ModelResponse } from './ports.ts';

/** `textSoFar`: what a failed or interrupted call had already said; `heard`: with what it had thought. */
export type ModelOutcome =
  | ({ readonly kind: 'answer' } & ModelResponse)
  | { readonly kind: 'failed'; readonly error: unknown; readonly textSoFar: string; readonly heard?: string };

/** One model call. Never rejects; on abort it ends at once, even when the provider does not listen. */
export type Generate = (request: ModelRequest, context: CallContext, turn: number) => Promise<ModelOutcome>;

/** Calls `generate` and prints the text through the log. */
export function createBlockingEmitter(provider: LLMProvider, log: Log): Generate {
  return async (request, context) => {
    try {
      const response = await untilAborted(provider.generate(request, context), context.signal);
      const outcome = outcomeOf(response);
      const text = outcome.kind === 'answer' ? textOf(outcome.message.content) : '';
      if (text.trim() !== '') log(`[assistant] ${text}`);
      return outcome;
    } catch (error) {
      return { kind: 'failed', error, textSoFar: '' };
    }
  };
}

/** Calls `generateStream` and turns its chunks into events. */
export function createStreamingEmitter(provider: LLMProvider, emit: Emit): Generate {
  return async (request, context, turn) => {
    let textSoFar = '';
    let heard = '';
    const failed = (error: unknown): ModelOutcome => ({ kind: 'failed', error, textSoFar, heard });
    try {
      for await (const chunk of abortable(provider.generateStream(request, context), context.signal)) {
        if ('delta' in chunk) heard += chunk.delta;
        switch (chunk.type) {
          case 'text_delta':
            textSoFar += chunk.delta;
            emit({ type: 'action_delta', turn, data: chunk.delta });
            break;
          case 'thinking_delta':
            emit({ type: 'thinking_delta', turn, data: chunk.delta });
            break;
          case 'reset':
            textSoFar = '';
            heard = '';
            emit({ type: 'reset', turn });
            break;
          case 'done':
            return outcomeOf(chunk);
          case 'error':
            return failed(new ProviderError(chunk.error));
        }
      }
      return failed(new ProviderError(malformed('The model stream ended without an answer.')));
    } catch (error) {
      return failed(error);
    }
  };
}

/** The port promises a message; a provider written elsewhere may still answer with nothing. */
function outcomeOf(response: Partial<ModelResponse> | undefined): ModelOutcome {
  const { message, usage, insteadOf, notes } = response ?? {};
  if (message === undefined) {
    return { kind: 'failed', error: new ProviderError(malformed('The provider answered without a message.')), textSoFar: '' };
  }
  return {
    kind: 'answer',
    message,
    usage: usage ?? message.usage,
    ...(insteadOf === undefined ? {} : { insteadOf }),
    ...(notes === undefined ? {} : { notes }),
  };
}

function malformed(message: string): ProviderFault {
  return { kind: 'malformed', message, retryable: false };
}

/** The same items, but an abort ends the waiting for the next one at once. Leaving closes the source without waiting for it. */
async function* abortable<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncIterable<T> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const item = await untilAborted(iterator.next(), signal);
      if (item.done === true) return;
      yield item.value;
    }
  } finally {
    Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
