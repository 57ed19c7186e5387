// Temporary repositories for tests of checkout and change: a remote, a clone as actions/checkout leaves it, and an honest git beside them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from '@jest/globals';
import { createBaseReader } from '../../src/github/checkout/read-base.ts';
import { createRunGit, findExecutable } from '../../src/github/checkout/run-git.ts';

export const gitPath = findExecutable('git', process.env.PATH);
export const runGit = createRunGit(gitPath, {});
export const never = new AbortController().signal;

export interface Place {
  readonly root: string;
  readonly workDir: string;
  /** git as a person would call it. */
  git(...args: string[]): string;
  write(path: string, content: string | Buffer): void;
  remove(): void;
}

/** An empty repository on branch main. */
export function createPlace(): Place {
  const root = mkdtempSync(join(tmpdir(), 'h9-git-'));
  const workDir = join(root, 'work');
  mkdirSync(workDir);
  const place = placeAt(root, workDir);
  place.git('init', '--quiet', '-b', 'main');
  return place;
}

/** A place whose repository holds these files in one commit. */
export function createRepository(files: Readonly<Record<string, string | Buffer>>): Place {
  const place = createPlace();
  for (const [path, content] of Object.entries(files)) place.write(path, content);
  commitAll(place, 'first');
  return place;
}

/** What makes such repositories for the tests of a file, each gone after its test. */
export function repositories(): typeof createRepository {
  const places: Place[] = [];
  afterEach(() => {
    for (const place of places.splice(0)) place.remove();
  });
  return (files) => {
    const place = createRepository(files);
    places.push(place);
    return place;
  };
}

export function commitAll(place: Place, message: string): string {
  place.git('add', '-A');
  place.git('commit', '--quiet', '--allow-empty', '-m', message);
  return place.git('rev-parse', 'HEAD').trim();
}

export function placeAt(root: string, workDir: string): Place {
  return {
    root,
    workDir,
    git: (...args) =>
      execFileSync(
        gitPath,
        ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'protocol.file.allow=always', ...args],
        {
          cwd: workDir,
          env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      ),
    write: (path, content) => {
      mkdirSync(dirname(join(workDir, path)), { recursive: true });
      writeFileSync(join(workDir, path), content);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

export async function baseOf(place: Place) {
  return createBaseReader({ workDir: place.workDir, privateDir: join(place.root, 'private'), git: runGit }, never);
}
