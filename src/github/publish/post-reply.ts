// The one final reply to a trigger, whatever was there before and however often this is run (R1, R2, R4).
import type { Announcement } from '../../schema/announcement.ts';
import { hashOf } from '../../schema/canonical-json.ts';
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { isRefusal } from '../api.ts';
import { renderMarked } from '../marker.ts';
import { boundMarkdown, maxBodyChars } from './bound-markdown.ts';
import { channelOf, findOfPlan } from './channel/channel.ts';
import { replyMarkerOf } from './channel/own-marker.ts';
import type { Channel, ChannelComment, CommentId } from './channel/port.ts';
import { collapseEarlier } from './collapse-earlier.ts';
import type { PublishPorts } from './ports.ts';
import type { ReviewDraft } from './review/plan-review.ts';

/** A run up to this long turns its progress comment into the reply; later, nobody looks any more, and edits notify nobody. */
const shortRunMs = 60_000;

export interface Reply {
  readonly announcement: Announcement;
  readonly text: string;
  readonly elapsedMs: number;
  /** An earlier reply to the same trigger stays as it is: it says what was done, and this one only that nothing was. */
  readonly yields?: boolean | undefined;
  /** The work was not at its end: `continue` or `approve` goes on with it. */
  readonly isOpen: boolean;
  /** The base was merged, and is pushed. */
  readonly isMerged?: boolean;
  /** What a report says, without the figures of its run: told to its followers when it is something new. */
  readonly says: string;
  /** A review, which is the reply itself. */
  readonly review?: ReviewDraft | null;
}

/** One reply on its way: the ways that were tried, and what came of them. */
interface Posting {
  readonly plan: RunPlan;
  readonly channel: Channel;
  readonly body: string;
  readonly yields: boolean;
  readonly ports: PublishPorts;
  readonly signal: AbortSignal;
  /** Comments that GitHub did not let us change: none of them can be the reply. */
  readonly unchangeable: Set<CommentId>;
}

/**
 * Posts the reply and takes the progress comment away. null: there is no place to reply in. Rejects when no way was left: neither an
 * earlier reply nor the progress comment could be changed, nor a new comment be made.
 */
export async function postReply(
  plan: RunPlan,
  { announcement, text, elapsedMs, yields, isOpen, isMerged = false, says, review = null }: Reply,
  ports: PublishPorts,
  signal: AbortSignal,
): Promise<ChannelComment | null> {
  const channel = channelOf(plan, ports, review);
  if (channel === null) return null;
  const marker = replyMarkerOf(plan, { kind: channel.replyKind, isOpen, isMerged, says: hashOf(says).slice(0, 12) });
  const body = boundMarkdown(ports.egress(renderMarked(marker, text)), maxBodyChars);
  const posting: Posting = { plan, channel, body, yields: yields === true, ports, signal, unchangeable: new Set() };
  const { commentId } = announcement;
  const posted = await postSomehow(posting, commentId, review === null && elapsedMs <= shortRunMs);
  await clearProgress(posting, { replyId: posted.id, progressId: commentId });
  await collapseEarlier(plan, { channel, reply: posted }, ports, signal);
  return posted;
}

async function postSomehow(posting: Posting, progressId: CommentId | null, isShort: boolean): Promise<ChannelComment> {
  const earlier = await attempt(posting, () => keepOldestReply(posting));
  if (earlier.value !== null) {
    const updated = posting.yields ? earlier.value : await change(posting, earlier.value.id);
    if (updated !== null) return updated;
  }
  // Where the thread cannot be read, changing what is known makes no second reply; a new comment might.
  const changesProgress = progressId !== null && (isShort || earlier.error !== undefined);
  const changed = changesProgress ? await change(posting, progressId) : null;
  if (changed !== null) return changed;
  const created = await attempt(posting, () => createOnce(posting));
  if (created.value !== null) return created.value;
  const last = progressId === null || changesProgress ? null : await change(posting, progressId);
  if (last !== null) return last;
  throw created.error;
}

interface Attempted<T> {
  readonly value: T | null;
  readonly error?: unknown;
}

/** A way that does not lead anywhere is no failure while another is left. Rejects on abort only. */
async function attempt<T>({ ports, signal }: Posting, way: () => Promise<T | null>): Promise<Attempted<T>> {
  try {
    return { value: await way() };
  } catch (error) {
    signal.throwIfAborted();
    ports.log(`[publish] the reply is tried in another way: ${messageOf(error)}`);
    return { value: null, error };
  }
}

/** Makes a comment of ours the reply; null: it is gone, or GitHub does not let us. */
async function change(posting: Posting, id: CommentId): Promise<ChannelComment | null> {
  const { channel, body, signal } = posting;
  const changed = await attempt(posting, () => channel.change(id, body, signal));
  if (changed.value === null) posting.unchangeable.add(id);
  return changed.value;
}

async function createOnce(posting: Posting): Promise<ChannelComment> {
  const { channel, body, signal } = posting;
  try {
    const created = await channel.create(body, signal);
    return (await attempt(posting, () => keepOldestReply(posting))).value ?? created;
  } catch (error) {
    if (isRefusal(error)) throw error;
    // The comment may be there although its answer was lost.
    return (await keepOldestReply(posting)) ?? channel.create(body, signal);
  }
}

/** A re-run, or an earlier try whose answer was lost: the oldest is kept, so that all processes keep the same one. */
async function keepOldestReply(posting: Posting): Promise<ChannelComment | null> {
  const { plan, channel, signal, unchangeable } = posting;
  const found = await findOfPlan(channel, plan, channel.replyKind, signal);
  const kept = found.find(({ id }) => !unchangeable.has(id));
  if (kept === undefined) return null;
  for (const { id } of found) if (id !== kept.id) await takeAway(posting, id);
  return kept;
}

/** A progress comment, found or known. */
async function clearProgress(
  posting: Posting,
  { replyId, progressId }: { readonly replyId: CommentId; readonly progressId: CommentId | null },
): Promise<void> {
  const { plan, channel, signal } = posting;
  if (channel.replyKind === 'report') return;
  const found = await attempt(posting, () => findOfPlan(channel, plan, 'progress', signal));
  const ids = new Set([...(found.value ?? []).map((comment) => comment.id), ...(progressId === null ? [] : [progressId])]);
  ids.delete(replyId);
  for (const id of ids) await takeAway(posting, id);
}

/** What cannot be taken away is a line in the log and no failure: the reply is posted. */
async function takeAway({ channel, ports, signal }: Posting, id: CommentId): Promise<void> {
  try {
    await channel.remove(id, signal);
  } catch (error) {
    signal.throwIfAborted();
    ports.log(`[publish] the comment ${id} could not be taken away: ${messageOf(error)}`);
  }
}
