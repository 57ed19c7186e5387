// Takes back the newest commit of ours on a pull request, file by file, as data for a new commit; no model, and what others changed since stays.
import type { Change } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { oneLine } from '../../schema/one-line.ts';
import { createSlots } from '../../schema/slots.ts';
import type { RepositoryApi } from '../api.ts';
import { renderPatch } from '../change/render-patch.ts';
import { contentOf } from '../checkout/read-base.ts';
import { count } from '../publish/figures.ts';
import { inlineCode } from '../publish/inline-code.ts';
import { findCommitToUndo, loadOwnCommits, type PullCommit } from './own-commits.ts';
import { loadFile, loadTree, type Tree, type TreeEntry } from './read-tree.ts';

/** What an undo comes to. `undoes` null: nothing is taken back, and `reply` says why. */
export interface Undo {
  readonly undoes: string | null;
  readonly changes: readonly Change[];
  readonly title: string;
  readonly reply: string;
}

/** Reads GitHub and writes nothing. Rejects where GitHub does not answer. */
export async function loadUndo(plan: RunPlan, place: RepositoryApi, signal: AbortSignal): Promise<Undo> {
  const number = plan.pullRequest.continues ?? plan.thread?.number ?? 0;
  if (plan.head === null) return nothing('no open pull request of this repository belongs to this thread.');
  const commits = await loadOwnCommits(number, plan, place, signal);
  if (commits === null) return nothing(`#${number} has more commits than GitHub lists, or moved just now.`);
  const commit = findCommitToUndo(commits);
  if (commit === null) return nothing(`no commit of mine on #${number} is left that is not taken back already.`);
  if (commit.parents.length !== 1)
    return nothing(`my newest commit on #${number}, ${commit.sha.slice(0, 7)}, merges the base branch; revert it by hand.`);
  const trees = await loadTrees(commit, commits, place, signal);
  if (trees === null) return nothing('this repository has more files than GitHub lists at once; revert it by hand.');
  const { taken, left } = sortFiles(trees);
  if (taken.length === 0) return nothing(whyNone(commit, left));
  const inTurn = createSlots(maxReads);
  const changes = await Promise.all(taken.map((path) => inTurn(() => toChange(path, trees, place, signal), signal)));
  return {
    undoes: commit.sha,
    changes,
    title: `Undo "${oneLine(commit.subject, 50)}"`,
    reply: renderUndone(commit, taken, left),
  };
}

/** GitHub minds many requests at the same time; a commit of ours may be as large as the workflow lets it. */
const maxReads = 8;

function whyNone({ sha }: PullCommit, left: readonly string[]): string {
  const what = `everything in my newest commit, ${sha.slice(0, 7)},`;
  return left.length === 0 ? `${what} is as before it already.` : `${what} was changed since: ${names(left)}.`;
}

function nothing(why: string): Undo {
  return { undoes: null, changes: [], title: 'Undo', reply: `There is nothing that I can take back here: ${why}` };
}

interface Trees {
  /** Without the commit, with it, and as it is now. */
  readonly before: Tree;
  readonly after: Tree;
  readonly now: Tree;
}

async function loadTrees(
  commit: PullCommit,
  commits: readonly PullCommit[],
  { api, repository }: RepositoryApi,
  signal: AbortSignal,
): Promise<Trees | null> {
  const parameters = { ...repository, commit_sha: commit.parents[0] ?? '' };
  const { data: parent } = await api.rest('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', parameters, signal);
  const shas = [parent.tree.sha, commit.treeSha, commits.at(-1)?.treeSha ?? ''];
  const [before, after, now] = await Promise.all(shas.map((sha) => loadTree(sha, { api, repository }, signal)));
  return before && after && now ? { before, after, now } : null;
}

/** What the commit changed: what is still so is taken back, what is not any more is left, but for what is back already. */
function sortFiles({ before, after, now }: Trees): { readonly taken: readonly string[]; readonly left: readonly string[] } {
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter((path) => !isSame(before.get(path), after.get(path)));
  const open = paths.filter((path) => !isSame(before.get(path), now.get(path)));
  const isTaken = (path: string) => isSame(after.get(path), now.get(path)) && before.get(path)?.mode !== '160000';
  return { taken: open.filter(isTaken), left: open.filter((path) => !isTaken(path)) };
}

function isSame(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  return one?.sha === other?.sha && one?.mode === other?.mode;
}

async function toChange(path: string, { before, now }: Trees, place: RepositoryApi, signal: AbortSignal): Promise<Change> {
  const [then, current] = await Promise.all([loadFile(before.get(path), place, signal), loadFile(now.get(path), place, signal)]);
  const patch = renderPatch(path, current, then);
  if (then === null) return { kind: 'delete', path, patch };
  return { kind: 'write', path, isNew: current === null, mode: then.mode, content: contentOf(then.bytes), patch };
}

const maxNames = 10;

function names(paths: readonly string[]): string {
  const shown = paths.slice(0, maxNames).map((path) => inlineCode(path, 250));
  return [...shown, ...(paths.length > maxNames ? [`${count(paths.length - maxNames, 'more file')}`] : [])].join(', ');
}

function renderUndone({ sha, subject }: PullCommit, taken: readonly string[], left: readonly string[]): string {
  const verb = taken.length === 1 ? 'is' : 'are';
  const done = `Took back ${sha.slice(0, 7)} (${inlineCode(subject, 80)}): ${names(taken)} ${verb} as before it.`;
  if (left.length === 0) return done;
  return `${done}\n\nLeft alone, since changed after it: ${names(left)}.`;
}
