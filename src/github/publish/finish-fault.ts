// The one final reply for a run that has no bundle to publish: a fault, a refusal, a cancellation (R1, R5, G1-41).

import type { Announcement } from '../../schema/announcement.ts';
import type { RunPlan } from '../../schema/gate.ts';
import type { Conclusion, Outcome } from '../../schema/outcome.ts';
import { toCause } from './cause.ts';
import { closeTrigger } from './close-trigger.ts';
import { renderDuration } from './figures.ts';
import { inlineCode } from './inline-code.ts';
import type { PublishIo } from './ports.ts';
import { joinBlocks, renderAnswer, renderCause, rulesOf } from './render-blocks.ts';
import { sayOnThread } from './say-on-thread.ts';

export interface Fault {
  readonly conclusion: Conclusion;
  /** What happened, for people. */
  readonly message: string;
  readonly hint?: string | undefined;
  /** The model's answer, when there is one: it is not lost with the bundle. */
  readonly answer?: string | undefined;
}

const maxAnswerChars = 48_000;

/** Says on the thread that nothing was published and why. `outcome.unposted` holds the text when GitHub refused it. Rejects on abort only. */
export async function finishWithFault(
  plan: RunPlan,
  announcement: Announcement,
  fault: Fault,
  { ports, signal }: PublishIo,
): Promise<Outcome> {
  const elapsedMs = ports.clock.now().getTime() - Date.parse(announcement.startedAt);
  const text = renderFault(plan, fault, elapsedMs);
  const said = await sayOnThread(plan, { announcement, text, elapsedMs }, ports, signal);
  const closing = await closeTrigger(plan, fault.conclusion, ports, signal);
  return {
    version: 1,
    conclusion: fault.conclusion,
    comment: said.comment,
    branchName: null,
    commitSha: null,
    pullRequest: null,
    filesChanged: 0,
    patch: '',
    error: toCause(fault, ports.egress),
    warnings: [...(said.fault === null ? [] : [said.fault]), ...announcement.warnings, ...closing],
    ...(said.fault === null ? {} : { unposted: ports.egress(text) }),
  };
}

const heads: Readonly<Partial<Record<Conclusion, readonly [title: string, footer: string]>>> = {
  cancelled: ['Cancelled', 'Cancelled after'],
  refused: ['Not published', 'Refused after'],
  timeout: ['Out of time', 'Stopped after'],
};

/** The reply's text; pure. */
function renderFault(plan: RunPlan, fault: Fault, elapsedMs: number): string {
  const rules = rulesOf(plan);
  const [title, footer] = heads[fault.conclusion] ?? ['Failed', 'Failed after'];
  return joinBlocks([
    fault.answer === undefined ? '' : renderAnswer(fault.answer, rules, maxAnswerChars),
    renderCause(title, fault, rules),
    `Nothing was pushed.${plan.thread === null ? '' : ` To try again, reply ${inlineCode(`${plan.handle} continue`)}.`}`,
    `**${footer} ${renderDuration(elapsedMs)}** · [run](${plan.run.url})`,
  ]);
}
