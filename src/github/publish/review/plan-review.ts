// What of a review is posted: findings that do not stand on the pull request already, and what becomes of those that stand there and are out of date.
import { z } from 'zod';
import type { Bundle, ReviewComment } from '../../../schema/bundle.ts';
import { messageOf } from '../../../schema/error.ts';
import type { RunPlan } from '../../../schema/gate.ts';
import { isFinished } from '../../../schema/run.ts';
import { repositoryOf } from '../../api.ts';
import { parseMarker } from '../../marker.ts';
import { connectionOf, readConnection } from '../../read-connection.ts';
import { minimize } from '../channel/minimize.ts';
import { count } from '../figures.ts';
import { inlineCode } from '../inline-code.ts';
import type { PublishIo } from '../ports.ts';
import { fingerprintOf } from './render-finding.ts';

/** A review on its way: which comments go on their lines, which into the text, and what is said about it. */
export interface ReviewDraft {
  /** The commit that was read, whatever was pushed since. */
  readonly commitSha: string;
  readonly event: 'COMMENT' | 'APPROVE' | 'REQUEST_CHANGES';
  readonly inline: readonly ReviewComment[];
  readonly inText: readonly ReviewComment[];
  readonly notes: readonly string[];
}

const events = { comment: 'COMMENT', approve: 'APPROVE', request_changes: 'REQUEST_CHANGES' } as const;

/** null: the run is no review. What GitHub does not tell is a line in the log. Rejects on abort only. */
export async function planReview(plan: RunPlan, { review, result }: Bundle, io: PublishIo): Promise<ReviewDraft | null> {
  const { thread, head, inlineComments, comment } = plan;
  if (plan.mode !== 'review' || review === null || thread === null || head === null || comment === 'none') return null;
  const earlier = await attempt(io, 'the earlier findings are not known', () => loadEarlier(plan, thread.number, io), []);
  const known = new Set(earlier.map(({ says }) => says));
  const fresh = review.comments.filter((one) => !known.has(fingerprintOf(one)));
  const repeated = review.comments.length - fresh.length;
  const isWhole = isFinished(result);
  const found = new Set(review.comments.map(fingerprintOf));
  const gone = earlier.filter(({ says }) => !found.has(says));
  const closed =
    isWhole && gone.length > 0 ? await attempt(io, 'outdated findings stay', () => closeOutdated(plan, gone, io), []) : [];
  const moved = await attempt(io, 'the head is not known', () => describeMoved(plan, thread.number, io), []);
  const stands = `${count(repeated, 'finding')} of an earlier review still ${repeated === 1 ? 'stands' : 'stand'} and ${repeated === 1 ? 'is' : 'are'} not repeated.`;
  return {
    commitSha: head.sha,
    event: plan.mayApprove && isWhole ? events[review.verdict] : 'COMMENT',
    inline: inlineComments === 'none' ? [] : fresh,
    inText: inlineComments === 'none' ? fresh : [],
    notes: [...moved, ...(repeated === 0 ? [] : [stands]), ...closed],
  };
}

async function attempt<T>({ ports, signal }: PublishIo, trouble: string, way: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await way();
  } catch (error) {
    signal.throwIfAborted();
    ports.log(`[publish] ${trouble}: ${messageOf(error)}`);
    return otherwise;
  }
}

interface Earlier {
  readonly id: number;
  readonly nodeId: string;
  readonly says: string;
}

/** By author and marker (G8). */
async function loadEarlier(plan: RunPlan, pull: number, { ports, signal }: PublishIo): Promise<readonly Earlier[]> {
  const parameters = { ...repositoryOf(plan), pull_number: pull };
  const found: Earlier[] = [];
  for await (const page of ports.api.pages('GET /repos/{owner}/{repo}/pulls/{pull_number}/comments', parameters, signal)) {
    for (const { id, node_id, user, body } of page) {
      const marker = Number(user?.id) === plan.self.id ? parseMarker(body) : null;
      // A re-run of this trigger finds its own: they are no earlier ones.
      if (marker?.kind !== 'finding' || marker.says === undefined || marker.trigger === plan.trigger.id) continue;
      found.push({ id: Number(id), nodeId: node_id, says: marker.says });
    }
  }
  return found;
}

