// The final reply as Markdown: the answer, what there is to know about it, and one line; pure. Form: INTERFACE.md, The thread.
import type { Bundle } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import type { Delivery } from './delivery.ts';
import { count } from './figures.ts';
import { joinBlocks, renderAnswer, renderCommands, renderLeftOut, renderNotices, rulesOf } from './render-blocks.ts';
import { renderDiffBlock } from './render-diff.ts';
import { renderEnding } from './render-ending.ts';
import { renderFooter } from './render-footer.ts';

/** GitHub takes 65,536 characters; the marker and what the egress puts in need some. */
const maxReplyChars = 65_000;
/** Leaves room for the rest; a longer answer is no answer. */
const maxAnswerChars = 48_000;

export interface ReplyFacts {
  readonly plan: RunPlan;
  readonly bundle: Bundle;
  readonly delivery: Delivery;
  readonly elapsedMs: number;
}

/** The whole reply, without its marker and before the egress; always under GitHub's limit (G1-10). */
export function renderReply({ plan, bundle, delivery, elapsedMs }: ReplyFacts): string {
  const rules = rulesOf(plan);
  const answer = renderAnswer(bundle.reply.trim() === '' ? standIn(bundle, delivery) : bundle.reply, rules, maxAnswerChars);
  const notices = [...delivery.notes, ...noticesOfHead(plan), ...bundle.notices];
  const session = bundle.session.notice === null ? [] : [bundle.session.notice];
  const above = [answer, renderEnding(plan, bundle, delivery), renderNotices([...notices, ...session], rules)];
  const below = [
    renderLeftOut(delivery.leftOut),
    renderCommands(bundle.commands),
    renderFooter(plan, bundle, { delivery, elapsedMs }),
  ];
  const room = maxReplyChars - joinBlocks([...above, ...below]).length - 10;
  const patches = bundle.changes.map((change) => change.patch);
  const diff = delivery.isInReply ? renderDiffBlock(patches, 'The diff', room) : '';
  return joinBlocks([...above, diff, ...below]);
}

/** A run whose model said nothing still gets a visible reply (G1-41). */
function standIn(bundle: Bundle, delivery: Delivery): string {
  const changed = delivery.published.length + (delivery.isInReply ? bundle.changes.length : 0);
  return changed === 0 ? '_The model ended without an answer._' : `Changed ${count(changed, 'file')}; the model gave no summary.`;
}

/** B6: the reader has to know what was looked at. */
function noticesOfHead(plan: RunPlan): string[] {
  if (plan.head?.movedAfterTrigger !== true) return [];
  return [
    `I looked at the commit ${plan.head.sha.slice(0, 7)}. It may have been pushed after your comment, so I only read. Comment again to have it changed.`,
  ];
}
