// Keeps what a check of the work writes (coverage, caches, snapshots) out of the change: by how paths lie on disk, with what they were before.
import type { Bundle, Change } from '../../schema/bundle.ts';
import { printablePath } from './change-path.ts';
import { findNewFiles } from './find-new-files.ts';
import type { Manifest, TrackedFile } from './manifest.ts';
import { describeSubmodule } from './submodule.ts';
import { createBreath, createWorkspaceFiles, type Stamp, type WorkspaceFiles } from './workspace-file.ts';

/** What a path of the change came to: published, or left out with the reason. */
type Found = { readonly changes: readonly Change[]; readonly leftOut: Bundle['leftOut'] };

/** `now`: what the check left there, as a look says it. The rest: what the path came to before the check; neither: nothing. */
interface Aside {
  readonly now: string | undefined;
  readonly change: Change | undefined;
  readonly leftOut: Bundle['leftOut'][number] | undefined;
}

/** By path. An entry holds for as long as the path is what the check left; who writes it again makes a change of it. */
export type SetAside = ReadonlyMap<string, Aside>;

export const nothingAside: SetAside = new Map();

/** Every path that a change may be of, with what tells whether it is the same at another look. */
export type Look = ReadonlyMap<string, string>;

export interface LookRequest {
  readonly before: Manifest;
  readonly workDir: string;
}

/** A repository within the workspace, beside the files' paths. */
export function repositoryAt(folder: string): string {
  return `${folder}/`;
}

/** Looks at all tracked and new files, at submodules and at repositories within. */
export async function takeLook({ before, workDir }: LookRequest, signal: AbortSignal): Promise<Look> {
  const files = createWorkspaceFiles(workDir);
  const found = await findNewFiles({ workDir, tracked: before.tracked, baseRules: before.ignoreRules }, signal);
  const breathe = createBreath(signal);
  const look = new Map(found.nestedRepositories.map((folder) => [repositoryAt(folder), 'repository']));
  for (const [path, file] of before.tracked) {
    await breathe();
    look.set(path, file.mode === '160000' ? describeSubmodule(workDir, path) : lettersOf(stampOfTracked(files, path, file)));
  }
  for (const path of found.paths) {
    await breathe();
    look.set(path, lettersOf(files.stampOf(path)));
  }
  return look;
}

/** `aside` with what differs between the two looks; `found`: what the change was at the first one. */
export function addWrites(aside: SetAside, looks: { readonly first: Look; readonly second: Look }, found: Found): SetAside {
  const { first, second } = looks;
  const changes = new Map(found.changes.map((change) => [change.path, change]));
  const leftOut = new Map(found.leftOut.map((one) => [one.path, one]));
  const written = [...new Set([...first.keys(), ...second.keys()])].filter((path) => first.get(path) !== second.get(path));
  const entries = written.map((path): [string, Aside] => {
    const told = printablePath(path.replace(/\/$/, ''));
    return [path, { now: second.get(path), change: changes.get(path), leftOut: leftOut.get(told) }];
  });
  return new Map([...aside, ...entries]);
}

/** The entries that still hold. */
export async function stillAside(aside: SetAside, request: LookRequest, signal: AbortSignal): Promise<SetAside> {
  if (aside.size === 0) return aside;
  const look = await takeLook(request, signal);
  return new Map([...aside].filter(([path, { now }]) => look.get(path) === now));
}

function stampOfTracked(files: WorkspaceFiles, path: string, { rawPath }: TrackedFile): Stamp | null {
  return rawPath === null ? files.stampOf(path) : files.stampOfRaw(rawPath);
}

function lettersOf(stamp: Stamp | null): string {
  return stamp === null ? 'nothing' : Object.values(stamp).join(' ');
}
