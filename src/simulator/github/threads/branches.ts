/** Moves of branches: what they do to the activity list and to the pull requests whose head they are. */

import { diffCounts } from '../git/diff.ts';
import type { FileContent } from '../git/fast-import.ts';
import { NO_OBJECT } from '../git/git-repository.ts';
import type { Hub } from '../hub.ts';
import { signatureOf } from '../people.ts';
import type { Activity, PullStats, Thread } from '../state.ts';
import { followLines } from './follow-lines.ts';
import { editThread, note } from './threads.ts';

export interface RefMove {
  readonly actor: string;
  readonly ref: string;
  /** `NO_OBJECT` for a new ref. */
  readonly before: string;
  /** `NO_OBJECT` for a deleted ref. */
  readonly after: string;
}

export interface BranchCommit {
  readonly branch: string;
  readonly files: Readonly<Record<string, FileContent>>;
  readonly message: string;
  readonly author: string;
}

/** Records a move that git has already made, and lets pull requests follow their branch. */
export async function recordRefMove(hub: Hub, move: RefMove): Promise<void> {
  if (move.before === move.after) return;
  const isForced = move.before !== NO_OBJECT && move.after !== NO_OBJECT && !(await hub.git.isAncestor(move.before, move.after));
  hub.state.activity.push({ id: hub.state.nextId(), ...move, type: activityType(move, isForced), timestamp: hub.now() });
  if (!move.ref.startsWith('refs/heads/')) return;
  for (const thread of openPullsFrom(hub, move.ref.slice('refs/heads/'.length))) {
    // Without its branch a pull request is closed; its commits stay under its own ref.
    if (move.after === NO_OBJECT) {
      editThread(hub, thread, move.actor, { state: 'closed' });
      continue;
    }
    if (isForced) note(hub, thread, { actor: move.actor, event: 'head_ref_force_pushed' });
    await movePullHead(hub, thread, move.after);
  }
}

function activityType(move: RefMove, isForced: boolean): Activity['type'] {
  if (move.before === NO_OBJECT) return 'branch_creation';
  if (move.after === NO_OBJECT) return 'branch_deletion';
  return isForced ? 'force_push' : 'push';
}

function openPullsFrom(hub: Hub, branch: string): readonly Thread[] {
  return [...hub.state.threads.values()].filter(
    (thread) => thread.state === 'open' && thread.pull?.headRepository === null && thread.pull.headRef === branch,
  );
}

/** Points a pull request at another head commit. */
export async function movePullHead(hub: Hub, thread: Thread, headSha: string): Promise<void> {
  if (thread.pull === null) return;
  await hub.git.updateRef(pullRef(thread.number), headSha);
  await followLines(hub, thread, headSha);
  thread.pull.headSha = headSha;
  thread.pull.baseSha = hub.git.refs.get(`refs/heads/${thread.pull.baseRef}`) ?? thread.pull.baseSha;
  thread.pull.stats = await pullStats(hub, thread.pull.baseSha, headSha);
  thread.updatedAt = hub.now();
}

/** The ref under which GitHub keeps a pull request's head. */
export function pullRef(number: number): string {
  return `refs/pull/${number}/head`;
}

/** The numbers of a pull request. Unrelated histories count as everything. */
export async function pullStats(hub: Hub, baseSha: string, headSha: string): Promise<PullStats> {
  const mergeBase = (await hub.git.mergeBase(baseSha, headSha)) ?? baseSha;
  const [commits, counts] = await Promise.all([hub.git.countAhead(mergeBase, headSha), diffCounts(hub.git, mergeBase, headSha)]);
  return { commits, ...counts };
}

/** Commits files to a branch, which is made from the default branch when it is new. */
export async function commitToBranch(hub: Hub, commit: BranchCommit): Promise<string> {
  const { defaultBranch } = hub.state.repository;
  const ref = `refs/heads/${commit.branch}`;
  const before = hub.git.refs.get(ref);
  const parent = before ?? hub.git.refs.get(`refs/heads/${defaultBranch}`) ?? null;
  const author = signatureOf(hub.state, commit.author, hub.now());
  const after = await hub.git.commitFiles({ ref, parent, files: commit.files, message: commit.message, author });
  await recordRefMove(hub, { actor: commit.author, ref, before: before ?? NO_OBJECT, after });
  return after;
}
