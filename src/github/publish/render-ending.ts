// Why a run stopped before its end, what of it is kept and what to do: the words of the reply; pure.
import type { Bundle } from '../../schema/bundle.ts';
import { renderBudget } from '../../schema/cost-words.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { oneLine } from '../../schema/one-line.ts';
import { parseJson } from '../../schema/parse-json.ts';
import type { RunResult } from '../../schema/run.ts';
import { hasForm, isAnswered } from './decide-conclusion.ts';
import type { Delivery } from './delivery.ts';
import { count, renderDuration } from './figures.ts';
import { fencedCode, inlineCode } from './inline-code.ts';
import { beginOrder, goOnOrder, isStuck, mendFirst, needsMending } from './mending.ts';
import { plainLine } from './plain-line.ts';

/** Empty for a run that completed. */
export function renderEnding(plan: RunPlan, bundle: Bundle, delivery: Delivery): string {
  const cause = causeOf(plan, bundle);
  if (cause === null) return '';
  const hint = bundle.result.error?.hint;
  const kept = keptOf(bundle, delivery);
  return [`**${cause}**`, troubleOf(bundle), ...(hint === undefined ? [] : [hint]), kept, nextStep(plan, bundle)]
    .filter((part) => part !== '')
    .join(' ');
}

/** The model's own words: without what the engine said for it, which is said once, by the ending. */
export function ownWordsOf({ reply, result }: Pick<Bundle, 'reply' | 'result'>): string {
  if (result.ownWords !== undefined) return result.ownWords.trim();
  const said = reply.trim();
  const message = result.error?.message.trim() ?? '';
  const own = message !== '' && said.endsWith(message) ? said.slice(0, -message.length).trim() : said;
  return hasForm(result) ? asCode(own) : own;
}

/** What is nothing but JSON would be read as Markdown. */
function asCode(text: string): string {
  const value = parseJson(text);
  return value === undefined ? text : fencedCode(JSON.stringify(value, null, 2), 'json');
}

/** Whether the model was interrupted: then its last words are no answer. One whose work or words did not pass a check had its say. */
export function isInterrupted({ result }: Pick<Bundle, 'result'>): boolean {
  const { stopReason, error, ownWords } = result;
  if (isAnswered(error)) return false;
  return stopReason === 'error' || stopReason === 'cancelled' || error !== undefined || ownWords !== undefined;
}

function causeOf(plan: RunPlan, { result }: Bundle): string | null {
  switch (result.stopReason) {
    case 'completed':
      return result.error === undefined ? null : quoteCause(result.error.message);
    case 'max_turns':
      return `Stopped at the limit of ${count(plan.limits.maxTurns, 'turn')} (max_turns).`;
    case 'timeout':
      return `Stopped at the time limit of ${renderDuration(plan.limits.timeoutMs)} (timeout_minutes).`;
    case 'budget':
      return hasBegun(result)
        ? `Stopped at ${budgetOf(plan, result)}.`
        : `Not even one call to the model fits ${budgetOf(plan, result)}.`;
    case 'repetition':
      return 'Stopped because the same step was repeated without getting further.';
    case 'cancelled':
      return result.stoppedBy === undefined ? 'Cancelled.' : `Stopped by ${plainLine(result.stoppedBy)}.`;
    case 'error':
      return `Failed: ${quoteCause(result.error?.message ?? 'the cause is not known')}`;
  }
}

/** A budget may be too small for the first call: then the same run would end in the same way. */
function hasBegun({ stopReason, turns }: RunResult): boolean {
  return stopReason !== 'budget' || turns > 0;
}

/** By the name of its input. */
function budgetOf({ limits: { maxTokensTotal, maxCostUsd } }: RunPlan, { budget }: RunResult): string {
  if (budget === 'usd' && maxCostUsd !== null) return `the budget of ${renderBudget(maxCostUsd)} (max_cost_usd)`;
  return maxTokensTotal === null ? 'the budget' : `the budget of ${count(maxTokensTotal, 'token')} (max_tokens_total)`;
}

/** What went wrong at an end that has another cause: a limit's last call failed, or its answer did not fit. */
function troubleOf({ result: { stopReason, error } }: Bundle): string {
  if (error === undefined || stopReason === 'completed' || stopReason === 'error') return '';
  return quoteCause(error.message);
}

const maxCauseChars = 2_000;

/** Words from outside, as plain text on one line. */
function quoteCause(message: string): string {
  return plainLine(oneLine(message, maxCauseChars));
}

function keptOf(bundle: Bundle, delivery: Delivery): string {
  const isThere = bundle.session.id !== null && bundle.result.turns > 0 && !needsMending(bundle.result.error?.code);
  const session = isThere ? ' The conversation is kept.' : '';
  if (delivery.pullRequest !== null) return `What is done so far is in #${delivery.pullRequest.number}.${session}`;
  if (delivery.branch !== null) return `What is done so far is on the branch ${inlineCode(delivery.branch)}.${session}`;
  if (delivery.isInReply) return `What is done so far is in the diff below.${session}`;
  if (delivery.leftOut.length > 0) return `What is done so far is not published.${session}`;
  return `No file was changed.${session}`;
}

function nextStep(plan: RunPlan, { result }: Bundle): string {
  if (plan.thread === null) return '';
  if (needsMending(result.error?.code)) return mendFirst;
  const order = beginOrder(plan);
  const anew = order === null ? '' : ` A new conversation begins with ${order}.`;
  if (!hasBegun(result)) return `Raise it and comment again.${anew}`;
  if (isStuck(result.error?.code)) return anew.trim();
  return `${result.stopReason === 'error' ? 'To try again' : 'To go on'}, reply ${goOnOrder(plan)}.`;
}
