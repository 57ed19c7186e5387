// The final reply as Markdown: the answer, what there is to know about it, and one line; pure. Form: INTERFACE.md, The thread.
import type { Bundle } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { boundBlocks, maxTextChars } from './bound-markdown.ts';
import type { Delivery } from './delivery.ts';
import { count } from './figures.ts';
import { inlineCode } from './inline-code.ts';
import { joinBlocks } from './join-blocks.ts';
import { renderPlan, renderPlanStep } from './plan-reply.ts';
import { renderApply } from './render-apply.ts';
import { renderAnswer, renderNotices, rulesOf } from './render-blocks.ts';
import { renderCommands } from './render-commands.ts';
import { renderDetail } from './render-detail.ts';
import { renderDiffBlock } from './render-diff.ts';
import { isInterrupted, ownWordsOf, renderEnding } from './render-ending.ts';
import { renderFooter } from './render-footer.ts';
import { renderLeftOut } from './render-left-out.ts';

/** Leaves room for the rest; a longer answer is no answer. */
const maxAnswerChars = 48_000;
/** So much of the answer is there whatever else there is to say. */
const minAnswerChars = 8_000;

export interface ReplyFacts {
  readonly plan: RunPlan;
  readonly bundle: Bundle;
  readonly delivery: Delivery;
  readonly elapsedMs: number;
}

/** The whole reply, without its marker and before the egress; always under GitHub's limit (G1-10). */
export function renderReply({ plan, bundle, delivery, elapsedMs }: ReplyFacts): string {
  const rules = rulesOf(plan);
  const where = `the [job summary](${plan.run.url})`;
  const session = bundle.session.notice === null ? [] : [bundle.session.notice];
  const ending = joinBlocks([renderEnding(plan, bundle, delivery), renderPlanStep(plan, bundle), renderProposal(delivery)]);
  const notices = [...delivery.notes, ...noticesOfHead(plan), ...bundle.notices, ...session];
  const middle = [renderDetail(bundle.result), renderLeftOut(delivery.leftOut, where), renderNotices(notices, rules)];
  const commands = renderCommands(bundle.commands);
  const footer = renderFooter(plan, bundle, { delivery, elapsedMs });
  const taken = joinBlocks([ending, ...middle, commands, footer]).length;
  const note = `_The answer is cut here; the whole is in ${where}._`;
  const maxChars = Math.max(minAnswerChars, Math.min(maxAnswerChars, maxTextChars - taken - 100));
  const words = ownWordsOf(bundle);
  const answer = renderPlan(plan, bundle) ?? (renderAnswer(words, rules, { maxChars, note }) || standIn(bundle, delivery));
  // An interrupted model's last words are read after what became of the run, and are no answer.
  const above = isInterrupted(bundle) ? [ending, ...(words === '' ? [] : [lastNote, answer])] : [answer, ending];
  const room = maxTextChars - joinBlocks([...above, ...middle, commands, footer]).length - 10;
  const patches = bundle.changes.map((change) => change.patch);
  const label = 'The diff';
  const apply = delivery.isInReply ? renderApply(plan, patches, label) : '';
  const diff = showsDiff(plan, delivery) ? renderDiffBlock(patches, label, { room, where, apply }) : '';
  return boundBlocks([...above, ...middle, diff, commands], footer, maxTextChars);
}

/** `auto`: where it is nowhere else. */
function showsDiff({ includeDiff }: RunPlan, { isInReply }: Delivery): boolean {
  return includeDiff === 'always' || (includeDiff === 'auto' && isInReply);
}

function renderProposal({ proposal }: Delivery): string {
  return proposal === null ? '' : `The changes are [suggestions on the diff](${proposal.url}), to commit one by one or together.`;
}

/** What stands over the words of a model that was interrupted. */
export const lastNote = 'Last note before it stopped:';

/** A run whose model said nothing, or nothing that can be seen, still gets a visible reply (G1-41). */
function standIn(bundle: Bundle, delivery: Delivery): string {
  const isShown = delivery.isInReply || delivery.proposal !== null;
  const changed = delivery.published.length + (isShown ? bundle.changes.length : 0);
  return changed === 0 ? '_The model ended without an answer._' : `Changed ${count(changed, 'file')}; the model gave no summary.`;
}

/** B6, G1-14: the reader has to know what was looked at. */
function noticesOfHead({ head, checkoutSha, base }: RunPlan): string[] {
  if (head === null) return [];
  if (head.sha !== checkoutSha)
    return [`This pull request is not open any more: I worked on ${inlineCode(base.branch)}, and its own branch is left alone.`];
  if (!(head.isFork || head.movedAfterTrigger)) return [];
  const seen = `I looked at the commit ${head.sha.slice(0, 7)}.`;
  if (head.isFork)
    return [`${seen} This pull request comes from a fork: I read it and propose; I push nothing to it and run none of its code.`];
  if (head.isUnlisted === true)
    return [
      `${seen} This server does not tell when it was pushed, so I only read. Ask in a review or on a line of the diff to have it changed: such a comment names the commit that it is about.`,
    ];
  return [`${seen} It may have been pushed after your comment, so I only read. Comment again to have it changed.`];
}
