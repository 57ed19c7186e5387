// Whether git keeps a file of the user's folder: asked of git itself, hardened, and never guessed where git cannot tell.
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { createRunGit, findExecutable, type GitResult, type RunGit } from '../github/checkout/run-git.ts';
import { messageOf } from '../schema/error.ts';
import type { World } from '../schema/world.ts';

/** `unknown`: git is not there, failed, or does not trust the folder; `reason` is a clause for people. */
export type Tracking =
  | { readonly kind: 'tracked' }
  | { readonly kind: 'untracked' }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Of a question about one file; a repository on a dead network disk must not hold up the start. */
const timeoutMs = 10_000;

/**
 * What git says about `file`, and about what it leads to when it is a symbolic link: the repository would be its author, too. Outside of
 * a repository nothing is tracked. Never rejects.
 */
export async function askTracking(file: string, env: World['env'], signal: AbortSignal): Promise<Tracking> {
  try {
    const git = createRunGit(findExecutable('git', env.PATH), env);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const own = path.join(await realpath(path.dirname(file)), path.basename(file));
    const target = await realpath(file);
    const first = await askOne(own, git, limit);
    return first.kind !== 'untracked' || target === own ? first : await askOne(target, git, limit);
  } catch (error) {
    return { kind: 'unknown', reason: messageOf(error) };
  }
}

async function askOne(file: string, git: RunGit, signal: AbortSignal): Promise<Tracking> {
  const folder = path.dirname(file);
  const result = await git(
    {
      cwd: folder,
      args: ['ls-files', '-z', '--cached', '--', ...spellings(path.basename(file))],
      config: [
        // An empty value takes run-git's own "*" back: a folder of another user is not believed.
        ['safe.directory', ''],
        // A folder that only looks like a repository could bring an index that says what it likes.
        ['safe.bareRepository', 'explicit'],
      ],
    },
    signal,
  );
  if (result.exitCode === 0) return { kind: result.stdout.length > 0 ? 'tracked' : 'untracked' };
  return (await isInRepository(folder)) ? { kind: 'unknown', reason: reasonOf(result) } : { kind: 'untracked' };
}

/** Where the file system does not tell cases apart, a tracked `.ENV` is read as `.env`. A longer name is asked for as it is. */
function spellings(name: string): readonly string[] {
  const maxLetters = 6;
  if (name.replaceAll(/[^a-z]/gi, '').length > maxLetters) return [name];
  return [...name].reduce<readonly string[]>(
    (starts, letter) => {
      const forms = [...new Set([letter.toLowerCase(), letter.toUpperCase()])];
      return starts.flatMap((start) => forms.map((form) => start + form));
    },
    [''],
  );
}

/** Git says "no repository" and "a repository that I do not open" by the same exit code. */
async function isInRepository(folder: string): Promise<boolean> {
  const isThere = await lstat(path.join(folder, '.git')).then(
    () => true,
    () => false,
  );
  const parent = path.dirname(folder);
  return isThere || (parent !== folder && (await isInRepository(parent)));
}

function reasonOf({ exitCode, stderr }: GitResult): string {
  const firstLine = stderr.trim().split('\n')[0] ?? '';
  return `git ended with exit code ${exitCode}${firstLine === '' ? '' : ` (${firstLine})`}`;
}
