// Keeps what a check of the work writes (coverage, caches, snapshots) out of the change: paths by their stamps, with what they were before.
import type { Change } from '../../schema/bundle.ts';
import { findNewFiles } from './find-new-files.ts';
import type { Manifest } from './manifest.ts';
import { createBreath, createWorkspaceFiles, isSameStamp, type Stamp } from './workspace-file.ts';

/** What was written, and what the change of that path was before; undefined: none. */
interface Aside {
  readonly stamp: Stamp | null;
  readonly change: Change | undefined;
}

/** By path. An entry holds for as long as the path is what was written; who writes it again makes a change of it. */
export type SetAside = ReadonlyMap<string, Aside>;

export const nothingAside: SetAside = new Map();

/** Every path that a change may be of, as it lies on disk. */
export type Stamps = ReadonlyMap<string, Stamp>;

/** Looks at all tracked and new files. */
export async function takeStamps(
  { before, workDir }: { readonly before: Manifest; readonly workDir: string },
  signal: AbortSignal,
): Promise<Stamps> {
  const files = createWorkspaceFiles(workDir);
  const found = await findNewFiles({ workDir, tracked: before.tracked, baseRules: before.ignoreRules }, signal);
  const breathe = createBreath(signal);
  const stamps = new Map<string, Stamp>();
  for (const path of [...before.tracked.keys(), ...found.paths]) {
    await breathe();
    const stamp = files.stampOf(path);
    if (stamp !== null) stamps.set(path, stamp);
  }
  return stamps;
}

/** `aside` with what differs between the two looks; `changes`: the change as it was at the first one. */
export function addWrites(
  aside: SetAside,
  looks: { readonly first: Stamps; readonly second: Stamps },
  changes: readonly Change[],
): SetAside {
  const { first, second } = looks;
  const changeOf = new Map(changes.map((change) => [change.path, change]));
  const written = [...new Set([...first.keys(), ...second.keys()])].filter((path) => !isSame(first.get(path), second.get(path)));
  return new Map([
    ...aside,
    ...written.map((path): [string, Aside] => [path, { stamp: second.get(path) ?? null, change: changeOf.get(path) }]),
  ]);
}

/** The entries that still hold. */
export function stillAside(aside: SetAside, workDir: string): SetAside {
  const files = createWorkspaceFiles(workDir);
  return new Map([...aside].filter(([path, { stamp }]) => isSame(stamp ?? undefined, files.stampOf(path) ?? undefined)));
}

function isSame(a: Stamp | undefined, b: Stamp | undefined): boolean {
  return a === undefined || b === undefined ? a === b : isSameStamp(a, b);
}
