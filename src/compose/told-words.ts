// A model that is asked for whole answers tells its words as events, as one that streams does: who reads a run must not miss what was said.
import type { LLMProvider } from '../engine/ports.ts';
import { textOf } from '../schema/message.ts';
import type { EngineEvent } from '../schema/run.ts';

interface Told {
  readonly provider: LLMProvider;
  readonly onEvent: (event: EngineEvent) => void;
}

/** `provider` and `onEvent` of one engine: each whole answer is an `action_delta` of the turn that the event before it was of. */
export function tellWords(provider: LLMProvider, onEvent: (event: EngineEvent) => void): Told {
  let turn = 0;
  return {
    provider: {
      generate: async (request, context) => {
        const response = await provider.generate(request, context);
        const text = textOf(response.message.content);
        // Nobody waits for what comes after the end of a run.
        if (text !== '' && !context.signal.aborted) onEvent({ type: 'action_delta', turn, data: text });
        return response;
      },
      generateStream: (request, context) => provider.generateStream(request, context),
    },
    onEvent: (event) => {
      turn = event.turn;
      onEvent(event);
    },
  };
}
