// The model has ended its turn without a call: its open to-do items or the follow-up send it on, else the run is complete.
import { messageOf } from '../schema/error.ts';
import { type Message, textOf, textPart } from '../schema/message.ts';
import { untilAborted } from '../schema/until-aborted.ts';
import { noStreaks, type Reading } from './answer.ts';
import { decideContinuation } from './auto-continue.ts';
import type { CallContext } from './ports.ts';
import type { Ending, Run } from './run-state.ts';

/** The turn that the model ended. */
interface EndedTurn {
  readonly turn: number;
  readonly context: CallContext;
}

/** Undefined: the run goes on, with a prompt that asks for more. */
export async function completeOrGoOn(
  run: Run,
  ended: EndedTurn,
  reading: Reading & { kind: 'final' },
): Promise<Ending | undefined> {
  const { message, text, error } = reading;
  run.progress.lastText = text;
  const next = error === undefined ? await nextPrompt(run, ended, text) : undefined;
  const answer = message === undefined || textOf(message.content).trim() === '' ? [] : [message];
  if (next === undefined) {
    await run.history.append(...answer);
    const stopReason = error?.code === 'MODEL_OUTPUT_LIMIT' ? 'error' : 'completed';
    return error === undefined ? { stopReason, finalMessage: text } : { stopReason, finalMessage: text, error, cause: error };
  }
  const prompt: Message = { role: 'user', content: [textPart(next)] };
  run.progress.streaks = noStreaks;
  run.meter.expect([prompt]);
  await run.history.append(...answer, prompt);
  return undefined;
}

/** The open items of a list that was written in this run come first; the follow-up is asked when they have nothing to say. */
async function nextPrompt(run: Run, ended: EndedTurn, finalMessage: string): Promise<string | undefined> {
  const { todos, planMode, progress, signals } = run;
  // A plan is carried out after its approval, a list that was only brought back is not this run's order, and who cancels wants no more.
  const isArmed = todos.isWritten && planMode !== 'plan' && !signals.cancel.aborted;
  const decision = isArmed ? decideContinuation(todos.items, progress.continuation) : undefined;
  progress.continuation = decision?.next ?? progress.continuation;
  if (decision?.kind === 'goOn') return decision.prompt;
  const followUp = await askFollowUp(run, ended, finalMessage);
  if (followUp === undefined && decision?.kind === 'stalled') run.note(decision.note);
  return followUp;
}

/** A follow-up that fails, or is waited for when the run must stop, is none: the answer stands. */
async function askFollowUp(run: Run, { turn, context }: EndedTurn, finalMessage: string): Promise<string | undefined> {
  try {
    const prompt: unknown = await untilAborted(run.settings.followUp({ turn, finalMessage }), context.signal);
    // Servers refuse a message without words.
    return typeof prompt === 'string' && prompt.trim() !== '' ? prompt : undefined;
  } catch (error) {
    if (!context.signal.aborted) run.settings.log(`warning=follow_up_failed error=${messageOf(error)}`);
    return undefined;
  }
}
