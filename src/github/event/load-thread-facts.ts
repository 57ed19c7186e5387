// Owns what the gate knows of a thread: state, authors and whether they may write, a pull request's pinned head, our runs, requests that wait.
import type { GateFacts, OwnPull, PullHead, ThreadFacts } from '../../schema/gate.ts';
import type { GitHubEvent } from '../../schema/github-event.ts';
import type { GateSettings } from '../../schema/settings.ts';
import { type Account, type GitHubApi, GitHubApiError, isRefusal, type RepositoryApi } from '../api.ts';
import { isChosen } from '../chosen-actors.ts';
import { loadDiscussion } from '../discussion.ts';
import { type ListedPull, markerOfOwnPull, toOwnPull } from '../own-pull.ts';
import { loadThreadTexts, type ThreadText } from '../thread-texts.ts';
import { findTopComment } from './find-top-comment.ts';
import { loadOwnPull } from './load-own-pull.ts';
import type { WriterLookup } from './load-permission.ts';
import { loadWaiting } from './load-waiting.ts';
import { countRuns, hasOpenMerge, sortOwn } from './own-texts.ts';

export interface ThreadQuestion {
  readonly event: GitHubEvent;
  readonly thread: { readonly kind: 'issue' | 'pull_request' | 'discussion'; readonly number: number };
  /** When it was asked. */
  readonly askedAt: string;
  readonly observedAt: string;
  readonly self: GateFacts['self'];
  readonly settings: GateSettings;
  /** Whether requests that no run answered are looked for. */
  readonly findsWaiting: boolean;
  readonly isWriter: WriterLookup;
}

/** The thread as it is now. Rejects where GitHub does not answer: without these facts nobody can be trusted. */
export async function loadThreadFacts(question: ThreadQuestion, place: RepositoryApi, signal: AbortSignal): Promise<ThreadFacts> {
  const { thread, self, settings, observedAt, askedAt, isWriter } = question;
  const post = await loadPost(question, place, signal);
  const { texts } = await loadThreadTexts(thread, place, signal);
  const shown = { include: settings.includeActors, exclude: settings.excludeActors };
  // Whose texts nobody sees has no part in the trust of the run; who may ask is another question.
  const earlier = texts.filter(
    ({ user, createdAt }) => isChosen(user?.login ?? 'ghost', shown) && Date.parse(createdAt) <= Date.parse(askedAt),
  );
  // The newest first: of many people not all are asked for, and what is said last matters most.
  const authors = distinctAuthors([{ user: post.user }, ...newestFirst(earlier)]).map(async ({ login, id }) => {
    const isSelf = id === self.id;
    return { login, isSelf, isWriter: isSelf || id === null ? false : await isWriter(login, signal) };
  });
  const own = sortOwn(texts, self.id);
  return {
    state: post.state,
    isLocked: post.isLocked,
    authors: await Promise.all(authors),
    head: post.pull?.head ?? null,
    base: post.pull?.base ?? null,
    ownPull: post.pull === null ? await loadOwnPull(question, place, signal) : post.pull.ownPull,
    runsInLastDay: countRuns(texts, self.id, observedAt),
    isMergeable: post.pull?.isMergeable ?? null,
    isMergeOpen: hasOpenMerge(texts, self.id),
    ...own,
    waiting: question.findsWaiting ? await loadWaiting(texts, { ...question, ...own }, place, signal) : [],
    topComment: findTopComment(question.event, texts),
  };
}

function newestFirst(texts: readonly ThreadText[]): readonly ThreadText[] {
  return texts.toSorted((left, right) => Date.parse(right.createdAt) - Date.parse(left.createdAt));
}

/** Once each; accounts that are gone are one `ghost` without an id (G1-05). */
function distinctAuthors(texts: readonly Pick<ThreadText, 'user'>[]) {
  const byId = new Map<number | null, { readonly login: string; readonly id: number | null }>();
  for (const { user } of texts) {
    const id = user === null ? null : Number(user.id);
    byId.set(id, { login: user?.login ?? 'ghost', id });
  }
  return [...byId.values()];
}

/** The thread's first post. */
interface Post {
  readonly user: Account | null;
  readonly state: ThreadFacts['state'];
  readonly isLocked: boolean;
  readonly pull: PullFacts | null;
}

