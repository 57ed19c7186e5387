// Walks the workspace for files that the commit does not have and no .gitignore hides; follows no link and enters no other repository (E4).
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { isGitFolder } from '../../schema/git-folder.ts';
import { createIgnoreRules, type IgnoreRules } from '../../schema/ignore-rules.ts';
import { isTemporaryFile } from '../../schema/temporary-file.ts';
import { createWorkspaceFiles, type WorkspaceFiles } from './workspace-file.ts';

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

/** A bound on the walk, in entries: a runaway build must not hold the publishing up (J4). */
const maxEntries = 500_000;
/** So many patterns cost as much as an entry itself; a hostile .gitignore holds a hundred thousand. */
const patternsAnEntry = 200;
/** A longer .gitignore is not one. */
const maxIgnoreBytes = 256 * 1024;

/** The commit's ignore rules decide; what the workspace's own .gitignore files hide as well is left alone too. */
export async function findNewFiles(request: WalkRequest, signal: AbortSignal): Promise<NewFiles> {
  const walk: Walk = {
    request,
    paths: [],
    nestedRepositories: [],
    pending: [''],
    files: createWorkspaceFiles(request.workDir),
    ownRules: createIgnoreRules(new Map()),
  };
  let seen = 0;
  for (let folder = walk.pending.pop(); folder !== undefined; folder = walk.pending.pop()) {
    signal.throwIfAborted();
    const entries = await readdir(join(request.workDir, folder), { withFileTypes: true }).catch(() => []);
    readRules(walk, folder, entries);
    seen += entries.length * costOfEntry(walk, folder);
    if (seen > maxEntries) break;
    if (folder !== '' && entries.some((entry) => isGitFolder(entry.name))) walk.nestedRepositories.push(folder);
    else lookInto(walk, folder, entries);
  }
  return { paths: walk.paths.sort(), nestedRepositories: walk.nestedRepositories.sort(), isCut: seen > maxEntries };
}

interface Walk {
  readonly request: WalkRequest;
  readonly paths: string[];
  readonly nestedRepositories: string[];
  /** Folders still to be looked into. */
  readonly pending: string[];
  readonly files: WorkspaceFiles;
  readonly ownRules: ReturnType<typeof createIgnoreRules>;
}

function readRules({ ownRules, files }: Walk, folder: string, entries: readonly Dirent[]): void {
  if (!entries.some((entry) => entry.name === '.gitignore' && entry.isFile())) return;
  ownRules.add(folder, files.read(posix.join(folder, '.gitignore'), maxIgnoreBytes)?.toString('utf8') ?? '');
}

function costOfEntry({ request, ownRules }: Walk, folder: string): number {
  return 1 + (request.baseRules.patternsFor(folder) + ownRules.patternsFor(folder)) / patternsAnEntry;
}

function lookInto(walk: Walk, folder: string, entries: readonly Dirent[]): void {
  const { request } = walk;
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (isGitFolder(entry.name) || isTemporaryFile(entry.name) || isKnown(request.tracked.get(path), entry)) continue;
    const asked = entry.isDirectory() ? `${path}/` : path;
    if (request.baseRules.isIgnored(asked) || walk.ownRules.isIgnored(asked)) continue;
    (entry.isDirectory() ? walk.pending : walk.paths).push(path);
  }
}

/** A folder in place of a tracked file holds new files; a submodule's folder is not ours to look into. */
function isKnown(tracked: { readonly mode: string } | undefined, entry: Dirent): boolean {
  return tracked !== undefined && (!entry.isDirectory() || tracked.mode === '160000');
}
