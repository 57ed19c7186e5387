// The one final reply for a run that has no bundle to publish: a fault, a refusal, a cancellation (R1, R5, G1-41).
import type { Announcement } from '../../schema/announcement.ts';
import type { RunPlan } from '../../schema/gate.ts';
import type { Conclusion, Outcome } from '../../schema/outcome.ts';
import { boundBlocks, maxTextChars } from './bound-markdown.ts';
import { toCause } from './cause.ts';
import { closeTrigger } from './close-trigger.ts';
import { decideFaultConclusion } from './decide-conclusion.ts';
import { renderDuration } from './figures.ts';
import { goOnOrder, mendFirst, needsMending } from './mending.ts';
import type { PublishIo } from './ports.ts';
import { renderAnswer, renderCause, rulesOf } from './render-blocks.ts';
import { sayOnThread } from './say-on-thread.ts';

export interface Fault {
  readonly conclusion: Conclusion;
  /** The error's code, where there is one: it tells whether trying again can help, and whether it is a failure at all. */
  readonly code?: string | undefined;
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
  given: Fault,
  { ports, signal }: PublishIo,
): Promise<Outcome> {
  const fault = { ...given, conclusion: decideFaultConclusion(given) };
  const elapsedMs = ports.clock.now().getTime() - Date.parse(announcement.startedAt);
  const text = renderFault(plan, fault, elapsedMs);
  const yields = fault.conclusion === 'skipped';
  const isOpen = !yields && !needsMending(fault.code);
  const reply = { announcement, text, elapsedMs, yields, isOpen, says: fault.message };
  const said = await sayOnThread(plan, reply, ports, signal);
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
    ...(fault.answer === undefined ? {} : { answer: ports.egress(fault.answer) }),
    ...(said.fault === null ? {} : { unposted: ports.egress(text) }),
  };
}

const heads: Readonly<Partial<Record<Conclusion, readonly [title: string, footer: string]>>> = {
  cancelled: ['Cancelled', 'Cancelled after'],
  refused: ['Not published', 'Refused after'],
  timeout: ['Out of time', 'Stopped after'],
  skipped: ['Nothing to do', 'Ended after'],
};

/** The reply's text; pure. */
function renderFault(plan: RunPlan, fault: Fault, elapsedMs: number): string {
  const rules = rulesOf(plan);
  const [title, footer] = heads[fault.conclusion] ?? ['Failed', 'Failed after'];
  const cause = [renderCause(title, fault, rules), nextStep(plan, fault)];
  const note = `_The answer is cut here; the whole is in the [job summary](${plan.run.url})._`;
  const answer = fault.answer === undefined ? '' : renderAnswer(fault.answer, rules, { maxChars: maxAnswerChars, note });
  // A refused bundle has a finished answer; every other fault came between.
  const said = answer === '' ? [] : ['The model’s last message:', answer];
  const blocks = fault.conclusion === 'refused' ? [answer, ...cause] : [...cause, ...said];
  return boundBlocks(blocks, `**${footer} ${renderDuration(elapsedMs)}** · [run](${plan.run.url})`, maxTextChars);
}

/** Where there was nothing to do the hint says what can be done. */
function nextStep(plan: RunPlan, { conclusion, code }: Fault): string {
  if (conclusion === 'skipped') return '';
  const nothing = 'Nothing was pushed.';
  if (plan.thread === null) return nothing;
  return needsMending(code) ? `${nothing} ${mendFirst}` : `${nothing} To try again, reply ${goOnOrder(plan)}.`;
}
