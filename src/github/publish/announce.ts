// The first sign of life on the thread: the reaction and the progress comment. May be run again for the same trigger.
import type { Announcement } from '../../schema/announcement.ts';
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { GitHubApiError, isRefusal } from '../api.ts';
import { renderMarked } from '../marker.ts';
import { channelOf, findOfPlan } from './channel/channel.ts';
import { progressMarkerOf } from './channel/own-marker.ts';
import type { Channel, CommentId } from './channel/port.ts';
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
  readonly commentId: CommentId | null;
  readonly warning: string | null;
}

async function postProgress(plan: RunPlan, ports: PublishPorts, signal: AbortSignal): Promise<Posted> {
  const channel = channelOf(plan, ports);
  // A report stands until there is a newer one.
  if (channel === null || channel.replyKind === 'report') return { commentId: null, warning: null };
  try {
    const earlier = await findProgress(plan, channel, signal);
    return { commentId: earlier ?? (await createProgressComment(plan, channel, signal)), warning: null };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GitHubApiError && error.isMissingPermission) throw error;
    return { commentId: null, warning: `no progress comment: ${messageOf(error)}` };
  }
}

async function findProgress(plan: RunPlan, channel: Channel, signal: AbortSignal): Promise<CommentId | null> {
  const [first] = await findOfPlan(channel, plan, 'progress', signal);
  return first?.id ?? null;
}

async function createProgressComment(plan: RunPlan, channel: Channel, signal: AbortSignal): Promise<CommentId | null> {
  try {
    return (await channel.create(renderProgressBody(plan), signal)).id;
  } catch (error) {
    if (isRefusal(error)) throw error;
    // It may be there although the answer was lost.
    return findProgress(plan, channel, signal);
  }
}

function renderProgressBody(plan: RunPlan): string {
  return renderMarked(progressMarkerOf(plan), renderProgress(startProgress, { plan, elapsedMs: 0 }));
}
