// ripgrep as a sieve, where it is installed: which of some files can have a match. The answers are the built-in search's own, with and without it.
import { execFile } from 'node:child_process';
import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isInside } from '../safe-path.ts';
import { type LinePattern, maxLineChars } from './line-pattern.ts';
import { type Question, toQuestion } from './ripgrep-question.ts';
import type { SearchRoot } from './search-root.ts';

export interface RipgrepUse {
  /** Where the program may be. */
  readonly places: readonly string[];
  /** For fewer it is not worth a process. */
  readonly minFiles: number;
}

export interface SieveRequest {
  readonly root: SearchRoot;
  readonly pattern: LinePattern;
  readonly signal: AbortSignal;
}

/** Never by name: a PATH inside the workspace must not decide what rg is (D7). */
export const usualRipgrep: RipgrepUse = {
  places: ['/usr/bin/rg', '/usr/local/bin/rg', '/opt/homebrew/bin/rg', '/home/linuxbrew/.linuxbrew/bin/rg'],
  minFiles: 1000,
};
/** Larger files may have lines that the built-in search takes only the beginning of. In memory a file is twice as large at most. */
const maxFileBytes = maxLineChars / 2;

/** The program in one of the places, outside the workspace. */
function findRipgrep({ places }: RipgrepUse, workspace: string): string | undefined {
  return places.find((place) => {
    try {
      return !isInside(workspace, realpathSync(place));
    } catch {
      return false;
    }
  });
}

/**
 * `files` (paths from the root) without those that surely have no match, in the same order: all of them where ripgrep cannot tell, fails, or is
 * not worth it. It reads no configuration and no ignore file, and nothing but these files.
 */
export async function sieve(
  files: readonly string[],
  use: RipgrepUse,
  { root, pattern, signal }: SieveRequest,
): Promise<readonly string[]> {
  const question =
    files.length < use.minFiles || root.isFile || pattern.maxLineChars < maxLineChars ? undefined : toQuestion(pattern);
  const program = question === undefined ? undefined : findRipgrep(use, root.workspace);
  if (question === undefined || program === undefined) return files;
  const folder = root.real;
  const small = files.filter(
    (file) => (lstatSync(path.join(folder, file), { throwIfNoEntry: false })?.size ?? 0) <= maxFileBytes,
  );
  const found = await run(program, [...argumentsFor(question, pattern), ...small.map((file) => `./${file}`)], { folder, signal });
  if (found === undefined) return files;
  const isSmall = new Set(small);
  const isFound = new Set(found.split('\0').map((file) => file.slice(2)));
  return files.filter((file) => isFound.has(file) || !isSmall.has(file));
}

function argumentsFor(question: Question, { ignoresCase }: LinePattern): readonly string[] {
  const how = ['--no-config', '--files-with-matches', '--null', '--text', '--no-mmap', '--no-messages', '--color=never'];
  return [...how, ignoresCase ? '--ignore-case' : '--case-sensitive', ...question.map((each) => `--regexp=${each}`), '--'];
}

/** What it printed; undefined when it did not answer for every file. */
async function run(
  program: string,
  args: readonly string[],
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const options = { cwd: folder, env: {}, signal, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 * 1024 } as const;
  return await new Promise((resolve) => {
    try {
      execFile(program, args, options, (error, stdout) =>
        resolve(error === null || error.code === nothingFound ? stdout : undefined),
      );
    } catch {
      // More arguments than the system takes.
      resolve(undefined);
    }
  });
}

const nothingFound = 1;