/** B6: people must know what was read. */
async function describeMoved(plan: RunPlan, pull: number, { ports, signal }: PublishIo): Promise<readonly string[]> {
  const parameters = { ...repositoryOf(plan), pull_number: pull };
  const { data } = await ports.api.rest('GET /repos/{owner}/{repo}/pulls/{pull_number}', parameters, signal);
  const read = plan.head?.sha ?? '';
  if (data.head.sha === read) return [];
  return [`I read the commit ${inlineCode(read.slice(0, 7))}; what was pushed after it is not in this review.`];
}

const threadsSchema = z.object({
  repository: z.object({
    pullRequest: z.object({
      reviewThreads: connectionOf(
        z.object({
          id: z.string(),
          isResolved: z.boolean(),
          isOutdated: z.boolean(),
          comments: z.object({ nodes: z.array(z.object({ databaseId: z.number().nullish() })) }),
        }),
      ),
    }),
  }),
});
const reviewThreadsQuery = `query ReviewThreads($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        nodes { id isResolved isOutdated comments(first: 1) { nodes { databaseId } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`;
const resolveReviewThreadMutation = `mutation ResolveReviewThread($id: ID!) {
  resolveReviewThread(input: { threadId: $id }) { thread { isResolved } }
}`;

/** As many as one review makes, several times over. */
const maxThreadPages = 5;

/** Those whose lines have changed and which were not found again: resolved where the token may, else collapsed, else left. */
async function closeOutdated(plan: RunPlan, gone: readonly Earlier[], io: PublishIo): Promise<readonly string[]> {
  const byId = new Map(gone.map((one) => [one.id, one]));
  const ends = { resolved: 0, collapsed: 0, left: 0 };
  for (const { threadId, root } of await loadOpenOutdated(plan, io)) {
    const finding = byId.get(root);
    if (finding !== undefined) ends[await closeThread(threadId, finding, io)] += 1;
  }
  const said = (number: number, what: string) =>
    number === 0 ? [] : [`${count(number, 'earlier finding')} whose lines have changed ${what}`];
  return [
    ...said(ends.resolved, 'and that I did not find again: resolved.'),
    ...said(ends.collapsed, 'and that I did not find again: collapsed as outdated; this token may not resolve them.'),
    ...said(ends.left, 'and that I did not find again: left open, since this token may not resolve them.'),
  ];
}

async function closeThread(
  threadId: string,
  finding: Earlier,
  { ports, signal }: PublishIo,
): Promise<'resolved' | 'collapsed' | 'left'> {
  try {
    await ports.api.graphql(resolveReviewThreadMutation, { id: threadId }, signal);
    return 'resolved';
  } catch (error) {
    signal.throwIfAborted();
    ports.log(`[publish] a review thread is not resolved: ${messageOf(error)}`);
  }
  try {
    await minimize(finding, ports.api, signal);
    return 'collapsed';
  } catch (error) {
    signal.throwIfAborted();
    ports.log(`[publish] a finding is not collapsed: ${messageOf(error)}`);
    return 'left';
  }
}

async function loadOpenOutdated(plan: RunPlan, { ports, signal }: PublishIo) {
  const { owner, name } = plan.repository;
  const threads = await readConnection(async (after) => {
    const variables = { owner, name, number: plan.thread?.number, after };
    return threadsSchema.parse(await ports.api.graphql(reviewThreadsQuery, variables, signal)).repository.pullRequest
      .reviewThreads;
  }, maxThreadPages);
  return threads.flatMap(({ id, isResolved, isOutdated, comments }) => {
    const root = comments.nodes[0]?.databaseId;
    return isOutdated && !isResolved && typeof root === 'number' ? [{ threadId: id, root }] : [];
  });
}
