/** Differences between two commits as GitHub shows them: renames found, from the merge base. */
import type { GitRepository } from './git-repository.ts';

export interface FileDiff {
  readonly path: string;
  readonly previousPath: string | null;
  readonly status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed';
  readonly sha: string;
  readonly additions: number;
  readonly deletions: number;
  /** Absent for binary files and pure renames. */
  readonly patch: string | null;
}

const DIFF = ['diff', '--no-color', '--no-ext-diff', '--full-index', '-M'] as const;
const STATUS: Readonly<Record<string, FileDiff['status']>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'changed',
};
// The tree of no files: what a first commit is compared with.
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** The changed files between two trees, in git's order. */
export async function diffFiles(git: GitRepository, from: string, to: string): Promise<readonly FileDiff[]> {
  const [summary, text] = await Promise.all([
    git.run({ args: [...DIFF, '--raw', '--numstat', '-z', from, to] }),
    diffText(git, from, to),
  ]);
  const fields = summary.toString().split('\0');
  const raw = readRaw(fields);
  const counts = readCounts(fields.slice(raw.fieldsRead));
  const patches = patchesByFile(text);
  return raw.files.map((file, index) => ({
    ...file,
    additions: counts[index]?.additions ?? 0,
    deletions: counts[index]?.deletions ?? 0,
    patch: hunks(patches[index] ?? ''),
  }));
}

/** The diff as text. */
export async function diffText(git: GitRepository, from: string, to: string): Promise<string> {
  return (await git.run({ args: [...DIFF, '--patch', from, to] })).toString();
}

/** The commits of a range as `git format-patch` writes them. */
export async function patchText(git: GitRepository, from: string, to: string): Promise<string> {
  return (await git.run({ args: ['format-patch', '--stdout', `${from}..${to}`] })).toString();
}

/** Added and deleted lines and the number of files, without the text. */
export async function diffCounts(git: GitRepository, from: string, to: string) {
  const line = await git.line(...DIFF, '--shortstat', from, to);
  const count = (pattern: RegExp): number => Number(pattern.exec(line)?.[1] ?? 0);
  return { changedFiles: count(/(\d+) files? changed/), additions: count(/(\d+) insertion/), deletions: count(/(\d+) deletion/) };
}

type RawFile = Pick<FileDiff, 'path' | 'previousPath' | 'status' | 'sha'>;

// `:mode mode sha sha STATUS` NUL path [NUL new path]; the counts follow without a mark of their own.
function readRaw(fields: readonly string[]): { files: readonly RawFile[]; fieldsRead: number } {
  const files: RawFile[] = [];
  let at = 0;
  while (fields[at]?.startsWith(':')) {
    const [, , before = '', after = '', letter = 'M'] = (fields[at] ?? '').split(' ');
    const isMove = letter.startsWith('R') || letter.startsWith('C');
    const first = fields[at + 1] ?? '';
    files.push({
      path: isMove ? (fields[at + 2] ?? '') : first,
      previousPath: isMove ? first : null,
      status: STATUS[letter.slice(0, 1)] ?? 'changed',
      sha: letter === 'D' ? before : after,
    });
    at += isMove ? 3 : 2;
  }
  return { files, fieldsRead: at };
}

// `added TAB deleted TAB path` NUL, and for a move `added TAB deleted TAB` NUL old NUL new NUL; a binary file counts `-`.
function readCounts(fields: readonly string[]): readonly { additions: number; deletions: number }[] {
  return fields
    .map((field) => /^(\d+|-)\t(\d+|-)\t/.exec(field))
    .filter((match) => match !== null)
    .map(([, additions, deletions]) => ({ additions: Number(additions) || 0, deletions: Number(deletions) || 0 }));
}

// A file that became a link has two patches in a row, and one entry in the list.
function patchesByFile(text: string): readonly string[] {
  const [, ...parts] = text.split(/^(diff --git .*)\n/m);
  const patches: string[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const isSameFile = at > 0 && parts[at] === parts[at - 2];
    if (isSameFile) patches.push(`${patches.pop() ?? ''}${parts[at + 1] ?? ''}`);
    else patches.push(parts[at + 1] ?? '');
  }
  return patches;
}

function hunks(patch: string): string | null {
  const start = patch.search(/^@@ /m);
  return start < 0 ? null : patch.slice(start).replace(/\n$/, '');
}