async function loadPost(question: ThreadQuestion, place: RepositoryApi, signal: AbortSignal): Promise<Post> {
  const { kind, number } = question.thread;
  if (kind === 'discussion') {
    const { user, state, isLocked } = await loadDiscussion(number, place, signal);
    return { user, state, isLocked, pull: null };
  }
  const { data: issue } = await place.api.rest(
    'GET /repos/{owner}/{repo}/issues/{issue_number}',
    { ...place.repository, issue_number: number },
    signal,
  );
  const pull = kind === 'pull_request' ? await loadPull(question, place, signal) : null;
  const state = issue.state === 'open' ? 'open' : 'closed';
  return { user: issue.user, state: pull?.isMerged ? 'merged' : state, isLocked: issue.locked, pull };
}

interface PullFacts {
  readonly isMerged: boolean;
  readonly isMergeable: boolean | null;
  readonly head: PullHead;
  readonly base: { readonly branch: string; readonly sha: string };
  readonly ownPull: OwnPull | null;
}

async function loadPull(question: ThreadQuestion, place: RepositoryApi, signal: AbortSignal): Promise<PullFacts> {
  const { api, repository } = place;
  const parameters = { ...repository, pull_number: question.thread.number };
  const { data: pull } = await api.rest('GET /repos/{owner}/{repo}/pulls/{pull_number}', parameters, signal);
  // GitHub's schema knows no null here, GitHub does: the fork was deleted (G1-09).
  const headRepository: { readonly full_name: string; readonly id: number | bigint } | null = pull.head.repo;
  const head = {
    branch: pull.head.ref,
    sha: pull.head.sha,
    repository: headRepository?.full_name ?? null,
    isFork: Number(headRepository?.id) !== question.event.repository.id,
  };
  const moves = await loadMoves(question, head, api, signal);
  return {
    isMerged: pull.merged,
    isMergeable: pull.mergeable,
    head: { ...head, ...moves },
    base: { branch: pull.base.ref, sha: pull.base.sha },
    ownPull: await loadOwnOrigin(question, pull, place, signal),
  };
}

/** What is asked on our own pull request by a person is asked by that person; a check asks nobody, and its run is trusted no further than the work that failed. */
async function loadOwnOrigin(
  { event, self }: ThreadQuestion,
  pull: ListedPull,
  place: RepositoryApi,
  signal: AbortSignal,
): Promise<OwnPull | null> {
  if (!('check' in event)) return null;
  const origin = markerOfOwnPull(pull, { self, repositoryId: event.repository.id })?.origin;
  return origin === undefined ? null : toOwnPull({ pull, trust: origin.trust, self }, place, signal);
}

/**
 * Whether the head may have moved since the request (B6). The head that the webhook names is proof of the contrary; otherwise the
 * repository's list of pushes, which is the server's own and not the committer's. Our own pushes (an earlier run in the queue) do not
 * count. What cannot be verified counts as moved: no fork, no list, a list that does not end in this head, the same second.
 */
async function loadMoves(
  { event, askedAt, self }: ThreadQuestion,
  head: Pick<PullHead, 'branch' | 'sha' | 'repository'>,
  api: GitHubApi,
  signal: AbortSignal,
): Promise<Pick<PullHead, 'movedAfterTrigger' | 'isUnlisted'>> {
  if ('headSha' in event && event.headSha === head.sha) return { movedAfterTrigger: false };
  const [owner, repo] = head.repository?.split('/') ?? [];
  if (owner === undefined || repo === undefined) return { movedAfterTrigger: true };
  try {
    const parameters = { owner, repo, ref: `refs/heads/${head.branch}`, per_page: 100 };
    const { data: pushes } = await api.rest('GET /repos/{owner}/{repo}/activity', parameters, signal);
    if (pushes[0]?.after !== head.sha) return { movedAfterTrigger: true };
    const asked = Date.parse(askedAt);
    const later = pushes.filter((push) => !(Date.parse(push.timestamp) < asked));
    const isComplete = later.length < pushes.length || pushes.length < 100;
    return { movedAfterTrigger: !isComplete || later.some((push) => Number(push.actor?.id) !== self.id) };
  } catch (error) {
    // An older Enterprise Server knows no such list, some token may not read it: to ask again there changes nothing.
    if (error instanceof GitHubApiError) return { movedAfterTrigger: true, isUnlisted: isRefusal(error) };
    throw error;
  }
}
