// Merges the base branch into the checked-out head, in the private git folder, and lays the result into the workspace; before any untrusted process, and no driver or filter runs.
import { copyFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Merge, MergeConflict, MergedPath } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { type BaseReader, contentOf } from './read-base.ts';
import { type MergeAnswer, marksIn, readBlobNames, readDifferences, readMergeAnswer, type TreeDifference } from './read-merge.ts';
import { deepen, fetchObjects, openRemote, type Remote, type RemoteRequest } from './remote.ts';
import { gitOutput, type RunGit } from './run-git.ts';

export interface MergeBaseRequest extends RemoteRequest {
  readonly plan: Pick<RunPlan, 'repository' | 'checkoutSha' | 'base'>;
  readonly git: RunGit;
  /** The reader's own folder: what the merge makes is written there, and read by it. */
  readonly gitDir: string;
  readonly reader: BaseReader;
  /** Why a path cannot be part of the merge, as a clause, or null. */
  readonly refuses: (merged: MergedPath) => string | null;
}

/** `tree`: what lies in the workspace now. `why`: a clause. */
export type BaseMerge =
  | { readonly kind: 'merged'; readonly tree: string; readonly merge: Merge }
  | { readonly kind: 'up_to_date' }
  | { readonly kind: 'impossible'; readonly why: string };

/** How many more commits are fetched, time after time, until the histories meet; further apart than all of them they are not merged here. */
const deepenings = [100, 400, 1_600, 6_400];
/** GitHub takes a tree in one request. */
const maxPaths = 10_000;

/** Rejects on abort, and where git itself does not run; what cannot be merged is a result, and then the workspace is as it was. */
export async function mergeBase(request: MergeBaseRequest, signal: AbortSignal): Promise<BaseMerge> {
  const { git, plan } = request;
  const shallow = await gitOutput(git, { cwd: request.workDir, args: ['rev-parse', '--is-shallow-repository'] }, signal);
  const remote = openRemote(git, request, shallow.trim() === 'true');
  const found = await findMergeBase(remote, plan, signal);
  if (found === plan.base.sha) return { kind: 'up_to_date' };
  if (found === null) return impossible('no common commit of both was found');
  const theirs = await openPrivate(request, signal);
  if (!(await obtainContents(request, remote, found, signal))) return impossible('not all files of both could be fetched');
  const merged = await own(request, ['merge-tree', '--write-tree', '-z', 'HEAD', theirs], signal);
  // 1: there are conflicts.
  if (merged.exitCode !== 0 && merged.exitCode !== 1) return impossible(whyNotMerged(merged.stderr));
  const answer = readMergeAnswer(merged.stdout);
  const merge = await describeMerge(request, answer, signal);
  if (typeof merge === 'string') return impossible(merge);
  const refused = await layOut(request, answer.tree, signal);
  return refused === null ? { kind: 'merged', tree: answer.tree, merge } : impossible(refused);
}

function impossible(why: string): BaseMerge {
  return { kind: 'impossible', why };
}

function whyNotMerged(stderr: string): string {
  return /usage:|unknown option/i.test(stderr)
    ? 'the runner’s git is older than 2.38'
    : `git could not merge them (${stderr.trim().split('\n')[0] ?? ''})`;
}

/** Where the histories meet, as far as the remote lets; null: they do not. */
async function findMergeBase(
  remote: Remote,
  { checkoutSha, base }: MergeBaseRequest['plan'],
  signal: AbortSignal,
): Promise<string | null> {
  const sides = [checkoutSha, base.sha];
  const ask = async () => {
    const result = await remote.git({ cwd: remote.workDir, args: ['merge-base', ...sides] }, signal);
    return result.exitCode === 0 ? (result.stdout.toString('utf8').split('\n')[0] ?? null) : null;
  };
  const atOnce = await ask();
  if (atOnce !== null || !remote.isShallow) return atOnce;
  for (const commits of deepenings) {
    await deepen(remote, sides, commits, signal);
    const found = await ask();
    if (found !== null) return found;
  }
  return null;
}

/** The private folder knows both sides by the names that conflict marks show, where the history ends, and what lies in the workspace. */
async function openPrivate(request: MergeBaseRequest, signal: AbortSignal): Promise<string> {
  const { git, workDir, gitDir, plan } = request;
  const args = ['rev-parse', '--git-path', 'index', '--git-path', 'shallow'];
  const [index = '', shallow = ''] = (await gitOutput(git, { cwd: workDir, args }, signal)).split('\n');
  await copyFile(resolve(workDir, index), `${gitDir}/index`);
  // A whole clone has none.
  await copyFile(resolve(workDir, shallow), `${gitDir}/shallow`).catch(() => undefined);
  const theirs = `refs/heads/${plan.base.branch}`;
  await gitOutput(git, privately(request, ['update-ref', '--no-deref', 'HEAD', plan.checkoutSha]), signal);
  await gitOutput(git, privately(request, ['update-ref', theirs, plan.base.sha]), signal);
  return theirs;
}

/** What either side changed, of a clone that came without contents: git would stop in the middle of laying the files out. */
async function obtainContents(
  request: MergeBaseRequest,
  remote: Remote,
  mergeBaseSha: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { checkoutSha, base } = request.plan;
  const shas = new Set<string>();
  for (const side of [checkoutSha, base.sha]) {
    const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', mergeBaseSha, side];
    for (const sha of readBlobNames((await own(request, args, signal)).stdout)) shas.add(sha);
  }
  const missing = await findMissing(request, [...shas], signal);
  if (missing.length === 0) return true;
  return (await fetchObjects(remote, missing, signal)) === '' && (await findMissing(request, missing, signal)).length === 0;
}

