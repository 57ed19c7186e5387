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
    const own = path.join(await realpath(path.dirname(file)), path.basename(file));
    const files = new Set([own, await realpath(file)]);
    const questions = (await Promise.all([...files].map(questionsAbout))).flat();
    // Git is not needed where there is nothing to ask.
    if (questions.length === 0) return untracked;
    const git = createRunGit(findExecutable('git', env.PATH), env);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    for (const question of questions) {
      const answer = await ask(question, git, limit);
      if (answer.kind !== 'untracked') return answer;
    }
    return untracked;
  } catch (error) {
    return { kind: 'unknown', reason: messageOf(error) };
  }
}

const untracked: Tracking = { kind: 'untracked' };

interface Question {
  readonly file: string;
  /** Where git is started. */
  readonly folder: string;
}

/** One for each repository around `file`: an outer one may be its author, though an inner one was begun since. */
async function questionsAbout(file: string): Promise<readonly Question[]> {
  const [innermost, ...outer] = await repositoriesAround(path.dirname(file));
  if (innermost === undefined) return [];
  // The innermost is git's own to find: a folder may look like a repository without having a `.git`.
  return [path.dirname(file), ...outer].map((folder) => ({ file, folder }));
}

async function ask({ file, folder }: Question, git: RunGit, signal: AbortSignal): Promise<Tracking> {
  const below = path.relative(folder, path.dirname(file));
  const result = await git(
    {
      cwd: folder,
      args: ['ls-files', '-z', '--cached', '--', ...spellings(path.basename(file)).map((name) => path.join(below, name))],
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
  return { kind: 'unknown', reason: reasonOf(result) };
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

/** The folders from `folder` upwards that have a `.git`: git says "no repository" and "one that I do not open" by the same exit code. */
async function repositoriesAround(folder: string): Promise<readonly string[]> {
  const isOne = await lstat(path.join(folder, '.git')).then(
    () => true,
    () => false,
  );
  const parent = path.dirname(folder);
  const around = parent === folder ? [] : await repositoriesAround(parent);
  return isOne ? [folder, ...around] : around;
}

function reasonOf({ exitCode, stderr }: GitResult): string {
  const firstLine = stderr.trim().split('\n')[0] ?? '';
  return `git ended with exit code ${exitCode}${firstLine === '' ? '' : ` (${firstLine})`}`;
}
