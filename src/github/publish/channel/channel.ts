// Owns where a run speaks: one port for every place, and which comments there are ours. The place is the gate's, and nothing turns to another (H8).
import type { Channel as ChannelRef, RunPlan } from '../../../schema/gate.ts';
import { type RepositoryRef, repositoryOf } from '../../api.ts';
import { hasMarker, type MarkerKind } from '../../marker.ts';
import type { PublishPorts } from '../ports.ts';
import type { ReviewDraft } from '../review/plan-review.ts';
import { openDiscussion } from './discussion-channel.ts';
import type { Channel, ChannelComment } from './port.ts';
import { openReport } from './report-channel.ts';
import { openReview } from './review-channel.ts';
import { openReviewThread } from './review-thread-channel.ts';
import { openThread } from './thread-channel.ts';

export interface ChannelPlace {
  readonly channel: ChannelRef;
  readonly repository: RepositoryRef;
  readonly self: Pick<RunPlan['self'], 'login' | 'id'>;
  readonly threadKey: string;
}

/** The place of a plan; null: it speaks in the job's summary alone. `review`: what the final reply of a review brings along. */
export function channelOf(plan: RunPlan, ports: PublishPorts, review: ReviewDraft | null = null): Channel | null {
  const { channel, self, threadKey, thread } = plan;
  if (channel === null || plan.comment === 'none') return null;
  const repository = repositoryOf(plan);
  const base = openChannel({ channel, repository, self, threadKey }, ports);
  if (plan.mode !== 'review' || thread === null) return base;
  return openReview(base, { api: ports.api, repository, egress: ports.egress, plan, pull: thread.number, review });
}

export function openChannel({ channel, repository, self, threadKey }: ChannelPlace, { api, egress }: PublishPorts): Channel {
  const place = { api, repository, egress };
  switch (channel.kind) {
    case 'thread':
      return openThread(channel.number, place);
    case 'review_thread':
      return openReviewThread(channel, place);
    case 'discussion':
      return openDiscussion(channel, place);
    case 'report':
      return openReport({ title: channel.title, threadKey, self }, place);
  }
}

export interface Wanted {
  readonly selfId: number;
  readonly trigger: string;
  readonly kind: MarkerKind;
  /** ISO time; null or what is no time: everything is looked through. */
  readonly since: string | null;
}

/** Ours for a trigger, the oldest first. A foreign comment with our marker is not ours (G8). */
export async function findOwn(channel: Channel, wanted: Wanted, signal: AbortSignal): Promise<readonly ChannelComment[]> {
  const { selfId, since } = wanted;
  const found = await channel.list(since === null || Number.isNaN(Date.parse(since)) ? null : since, signal);
  return found
    .filter(({ authorId, body }) => authorId === selfId && hasMarker(body, wanted))
    .sort((one, other) => one.number - other.number);
}

/** Ours for the plan's trigger: nothing of it is older than the trigger. */
export function findOfPlan(
  channel: Channel,
  plan: RunPlan,
  kind: MarkerKind,
  signal: AbortSignal,
): Promise<readonly ChannelComment[]> {
  return findOwn(channel, { selfId: plan.self.id, trigger: plan.trigger.id, kind, since: plan.trigger.at }, signal);
}
