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
    ownTexts: new Map(),
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
  readonly ownTexts: Map<string, string>;
  ownRules: IgnoreRules;
}

async function lookInto(walk: Walk, folder: string, entries: readonly Dirent[]): Promise<void> {
  const { request } = walk;
  if (entries.some((entry) => entry.name === '.gitignore' && entry.isFile())) {
    walk.ownTexts.set(folder, await readRules(join(request.workDir, folder, '.gitignore')));
    walk.ownRules = createIgnoreRules(walk.ownTexts);
  }
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (isGitFolder(entry.name) || request.tracked.has(path)) continue;
    const asked = entry.isDirectory() ? `${path}/` : path;
    if (request.baseRules.isIgnored(asked) || walk.ownRules.isIgnored(asked)) continue;
    (entry.isDirectory() ? walk.pending : walk.paths).push(path);
  }
}

async function readRules(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.length > maxIgnoreBytes ? '' : text;
}
