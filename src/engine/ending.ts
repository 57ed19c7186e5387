// The ways a run ends early, as Endings: by somebody's will or by an error, with what was said until then kept. Decides nothing.
import { messageOf } from '../schema/error.ts';
import { type Message, textOf, textPart } from '../schema/message.ts';
import { joinText } from './answer.ts';
import { takeOutLeakedCalls } from './leaked-call.ts';
import type { Ending, Run } from './run-state.ts';

/** The end by somebody's will. `textSoFar`: of the call that was interrupted. */
export async function cancelled(run: Run, textSoFar = ''): Promise<Ending> {
  await keepTextSoFar(run, textSoFar);
  return { stopReason: 'cancelled', finalMessage: run.progress.lastText, cause: run.signals.cancel.reason };
}

/** The end by an error, with its code and hint when it has them. */
export function failed(run: Run, error: unknown): Ending {
  return { stopReason: 'error', finalMessage: run.progress.lastText, error: describeError(error), cause: error };
}

/** What was said in answers that never became whole still belongs to the history. */
export async function keepTextSoFar(run: Run, textSoFar: string): Promise<void> {
  const { held } = run.progress;
  const said = joinText(held === undefined ? '' : textOf(held.message.content), textSoFar);
  const whole: Message = { role: 'assistant', content: [textPart(said)], finishReason: 'other' };
  const { message } = takeOutLeakedCalls(whole, run.registry.getAvailableTools());
  const text = textOf(message.content);
  run.progress.held = undefined;
  if (text === '') return;
  run.progress.lastText = text;
  await run.history.append(message);
}

/** An error as data. */
export function describeError(error: unknown): NonNullable<Ending['error']> {
  const message = messageOf(error);
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'ENGINE_FAILED';
  const hint = error instanceof Error && 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
  return hint === undefined ? { code, message } : { code, message, hint };
}
