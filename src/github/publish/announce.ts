// The first sign of life on the thread: the reaction and the progress comment. May be run again for the same trigger.
import type { Announcement } from '../../schema/announcement.ts';
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { GitHubApiError, isRefusal } from '../api.ts';
import { renderMarked } from '../marker.ts';
import { createComment, findOwnComments } from './own-comments.ts';
import type { PublishPorts } from './ports.ts';
import { react, reactionOf } from './react.ts';
import { renderProgress, startProgress } from './render-progress.ts';

/**
 * Posts the progress comment, then reacts. Neither is worth a run: what GitHub refuses becomes a warning (G1-29). But a job that lacks the
 * permission to comment could not say at the end what it did either, so that rejects with the GitHubApiError before anything is posted.
 */
export async function announce(plan: RunPlan, ports: PublishPorts, signal: AbortSignal): Promise<Announcement> {
  const startedAt = ports.clock.now().toISOString();
  const posted = await postProgress(plan, ports, signal);
  const reaction = reactionOf(plan);
  const reactionWarning = reaction === null ? null : await react(plan, reaction, ports, signal);
  const warnings = [posted.warning, reactionWarning].filter((warning) => warning !== null);
  for (const warning of warnings) ports.log(`[publish] ${warning}`);
  return { version: 1, commentId: posted.commentId, startedAt, warnings };
}

interface Posted {
  readonly commentId: number | null;
  readonly warning: string | null;
}

async function postProgress(plan: RunPlan, ports: PublishPorts, signal: AbortSignal): Promise<Posted> {
  if (plan.comment === 'none' || plan.thread === null) return { commentId: null, warning: null };
  try {
    const earlier = await findProgress(plan, ports, signal);
    return { commentId: earlier ?? (await createProgressComment(plan, ports, signal)), warning: null };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GitHubApiError && error.isMissingPermission) throw error;
    return { commentId: null, warning: `no progress comment: ${messageOf(error)}` };
  }
}

async function findProgress(plan: RunPlan, ports: PublishPorts, signal: AbortSignal): Promise<number | null> {
  const [first] = await findOwnComments(plan, 'progress', ports, signal);
  return first?.id ?? null;
}

async function createProgressComment(plan: RunPlan, ports: PublishPorts, signal: AbortSignal): Promise<number | null> {
  try {
    return (await createComment(plan, renderProgressBody(plan), ports, signal)).id;
  } catch (error) {
    if (isRefusal(error)) throw error;
    // It may be there although the answer was lost.
    return findProgress(plan, ports, signal);
  }
}

function renderProgressBody(plan: RunPlan): string {
  return renderMarked({ trigger: plan.trigger.id, kind: 'progress' }, renderProgress(startProgress, { plan, elapsedMs: 0 }));
}
