// The port of a place to speak, whatever GitHub calls what is said there.
import type { MarkerKind } from '../../marker.ts';

/** A number where REST has the comments, a node id where only GraphQL has. */
export type CommentId = number | string;

export interface ChannelComment {
  readonly id: CommentId;
  /** GitHub's number of it, which grows: the oldest has the lowest. */
  readonly number: number;
  /** What GraphQL knows it by. */
  readonly nodeId: string;
  readonly url: string;
  readonly body: string;
  /** null: the account is gone. */
  readonly authorId: number | null;
  /** Of an answer to a write, where GitHub says it: which part of our calls is left until the limit is filled up again. */
  readonly quotaLeft?: number | undefined;
}

/** A place to speak. Everything rejects with a GitHubApiError; the egress is applied below. */
export interface Channel {
  /** Which marker a final reply has here. */
  readonly replyKind: Extract<MarkerKind, 'reply' | 'report'>;
  /** What was written or changed since then; null: everything. */
  list(since: string | null, signal: AbortSignal): Promise<readonly ChannelComment[]>;
  /** Not safe to repeat. */
  create(body: string, signal: AbortSignal): Promise<ChannelComment>;
  /** Replaces a body; null: the comment is gone. `isOnce`: a refusal by a limit is not waited for. */
  change(id: CommentId, body: string, signal: AbortSignal, isOnce?: boolean): Promise<ChannelComment | null>;
  /** One that is gone already is fine. */
  remove(id: CommentId, signal: AbortSignal): Promise<void>;
}
