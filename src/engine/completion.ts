// The model has ended its turn without a call: what is still open or not good enough sends it on, else the run is complete.
import { messageOf } from '../schema/error.ts';
import { type Message, messageFromRun, textOf, textPart } from '../schema/message.ts';
import { untilAborted } from '../schema/until-aborted.ts';
import { noStreaks, type Reading } from './answer.ts';
import { decideContinuation } from './auto-continue.ts';
import type { CallContext } from './ports.ts';
import type { Ending, Run } from './run-state.ts';

/** Whoever is sent on after an answer may take what is new for all that is left to say; a to-do list's own words have it already. */
const wholeAnswer = 'When nothing is left to be done, write the whole final answer again: only your last reply is shown.';

/** The turn that the model ended. */
interface EndedTurn {
  readonly turn: number;
  readonly context: CallContext;
}

/** Undefined: the run goes on, with messages that ask for more. */
export async function completeOrGoOn(
  run: Run,
  ended: EndedTurn,
  reading: Reading & { kind: 'final' },
): Promise<Ending | undefined> {
  const { message, text, error } = reading;
  run.progress.lastText = text;
  const next = error === undefined ? await whatIsNext(run, ended, text) : undefined;
  const answer = message === undefined || textOf(message.content).trim() === '' ? [] : [message];
  await run.history.append(...answer, ...(next ?? []));
  if (next === undefined) {
    const stopReason = error?.code === 'MODEL_OUTPUT_LIMIT' ? 'error' : 'completed';
    return error === undefined ? { stopReason, finalMessage: text } : { stopReason, finalMessage: text, error, cause: error };
  }
  run.progress.streaks = noStreaks;
  return undefined;
}

/**
 * The messages that send the model on; undefined when it is done. None: somebody could not be heard to the end, so the run is not complete,
 * and the loop's next look at the signals says how it ends.
 */
async function whatIsNext(run: Run, ended: EndedTurn, finalMessage: string): Promise<readonly Message[] | undefined> {
  const { signal } = ended.context;
  const isOver = await run.background.finish(signal);
  const results = run.background.take(wholeAnswer);
  if (results.length > 0) return results;
  if (!isOver && signal.aborted) return [];
  const next = await nextPrompt(run, ended, finalMessage);
  if (next.kind !== 'goOn') return next.kind === 'end' ? undefined : [];
  run.meter.expect([next.prompt]);
  return [next.prompt];
}

type Next = { readonly kind: 'goOn'; readonly prompt: Message } | { readonly kind: 'end' | 'interrupted' };

/** The open items of a list that was written in this run come first, then the hooks; the follow-up is asked when they have nothing to say. */
async function nextPrompt(run: Run, ended: EndedTurn, finalMessage: string): Promise<Next> {
  const { todos, planMode, progress, signals } = run;
  // A plan is carried out after its approval, a list that was only brought back is not this run's order, and who cancels wants no more.
  const isArmed = todos.isWritten && planMode !== 'plan' && !signals.cancel.aborted;
  const decision = isArmed ? decideContinuation(todos.items, progress.continuation) : undefined;
  progress.continuation = decision?.next ?? progress.continuation;
  if (decision?.kind === 'goOn') return { kind: 'goOn', prompt: messageFromRun(decision.prompt) };
  const { turn, context } = ended;
  const stopped = planMode === 'plan' ? ({ kind: 'end' } as const) : await run.hooks.stop({ turn, finalMessage }, context);
  if (stopped.kind === 'goOn') return { kind: 'goOn', prompt: messageFromRun(stopped.message, wholeAnswer) };
  if (stopped.kind === 'interrupted') return stopped;
  const followUp = await askFollowUp(run, ended, finalMessage);
  // It may be a person's.
  if (followUp !== undefined) return { kind: 'goOn', prompt: { role: 'user', content: [textPart(followUp)] } };
  if (decision?.kind === 'stalled') run.note(decision.note);
  return { kind: 'end' };
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
