// The last call of a run that reached a limit: no more tools, "say what is done and what is left". It never ends without a message.
import { type Message, textOf } from '../schema/message.ts';
import { isBlank, joinMessages, joinText, withoutCalls } from './answer.ts';
import { cancelled, describeError, keepTextSoFar } from './ending.ts';
import type { LimitReached } from './guard.ts';
import { takeOutLeakedCalls } from './leaked-call.ts';
import { isInForm, judged } from './output-form.ts';
import type { Ending, Run } from './run-state.ts';
import { withTurn } from './turn.ts';

/** Ends the run by a limit: with the model's own summary when there is room for one, else with a mechanical message. */
export async function wrapUp(run: Run, limit: LimitReached): Promise<Ending> {
  const mechanical = async (more: Partial<Ending> = {}): Promise<Ending> => {
    await keepTextSoFar(run, '');
    return { stopReason: limit.reason, finalMessage: mechanicalText(run, limit), ownWords: run.progress.lastText, ...more };
  };
  // A timer may fire a moment before the clock says so: then there is no time for a call either.
  if (!limit.canWrapUp || run.signals.wrapUp.aborted) return await mechanical();
  const ending = await withTurn(run, 'wrapUp', async (input) => {
    const outcome = await input.ask('none', wrapUpText(run, limit));
    if (outcome.kind === 'answer') {
      const summary = await endWithSummary(run, limit, takeOutLeakedCalls(outcome.message, input.tools).message);
      return { ending: summary, calls: summary && [] };
    }
    if (run.signals.cancel.aborted) return { ending: await cancelled(run, outcome.textSoFar), calls: undefined };
    await keepTextSoFar(run, outcome.textSoFar);
    const error = run.signals.wrapUp.aborted ? {} : { error: describeError(outcome.error), cause: outcome.error };
    return { ending: await mechanical(error), calls: undefined };
  });
  return ending ?? (await mechanical());
}

async function endWithSummary(run: Run, limit: LimitReached, answer: Message): Promise<Ending | undefined> {
  const { held } = run.progress;
  const own = withoutCalls(answer);
  if (isBlank(textOf(own.content))) return undefined;
  run.progress.held = undefined;
  // A form that was asked for is whole in this message: what was cut before it is no part of it.
  const joins = held?.joins === true && !isInForm(run, own);
  const message = joins ? joinMessages(held.message, own, 'paragraph') : own;
  const finalMessage = textOf(message.content);
  run.progress.lastText = finalMessage;
  await run.history.append(message);
  return judged(run, { stopReason: limit.reason, finalMessage });
}

function wrapUpText({ outputSchema }: Run, limit: LimitReached): string {
  const form =
    outputSchema === undefined
      ? 'Answer in the language of the request.'
      : 'It is still the JSON value that the system prompt asks for and nothing else, with what is known by now.';
  return (
    `This run has reached ${limit.name}, so this is its last reply: no more tool calls are possible. ` +
    `Say what is done and what is left, so that someone can go on from here. ${form}`
  );
}

/** For when the model said nothing: the limit, the turns, and the newest thing that it did say. */
function mechanicalText(run: Run, limit: LimitReached): string {
  const { turns, lastText } = run.progress;
  if (limit.reason === 'budget' && turns === 0) {
    return joinText(lastText, `The run did not begin: not even one call to the model fits ${limit.name}.`);
  }
  const stopped = `The run stopped because it reached ${limit.name}, after ${turns} ${turns === 1 ? 'turn' : 'turns'}. What was done until then is kept.`;
  return joinText(lastText, stopped);
}
