// The workspace as it is before the agent: what changes are measured against. Taken while git may still be trusted; never changed afterwards.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createIgnoreRules, type IgnoreRules } from '../../schema/ignore-rules.ts';
import type { Clock } from '../../schema/world.ts';
import type { TreeEntry } from '../checkout/commit-tree.ts';
import type { BaseReader } from '../checkout/read-base.ts';
import { gitOutput, type RunGit } from '../checkout/run-git.ts';
import { type AttributeRules, type CloneAttributes, createAttributeRules } from './attributes.ts';
import { findNewFiles } from './find-new-files.ts';
import { describeSubmodule } from './submodule.ts';
import { createBreath, createWorkspaceFiles, rawHash, type Stamp } from './workspace-file.ts';

/** A path of the commit, as the workspace had it. `stamp` null: it was not on disk (a sparse checkout). */
export interface TrackedFile {
  readonly mode: string;
  readonly sha: string;
  readonly stamp: Stamp | null;
  /** Set when the file already differed from the commit: the hash of what lay on disk. */
  readonly dirtyHash: string | null;
  /** The path's bytes when they are not UTF-8. */
  readonly rawPath: Buffer | null;
  /** What a submodule's folder was, for mode 160000 (see submodule.ts). */
  readonly submodule: string | null;
}

export interface Manifest {
  readonly tracked: ReadonlyMap<string, TrackedFile>;
  /** Files that were there already, with their hashes; what is still the same is nobody's change. */
  readonly untracked: ReadonlyMap<string, { readonly stamp: Stamp | null; readonly hash: string | null }>;
  readonly nestedRepositories: ReadonlySet<string>;
  readonly ignoreRules: IgnoreRules;
  readonly attributeRules: AttributeRules;
  /** A file stamped this late may have changed within the same tick of the file system's clock, so it is read again. */
  readonly untrustedFromMs: number;
}

export interface ManifestRequest {
  readonly workDir: string;
  /** What the workspace's git stands on. */
  readonly commit: string;
  /** What lies in the workspace, where that is not the commit's own tree but what a merge made of it. */
  readonly tree?: string;
  readonly git: RunGit;
  readonly base: BaseReader;
  readonly clock: Pick<Clock, 'now'>;
}

/** Two ticks of the slowest kernel clock, and some. */
const tickMs = 100;
/** Bigger files are compared by their stamp only. */
const maxHashedBytes = 64 * 1024 * 1024;

/** Takes the manifest of a workspace. Line ends, ignore rules and the like are those of the tree that lies in it. */
export async function takeManifest(request: ManifestRequest, signal: AbortSignal): Promise<Manifest> {
  const untrustedFromMs = request.clock.now().getTime() - tickMs;
  const [tree, cloneAttributes, suspects] = await Promise.all([
    request.base.listTree(request.tree ?? request.commit, signal),
    loadCloneAttributes(request, signal),
    listSuspects(request, signal),
  ]);
  const ignoreRules = createIgnoreRules(await textsNamed('.gitignore', tree, request.base, signal));
  const attributeRules = createAttributeRules(await textsNamed('.gitattributes', tree, request.base, signal), cloneAttributes);
  const tracked = await lookAtTracked(tree, suspects, request.workDir, signal);
  const found = await findNewFiles({ workDir: request.workDir, tracked, baseRules: ignoreRules }, signal);
  return {
    tracked,
    untracked: await lookAtUntracked(found.paths, request.workDir, signal),
    nestedRepositories: new Set(found.nestedRepositories),
    ignoreRules,
    attributeRules,
    untrustedFromMs,
  };
}

/** Asked while git may be trusted; afterwards both files are the agent's. */
async function loadCloneAttributes({ git, workDir }: ManifestRequest, signal: AbortSignal): Promise<CloneAttributes> {
  const [asked, place] = await Promise.all([
    git({ cwd: workDir, args: ['config', '--get', 'core.autocrlf'] }, signal),
    gitOutput(git, { cwd: workDir, args: ['rev-parse', '--git-path', 'info/attributes'] }, signal),
  ]);
  const autoCrlf = asked.exitCode === 0 ? asked.stdout.toString('utf8').trim().toLowerCase() : 'false';
  return {
    info: await readFile(resolve(workDir, place.trim()), 'utf8').catch(() => ''),
    isAutoCrlf: ['', 'true', 'yes', 'on', '1', 'input'].includes(autoCrlf),
  };
}

async function textsNamed(
  name: string,
  tree: readonly TreeEntry[],
  base: BaseReader,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const entries = tree.filter(
    (entry) => entry.mode.startsWith('100') && (entry.path === name || entry.path.endsWith(`/${name}`)),
  );
  const blobs = await base.readBlobs(
    entries.map((entry) => entry.sha),
    signal,
  );
  return new Map(entries.map((entry) => [entry.path.slice(0, -name.length - 1), blobs.get(entry.sha)?.toString('utf8') ?? '']));
}

async function lookAtTracked(
  tree: readonly TreeEntry[],
  suspects: ReadonlySet<string>,
  workDir: string,
  signal: AbortSignal,
): Promise<Map<string, TrackedFile>> {
  const files = createWorkspaceFiles(workDir);
  const breathe = createBreath(signal);
  const tracked = new Map<string, TrackedFile>();
  for (const { path, mode, sha, rawPath } of tree) {
    await breathe();
    const isGitlink = mode === '160000';
    const bytes = suspects.has(path) && !isGitlink ? files.read(path, maxHashedBytes) : null;
    tracked.set(path, {
      mode,
      sha,
      stamp: isGitlink ? null : rawPath === null ? files.stampOf(path) : files.stampOfRaw(rawPath),
      dirtyHash: bytes === null ? null : rawHash(bytes),
      rawPath,
      submodule: isGitlink ? describeSubmodule(workDir, path) : null,
    });
  }
  return tracked;
}

/** Paths that may differ from the commit; more than really do does no harm. */
async function listSuspects(request: ManifestRequest, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const lists = await Promise.all([listDirty(request, signal), listUnwatched(request, signal)]);
  return new Set(lists.flat());
}

/** What git takes for different from the commit, by its index. */
async function listDirty(request: ManifestRequest, signal: AbortSignal): Promise<string[]> {
  const args = [
    'diff-index',
    '--name-only',
    '-z',
    '--no-ext-diff',
    '--no-textconv',
    '--ignore-submodules=all',
    request.commit,
    '--',
  ];
  const result = await request.git({ cwd: request.workDir, args }, signal);
  return result.stdout.toString('utf8').split('\0');
}

/** Files whose changes git was told not to see (`assume-unchanged`: a small letter, `skip-worktree`: S); they may differ from the commit. */
async function listUnwatched(request: ManifestRequest, signal: AbortSignal): Promise<string[]> {
  const listed = await gitOutput(request.git, { cwd: request.workDir, args: ['ls-files', '-v', '-z'] }, signal);
  return listed
    .split('\0')
    .filter((line) => /^[a-zS] /.test(line))
    .map((line) => line.slice(2));
}

async function lookAtUntracked(
  paths: readonly string[],
  workDir: string,
  signal: AbortSignal,
): Promise<Map<string, { stamp: Stamp | null; hash: string | null }>> {
  const files = createWorkspaceFiles(workDir);
  const breathe = createBreath(signal);
  const known = new Map<string, { stamp: Stamp | null; hash: string | null }>();
  for (const path of paths) {
    await breathe();
    const bytes = files.read(path, maxHashedBytes);
    known.set(path, { stamp: files.stampOf(path), hash: bytes === null ? null : rawHash(bytes) });
  }
  return known;
}
