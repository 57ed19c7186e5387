// What a tree on GitHub is made of: the changes, and under them what merging the base brought. Pure.
import type { Change, Merge, MergedPath } from '../../schema/bundle.ts';
import { foldersAbove } from '../../schema/ignore-rules.ts';

/** One path of the tree, in place of what the tree below has there. */
export type Draft =
  | { readonly kind: 'delete'; readonly path: string }
  | Omit<Extract<MergedPath, { kind: 'known' }>, 'isNew'>
  | (Pick<Extract<Change, { kind: 'write' }>, 'path' | 'mode' | 'content'> & { readonly kind: 'write' });

/** To be made on the head's tree; with a merge on the base's. Throws when a file in conflict is not among the changes. */
export function draftTree(merge: Merge | undefined, changes: readonly Change[]): readonly Draft[] {
  const drafts = changes.map(toDraft);
  return withoutReplaced(merge === undefined ? drafts : overlay(merge.paths, drafts));
}

function toDraft(change: Change): Draft {
  if (change.kind === 'delete') return { kind: 'delete', path: change.path };
  return { kind: 'write', path: change.path, mode: change.mode, content: change.content };
}

function overlay(paths: readonly MergedPath[], drafts: readonly Draft[]): readonly Draft[] {
  const byPath = new Map(drafts.map((draft) => [draft.path, draft]));
  const isReplaced = (path: string) => foldersAbove(path).some(([folder]) => byPath.get(folder)?.kind === 'write');
  for (const merged of paths) {
    const { path } = merged;
    const own = byPath.get(path);
    if (own === undefined && !isReplaced(path)) byPath.set(path, ofMerge(merged));
    // GitHub deletes nothing that the tree below has not.
    else if (own?.kind === 'delete' && merged.kind !== 'delete' && merged.isNew) byPath.delete(path);
  }
  return [...byPath.values()];
}

function ofMerge(merged: MergedPath): Draft {
  const { path, kind } = merged;
  if (kind === 'delete') return { kind, path };
  if (kind === 'known') return { kind, path, mode: merged.mode, sha: merged.sha };
  if (kind === 'merged') return { kind: 'write', path, mode: merged.mode, content: merged.content };
  throw new Error(`${JSON.stringify(path)} is in conflict and nothing says how it is resolved`);
}

/** A tree with a file or link in a folder's place needs no deletions below it, and GitHub takes none. */
function withoutReplaced(drafts: readonly Draft[]): readonly Draft[] {
  const written = new Set(drafts.filter(({ kind }) => kind !== 'delete').map(({ path }) => path));
  return drafts.filter(({ kind, path }) => kind !== 'delete' || !foldersAbove(path).some(([folder]) => written.has(folder)));
}
