// Owns what the gate knows of a thread: state, authors and whether they may write, a pull request's pinned head, our runs of a day.
import type { GateFacts, PullHead, ThreadFacts } from '../../schema/gate.ts';
import type { GitHubEvent } from '../../schema/github-event.ts';
import { type Account, type GitHubApi, GitHubApiError, type RepositoryApi } from '../api.ts';
import { parseMarker } from '../marker.ts';
import { loadThreadTexts, type ThreadText } from '../thread-texts.ts';
import { loadOwnPull } from './load-own-pull.ts';
import { createWriterLookup } from './load-permission.ts';

export type ThreadEvent = Extract<GitHubEvent, { readonly thread: unknown }>;

export interface ThreadQuestion {
  readonly event: ThreadEvent;
  readonly self: GateFacts['self'];
  readonly observedAt: string;
}

const dayMs = 86_400_000;

/** The thread as it is now. Rejects where GitHub does not answer: without these facts nobody can be trusted. */
export async function loadThreadFacts(question: ThreadQuestion, place: RepositoryApi, signal: AbortSignal): Promise<ThreadFacts> {
  const { event, self } = question;
  const { api, repository } = place;
  const { data: issue } = await api.rest(
    'GET /repos/{owner}/{repo}/issues/{issue_number}',
    { ...repository, issue_number: event.thread.number },
    signal,
  );
  const pull = event.thread.kind === 'pull_request' ? await loadPull(question, place, signal) : null;
  const texts = await loadThreadTexts(event.thread, place, signal);
  const isWriter = createWriterLookup(place);
  const logins = distinctAuthors([
    { user: issue.user },
    ...texts.filter(({ createdAt }) => Date.parse(createdAt) <= Date.parse(askedAt(event))),
  ]);
  const authors = logins.map(async ({ login, id }) => {
    const isSelf = id === self.id;
    return { login, isSelf, isWriter: isSelf || id === null ? false : await isWriter(login, signal) };
  });
  return {
    state: pull?.isMerged ? 'merged' : issue.state === 'open' ? 'open' : 'closed',
    isLocked: issue.locked,
    authors: await Promise.all(authors),
    head: pull?.head ?? null,
    base: pull?.base ?? null,
    ownPull: event.thread.kind === 'issue' ? await loadOwnPull(question, place, signal) : null,
    runsInLastDay: countRuns(texts, self.id, Date.parse(question.observedAt) - dayMs),
  };
}

function askedAt(event: ThreadEvent): string {
  return 'comment' in event ? event.comment.createdAt : event.createdAt;
}

/** Once each; accounts that are gone are one `ghost` without an id (G1-05). */
function distinctAuthors(texts: readonly { readonly user: Account | null }[]) {
  const byId = new Map<number | null, { readonly login: string; readonly id: number | null }>();
  for (const { user } of texts) {
    const id = user === null ? null : Number(user.id);
    byId.set(id, { login: user?.login ?? 'ghost', id });
  }
  return [...byId.values()];
}

/** Accepted triggers that we answered since `sinceMs`: a run's progress and reply carry the same trigger and count once. */
function countRuns(texts: readonly ThreadText[], selfId: number, sinceMs: number): number {
  const ours = texts.filter(({ user, createdAt }) => Number(user?.id) === selfId && Date.parse(createdAt) >= sinceMs);
  return new Set(ours.flatMap(({ body }) => parseMarker(body)?.trigger ?? [])).size;
}

interface PullFacts {
  readonly isMerged: boolean;
  readonly head: PullHead;
  readonly base: { readonly branch: string; readonly sha: string };
}

async function loadPull(question: ThreadQuestion, place: RepositoryApi, signal: AbortSignal): Promise<PullFacts> {
  const { api, repository } = place;
  const parameters = { ...repository, pull_number: question.event.thread.number };
  const { data: pull } = await api.rest('GET /repos/{owner}/{repo}/pulls/{pull_number}', parameters, signal);
  // GitHub's schema knows no null here, GitHub does: the fork was deleted (G1-09).
  const headRepository: { readonly full_name: string; readonly id: number | bigint } | null = pull.head.repo;
  const head = {
    branch: pull.head.ref,
    sha: pull.head.sha,
    repository: headRepository?.full_name ?? null,
    isFork: Number(headRepository?.id) !== question.event.repository.id,
  };
  const movedAfterTrigger = await hasMoved(question, head, api, signal);
  return { isMerged: pull.merged, head: { ...head, movedAfterTrigger }, base: { branch: pull.base.ref, sha: pull.base.sha } };
}

/**
 * Whether the head may have moved since the request (B6). The head that the webhook names is proof of the contrary; otherwise the
 * repository's list of pushes, which is the server's own and not the committer's. Our own pushes (an earlier run in the queue) do not
 * count. What cannot be verified counts as moved: no fork, no list, a list that does not end in this head, the same second.
 */
async function hasMoved(
  { event, self }: ThreadQuestion,
  head: Pick<PullHead, 'branch' | 'sha' | 'repository'>,
  api: GitHubApi,
  signal: AbortSignal,
): Promise<boolean> {
  if ('headSha' in event && event.headSha === head.sha) return false;
  const [owner, repo] = head.repository?.split('/') ?? [];
  if (owner === undefined || repo === undefined) return true;
  try {
    const parameters = { owner, repo, ref: `refs/heads/${head.branch}`, per_page: 100 };
    const { data: pushes } = await api.rest('GET /repos/{owner}/{repo}/activity', parameters, signal);
    if (pushes[0]?.after !== head.sha) return true;
    const asked = Date.parse(askedAt(event));
    const later = pushes.filter((push) => !(Date.parse(push.timestamp) < asked));
    const isComplete = later.length < pushes.length || pushes.length < 100;
    return !isComplete || later.some((push) => Number(push.actor?.id) !== self.id);
  } catch (error) {
    if (error instanceof GitHubApiError) return true;
    throw error;
  }
}
