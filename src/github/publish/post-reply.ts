// The one final reply to a trigger, whatever was there before and however often this is run (R1, R2, R4).

import type { Announcement } from '../../schema/announcement.ts';
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { isRefusal } from '../api.ts';
import { renderMarked } from '../marker.ts';
import { createComment, deleteComment, findOwnComments, type OwnComment, updateComment } from './own-comments.ts';
import type { PublishPorts } from './ports.ts';

/** A run up to this long turns its progress comment into the reply; later, nobody looks any more, and edits notify nobody. */
const shortRunMs = 60_000;

/** Posts the reply and takes the progress comment away. null: there is no thread to reply on. Rejects when GitHub refuses it. */
export async function postReply(
  plan: RunPlan,
  reply: { readonly announcement: Announcement; readonly text: string; readonly elapsedMs: number },
  ports: PublishPorts,
  signal: AbortSignal,
): Promise<OwnComment | null> {
  if (plan.thread === null) return null;
  const body = renderMarked({ trigger: plan.trigger.id, kind: 'reply' }, reply.text);
  const progressId = reply.announcement.commentId;
  const posted =
    (await updateEarlierReply(plan, body, ports, signal)) ??
    (progressId !== null && reply.elapsedMs <= shortRunMs
      ? await updateComment(plan, { id: progressId, body }, ports, signal)
      : null) ??
    (await createOnce(plan, body, ports, signal));
  await clearProgress(plan, { replyId: posted.id, progressId }, ports, signal);
  return posted;
}

/** A re-run, or an earlier try whose answer was lost: the oldest is kept, so that all processes keep the same one. */
async function updateEarlierReply(
  plan: RunPlan,
  body: string,
  ports: PublishPorts,
  signal: AbortSignal,
): Promise<OwnComment | null> {
  const kept = await keepOldestReply(plan, ports, signal);
  return kept === null ? null : updateComment(plan, { id: kept.id, body }, ports, signal);
}

async function createOnce(plan: RunPlan, body: string, ports: PublishPorts, signal: AbortSignal): Promise<OwnComment> {
  try {
    const created = await createComment(plan, body, ports, signal);
    return (await keepOldestReply(plan, ports, signal)) ?? created;
  } catch (error) {
    if (isRefusal(error)) throw error;
    // The comment may be there although its answer was lost.
    return (await keepOldestReply(plan, ports, signal)) ?? createComment(plan, body, ports, signal);
  }
}

async function keepOldestReply(plan: RunPlan, ports: PublishPorts, signal: AbortSignal): Promise<OwnComment | null> {
  const [kept, ...doubles] = await findOwnComments(plan, 'reply', ports, signal);
  for (const double of doubles) await deleteComment(plan, double.id, ports, signal);
  return kept ?? null;
}

/** The reply is posted: a progress comment that cannot be taken away is a line in the log and no failure. */
async function clearProgress(
  plan: RunPlan,
  { replyId, progressId }: { readonly replyId: number; readonly progressId: number | null },
  ports: PublishPorts,
  signal: AbortSignal,
): Promise<void> {
  try {
    const found = await findOwnComments(plan, 'progress', ports, signal);
    const ids = new Set([...found.map((comment) => comment.id), ...(progressId === null ? [] : [progressId])]);
    ids.delete(replyId);
    for (const id of ids) await deleteComment(plan, id, ports, signal);
  } catch (error) {
    ports.log(`[publish] the progress comment could not be taken away: ${messageOf(error)}`);
  }
}
