// The one line under every reply: how long, where, how much; pure. Form: INTERFACE.md, The thread.
import type { Bundle } from '../../schema/bundle.ts';
import { renderCost } from '../../schema/cost-words.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { oneLine } from '../../schema/one-line.ts';
import type { RunResult, StopReason } from '../../schema/run.ts';
import type { Delivery } from './delivery.ts';
import { count, renderDuration, renderTokens } from './figures.ts';
import { inlineCode } from './inline-code.ts';
import { plainLine } from './plain-line.ts';

const heads: Readonly<Record<StopReason, string>> = {
  completed: 'Done in',
  max_turns: 'Stopped after',
  timeout: 'Stopped after',
  budget: 'Stopped after',
  repetition: 'Stopped after',
  cancelled: 'Cancelled after',
  error: 'Failed after',
};
/** These two keep processes and network apart; only something weaker is worth a word. */
const strongSandboxes = ['namespace', 'bubblewrap'];

/** `**Done in 1 m 48 s** · [run](…) · branch `…` · #13 · 9 turns · 41 k tokens (82 % cached) · $0.06`. */
export function renderFooter(
  plan: RunPlan,
  bundle: Bundle,
  about: { readonly delivery: Delivery; readonly elapsedMs: number },
): string {
  const { delivery, elapsedMs } = about;
  return [
    `**${headOf(bundle)} ${renderDuration(elapsedMs)}**`,
    `[run](${plan.run.url})`,
    ...(delivery.branch === null ? [] : [`branch ${inlineCode(delivery.branch, 250)}`]),
    ...renderPlace(plan, delivery),
    // No model had a part in it, and so no command.
    ...(bundle.result.turns === 0 ? [] : renderFigures(bundle)),
  ].join(' · ');
}

function renderFigures(bundle: Bundle): string[] {
  const { result, sandbox } = bundle;
  return [
    count(result.turns, 'turn'),
    ...(result.subagents === undefined ? [] : [renderSubagents(result.subagents)]),
    renderUsage(bundle),
    ...renderMoney(bundle),
    ...renderFallbacks(bundle),
    ...(strongSandboxes.includes(sandbox) ? [] : [`sandbox: ${inlineCode(sandbox)}`]),
  ];
}

/** A run that came to its end without an answer did not do what it was asked. */
function headOf({ result }: Bundle): string {
  const hasFailed = result.stopReason === 'completed' && result.error !== undefined;
  return heads[hasFailed ? 'error' : result.stopReason];
}

/** On the pull request itself its number says nothing, the commit does. */
function renderPlace({ thread }: RunPlan, { pullRequest, compareUrl, commitSha }: Delivery): string[] {
  if (pullRequest !== null && pullRequest.number === thread?.number && commitSha !== null) return [commitSha.slice(0, 7)];
  if (pullRequest !== null) return [`#${pullRequest.number}`];
  return compareUrl === null ? [] : [`[open a pull request](${compareUrl})`];
}

function renderSubagents({ runs, turns }: NonNullable<RunResult['subagents']>): string {
  return `${count(runs, 'sub-agent')} (${count(turns, 'turn')})`;
}

/** Whose answer it is, and why not the one that was asked for. */
export function renderFallbacks({ result: { fallbacks = [] } }: Pick<Bundle, 'result'>): string[] {
  return fallbacks.map(
    ({ from, to, why }) => `${inlineCode(to, 100)} took over from ${inlineCode(from, 100)} (${plainLine(oneLine(why, 200))})`,
  );
}

function renderMoney({ result: { cost } }: Bundle): string[] {
  const money = cost && renderCost(cost);
  return money === undefined ? [] : [money];
}

function renderUsage({ result: { usage } }: Bundle): string {
  const tokens = renderTokens(usage.inputTokens + usage.outputTokens);
  const cached = usage.inputTokens === 0 ? 0 : Math.round((usage.cacheReadTokens / usage.inputTokens) * 100);
  return cached === 0 ? tokens : `${tokens} (${cached} % cached)`;
}