async function findMissing(request: MergeBaseRequest, shas: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  if (shas.length === 0) return [];
  const input = shas.map((sha) => `${sha}\n`).join('');
  const listed = await gitOutput(request.git, { ...privately(request, ['cat-file', '--batch-check']), input }, signal);
  return listed.split('\n').flatMap((line) => (line.endsWith(' missing') ? line.slice(0, 40) : []));
}

function privately({ gitDir }: MergeBaseRequest, args: readonly string[]) {
  return { cwd: gitDir, args: [`--git-dir=${gitDir}`, ...args] };
}

function own(request: MergeBaseRequest, args: readonly string[], signal: AbortSignal) {
  return request.git(privately(request, args), signal);
}

/** The merge as data against the base's tree, which has the most of it; or why it cannot be told. */
async function describeMerge(request: MergeBaseRequest, answer: MergeAnswer, signal: AbortSignal): Promise<Merge | string> {
  const { reader, plan } = request;
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', plan.base.sha, answer.tree];
  const differences = readDifferences((await own(request, args, signal)).stdout);
  if (differences.length > maxPaths) return `more than ${maxPaths} files differ from the base`;
  if (differences.some(({ path }) => path.includes('\ufffd'))) return 'a path is not UTF-8';
  const conflicts = await describeConflicts(request, answer, differences, signal);
  const trees = await Promise.all([plan.checkoutSha, plan.base.sha].map((commit) => reader.listTree(commit, signal)));
  const known = new Set(trees.flat().map(({ sha }) => sha));
  const open = new Set(conflicts.filter(({ marks }) => marks.length > 0).map(({ path }) => path));
  const made = differences.filter(({ path, sha }) => sha !== null && !known.has(sha) && !open.has(path));
  const contents = await reader.readBlobs(
    made.map(({ sha }) => sha ?? ''),
    signal,
  );
  const lost = made.find(({ sha }) => sha !== null && !contents.has(sha));
  if (lost !== undefined) return `what both sides made of ${JSON.stringify(lost.path)} is too big`;
  const paths = differences.map((difference) => describePath(difference, open.has(difference.path), contents));
  const refused = paths.find((merged) => request.refuses(merged) !== null);
  return refused === undefined ? { paths, conflicts } : `${JSON.stringify(refused.path)}: ${request.refuses(refused) ?? ''}`;
}

function describePath(
  { path, isNew, mode, sha }: TreeDifference,
  isOpen: boolean,
  contents: ReadonlyMap<string, Buffer>,
): MergedPath {
  if (sha === null) return { kind: 'delete', path };
  if (isOpen) return { kind: 'open', path, isNew };
  const bytes = contents.get(sha);
  if (mode === '160000' || bytes === undefined) return { kind: 'known', path, isNew, mode: modeOf(mode), sha };
  const fileMode = modeOf(mode);
  return { kind: 'merged', path, isNew, mode: fileMode === '160000' ? '100644' : fileMode, content: contentOf(bytes) };
}

/** Old histories have other modes for files than git writes today. */
function modeOf(mode: string) {
  return mode === '160000' || mode === '120000' || mode === '100755' ? mode : '100644';
}

async function describeConflicts(
  { reader }: MergeBaseRequest,
  { stages, words }: MergeAnswer,
  differences: readonly TreeDifference[],
  signal: AbortSignal,
): Promise<MergeConflict[]> {
  const byPath = Map.groupBy(stages, ({ path }) => path);
  const results = new Map(differences.map(({ path, sha }) => [path, sha]));
  const shas = [...stages.map(({ sha }) => sha), ...[...byPath.keys()].flatMap((path) => results.get(path) ?? [])];
  const blobs = await reader.readBlobs(shas, signal);
  const textOf = (sha: string | null | undefined) => (blobs.get(sha ?? '') ?? Buffer.alloc(0)).toString('utf8');
  return Array.from(byPath, ([path, sides]) => ({
    path,
    what: words.get(path)?.[0] ?? 'both sides changed it',
    marks: marksIn(
      textOf(results.get(path)),
      sides.filter(({ number }) => number > 1).map(({ sha }) => textOf(sha)),
    ),
  }));
}

/**
 * By git, which writes through no link and over nothing that was changed since the checkout, in one go or not at all. What of the workspace's
 * configuration says how files lie on this disk holds. Why it was refused, or null.
 */
async function layOut(request: MergeBaseRequest, tree: string, signal: AbortSignal): Promise<string | null> {
  const { git, workDir, gitDir } = request;
  const pattern = '^core\\.(autocrlf|eol|symlinks|filemode|ignorecase|precomposeunicode|longpaths)$';
  const listed = await git({ cwd: workDir, args: ['config', '--null', '--get-regexp', pattern] }, signal);
  const config = listed.stdout
    .toString('utf8')
    .split('\0')
    .map((entry) => entry.split('\n'))
    .flatMap(([key = '', value = 'true']): [string, string][] => (key === '' ? [] : [[key, value]]));
  const inPlace = [`--git-dir=${gitDir}`, `--work-tree=${workDir}`];
  // Its answer only tells whether there are local changes.
  await git({ cwd: workDir, args: [...inPlace, 'update-index', '-q', '--refresh'], config }, signal);
  const laid = await git({ cwd: workDir, args: [...inPlace, 'read-tree', '-m', '-u', 'HEAD', tree], config }, signal);
  return laid.exitCode === 0 ? null : `files in the workspace are in the way (${laid.stderr.trim().split('\n')[0] ?? ''})`;
}
