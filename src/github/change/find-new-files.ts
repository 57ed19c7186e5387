// Walks the workspace for files that the commit does not have and no .gitignore hides; follows no link and enters no other repository (E4).
import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isGitFolder } from '../../schema/git-folder.ts';
import { createIgnoreRules, type IgnoreRules } from './ignore-rules.ts';

export interface NewFiles {
  readonly paths: readonly string[];
  /** Folders that hold a `.git` of their own. */
  readonly nestedRepositories: readonly string[];
  /** There were more entries than looked at. */
  readonly isCut: boolean;
}

export interface WalkRequest {
  readonly workDir: string;
  /** Paths of the commit: files are not new, gitlinks are not entered. */
  readonly tracked: ReadonlyMap<string, { readonly mode: string }>;
  readonly baseRules: IgnoreRules;
}

/** A bound on the walk: a runaway build must not hold the publishing up (J4). */
const maxEntries = 500_000;
/** A longer .gitignore is not one. */
const maxIgnoreBytes = 256 * 1024;

/** The commit's ignore rules decide; what the workspace's own .gitignore files hide as well is left alone too. */
export async function findNewFiles(request: WalkRequest, signal: AbortSignal): Promise<NewFiles> {
  const walk: Walk = {
    request,
    paths: [],
    nestedRepositories: [],
    pending: [''],
    ownRules: createIgnoreRules(new Map()),
  };
  let seen = 0;
  for (let folder = walk.pending.pop(); folder !== undefined && seen <= maxEntries; folder = walk.pending.pop()) {
    signal.throwIfAborted();
    const entries = await readdir(join(request.workDir, folder), { withFileTypes: true }).catch(() => []);
    seen += entries.length;
    if (folder !== '' && entries.some((entry) => isGitFolder(entry.name))) walk.nestedRepositories.push(folder);
    else await lookInto(walk, folder, entries);
  }
  return { paths: walk.paths.sort(), nestedRepositories: walk.nestedRepositories.sort(), isCut: seen > maxEntries };
}

interface Walk {
  readonly request: WalkRequest;
  readonly paths: string[];
  readonly nestedRepositories: string[];
  /** Folders still to be looked into. */
  readonly pending: string[];
  readonly ownRules: ReturnType<typeof createIgnoreRules>;
}

async function lookInto(walk: Walk, folder: string, entries: readonly Dirent[]): Promise<void> {
  const { request } = walk;
  if (entries.some((entry) => entry.name === '.gitignore' && entry.isFile())) {
    walk.ownRules.add(folder, await readRules(join(request.workDir, folder, '.gitignore')));
  }
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (isGitFolder(entry.name) || isKnown(request.tracked.get(path), entry)) continue;
    const asked = entry.isDirectory() ? `${path}/` : path;
    if (request.baseRules.isIgnored(asked) || walk.ownRules.isIgnored(asked)) continue;
    (entry.isDirectory() ? walk.pending : walk.paths).push(path);
  }
}

/** A folder in place of a tracked file holds new files; a submodule's folder is not ours to look into. */
function isKnown(tracked: { readonly mode: string } | undefined, entry: Dirent): boolean {
  return tracked !== undefined && (!entry.isDirectory() || tracked.mode === '160000');
}

async function readRules(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.length > maxIgnoreBytes ? '' : text;
}
