// A request that does not fit the model's context window: how it is recognised, and the one retry that it gets.
import { Harness9Error, messageOf } from '../schema/error.ts';
import { argumentsOf, type Message, textOf } from '../schema/message.ts';
import { isBlank } from './answer.ts';
import { makeSmaller } from './compaction.ts';
import type { ModelOutcome } from './emitter.ts';
import { describeError } from './ending.ts';
import type { CallContext, ModelRequest } from './ports.ts';
import type { Run } from './run-state.ts';

const code = 'PROVIDER_CONTEXT_OVERFLOW';

/** The outcome with every overflow as a failure that says what to do: a refused request, and an answer that found no room to begin. */
export function withOverflowAsFailure(outcome: ModelOutcome): ModelOutcome {
  if (outcome.kind === 'failed') return isOverflow(outcome.error) ? { ...outcome, error: explained(outcome.error) } : outcome;
  const { message } = outcome;
  if (message.finishReason !== 'context_overflow' || isUsable(message)) return outcome;
  return {
    kind: 'failed',
    error: explained(new Error("The model's context window was full before it could answer.")),
    textSoFar: '',
  };
}

/** Whether a call failed since it did not fit. */
export function isOverflow(error: unknown): boolean {
  return describeError(error).code === code;
}

/** Whether the next turn may try again with a smaller request: once, and not without one. */
export async function canRetry(
  run: Run,
  input: { readonly turn: number; readonly context: CallContext },
  { error, request, textSoFar }: { readonly error: unknown; readonly request?: ModelRequest; readonly textSoFar: string },
): Promise<boolean> {
  if (!isOverflow(error) || request === undefined || run.progress.isRetry || run.settings.compactor === undefined) return false;
  run.progress.isRetry = true;
  const isSmaller = await makeSmaller(run, request, input);
  if (isSmaller && textSoFar !== '') run.emit({ type: 'reset', turn: input.turn });
  return isSmaller;
}

function isUsable(message: Message): boolean {
  return !isBlank(textOf(message.content)) || (message.toolCalls ?? []).some((call) => argumentsOf(call) !== undefined);
}

function explained(cause: unknown): Harness9Error {
  return new Harness9Error({
    code,
    message: messageOf(cause),
    hint: 'Begin anew without the earlier conversation, use a model with a larger context window, or ask for less at once.',
    cause,
  });
}
