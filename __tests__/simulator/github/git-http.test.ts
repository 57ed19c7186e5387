import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { SimulatedGitHub } from '../../../src/simulator/github/contract.ts';
import type { Level } from '../../../src/simulator/github/state.ts';
import { BOT, withGitHub } from './world.ts';

const run = promisify(execFile);
const IDENTITY = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b.c', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b.c' };
const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
  ...IDENTITY,
};

interface Workspace {
  /** Runs git in the clone and gives its output, or what it said when it failed. */
  readonly git: (...args: readonly string[]) => Promise<string>;
  readonly folder: string;
}

// As a runner does it: the token travels in a header that is given for this command only.
function tokenArguments(github: SimulatedGitHub, permissions?: Readonly<Record<string, Level>>): readonly string[] {
  const pair = Buffer.from(`x-access-token:${github.issueToken(BOT, permissions)}`).toString('base64');
  return ['-c', `http.extraheader=AUTHORIZATION: basic ${pair}`];
}

async function withClone(github: SimulatedGitHub, auth: readonly string[], body: (workspace: Workspace) => Promise<void>) {
  const parent = await mkdtemp(path.join(tmpdir(), 'git-http-test-'));
  const folder = path.join(parent, 'clone');
  try {
    const url = `${github.serverUrl}/${github.owner}/${github.repo}`;
    await run('git', [...auth, 'clone', '--quiet', url, folder], { env: ENVIRONMENT });
    await body({ folder, git: (...args) => gitIn(folder, args) });
  } finally {
    await rm(parent, { recursive: true });
  }
}

async function gitIn(folder: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout, stderr } = await run('git', ['-C', folder, ...args], { env: ENVIRONMENT });
    return `${stdout}${stderr}`.trim();
  } catch (error) {
    return typeof error === 'object' && error !== null && 'stderr' in error
      ? `failed: ${String(error.stderr).trim()}`
      : String(error);
  }
}

/** What the server said, line by line. */
function plain(output: string): readonly string[] {
  return output.split('\n').flatMap((line) => /^(?:failed: )?remote: ?(.*?) *$/.exec(line)?.[1] ?? []);
}

function statuses(github: SimulatedGitHub): readonly number[] {
  return github.requests.filter(({ kind }) => kind === 'git').map(({ status }) => status);
}

async function commitFile(workspace: Workspace, file: string, content: string): Promise<void> {
  await writeFile(path.join(workspace.folder, file), content);
  await workspace.git('add', '--', file);
  await workspace.git('commit', '--quiet', '-m', `change ${file}`);
}

describe('git over HTTP', () => {
  test('anybody clones a public repository', () =>
    withGitHub({}, (github) =>
      withClone(github, [], async ({ folder }) => {
        expect(await readFile(path.join(folder, 'src/cart.ts'), 'utf8')).toBe('export const total = 1;\n');
        expect(github.requests.at(-1)).toMatchObject({
          kind: 'git',
          method: 'POST',
          route: '/{owner}/{repo}.git/git-upload-pack',
          status: 200,
          actor: null,
        });
      }),
    ));

  test('a pull request’s head is fetched by its sha, a fork’s too', () =>
    withGitHub({}, (github) =>
      withClone(github, [], async ({ git }) => {
        await github.openPull({ author: 'eve', fork: 'eve/shop', head: 'main', title: 'Mine', files: { 'evil.txt': 'x' } });
        const sha = github.snapshot().pulls[0]?.headSha ?? '';
        expect(await git('fetch', '--quiet', '--depth=1', 'origin', sha)).toBe('');
        expect(await git('show', '--format=%s', '--name-only', 'FETCH_HEAD')).toContain('evil.txt');
        expect(await git('ls-remote', 'origin', 'refs/pull/1/head')).toBe(`${sha}\trefs/pull/1/head`);
      }),
    ));

  test('a push moves the branch, its pull request and the activity', () =>
    withGitHub({}, async (github) => {
      await github.openPull({ author: 'alice', head: 'fix', title: 'Fix', files: { a: '1' } });
      const auth = tokenArguments(github);
      await withClone(github, auth, async (workspace) => {
        await workspace.git('checkout', '--quiet', 'fix');
        await commitFile(workspace, 'a', '2');
        expect(await workspace.git(...auth, 'push', '--quiet', 'origin', 'fix')).toBe('');
        const sha = await workspace.git('rev-parse', 'HEAD');
        const { refs, pulls } = github.snapshot();
        expect([refs['refs/heads/fix'], refs['refs/pull/1/head'], pulls[0]?.headSha]).toEqual([sha, sha, sha]);
        expect(await github.git('show', 'fix:a')).toBe('2');
      });
    }));
});

describe('git over HTTP refuses', () => {
  test('a push without a token, with a wrong one, and without contents: write', () =>
    withGitHub({}, (github) =>
      withClone(github, [], async (workspace) => {
        await commitFile(workspace, 'a', '2');
        const wrong = ['-c', `http.extraheader=AUTHORIZATION: basic ${Buffer.from('x:ghs_wrong').toString('base64')}`];
        expect(await workspace.git('push', 'origin', 'main')).toContain('could not read Username');
        expect(await workspace.git(...wrong, 'push', 'origin', 'main')).toContain('failed:');
        const reader = tokenArguments(github, { contents: 'read' });
        expect(await workspace.git(...reader, 'push', 'origin', 'main')).toContain('The requested URL returned error: 403');
        expect(statuses(github)).toEqual([200, 200, 200, 401, 401, 403]);
      }),
    ));

  test('a clone of a private repository without the right token', () =>
    withGitHub({ private: true }, async (github) => {
      const nothing = async () => undefined;
      await expect(withClone(github, [], nothing)).rejects.toThrow('could not read Username');
      await expect(withClone(github, tokenArguments(github, { issues: 'write' }), nothing)).rejects.toThrow('403');
      await withClone(github, tokenArguments(github), nothing);
    }));

  test('workflow files, protected branches and pull request refs', () =>
    withGitHub({ protectedBranches: ['main'] }, (github) => {
      const auth = tokenArguments(github);
      return withClone(github, auth, async (workspace) => {
        const before = github.snapshot().refs;
        await commitFile(workspace, 'a', '2');
        expect(await workspace.git(...auth, 'push', 'origin', 'main')).toContain('Changes must be made through a pull request.');
        expect(await workspace.git(...auth, 'push', 'origin', 'HEAD:refs/pull/1/head')).toContain('deny updating a hidden ref');
        await commitFile(workspace, '.github/workflows/ci.yml', 'on: [push, pull_request]\n');
        expect(await workspace.git(...auth, 'push', 'origin', 'HEAD:refs/heads/new')).toContain(
          'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission',
        );
        expect(github.snapshot().refs).toEqual(before);
        const trusted = tokenArguments(github, { contents: 'write', workflows: 'write' });
        expect(await workspace.git(...trusted, 'push', '--quiet', 'origin', 'HEAD:refs/heads/new')).toBe('');
      });
    }));

  test.each(['ruleset', 'classic'] as const)('a protected branch, in the words of a %s', (protection) =>
    withGitHub({ protectedBranches: ['main'], protection }, (github) => {
      const auth = tokenArguments(github);
      return withClone(github, auth, async (workspace) => {
        await commitFile(workspace, 'a', '2');
        const said = plain(await workspace.git(...auth, 'push', 'origin', 'main'));
        const head =
          protection === 'classic'
            ? ['error: GH006: Protected branch update failed for refs/heads/main.']
            : [
                'error: GH013: Repository rule violations found for refs/heads/main.',
                `Review all repository rules at ${github.serverUrl}/octo-org/shop/rules?ref=refs%2Fheads%2Fmain`,
              ];
        expect(said.slice(0, head.length + 2)).toEqual([...head, '', '- Changes must be made through a pull request.']);
      });
    }),
  );

  test('commits without a signature where the branch wants them', () =>
    withGitHub({ signedBranches: ['main'] }, (github) => {
      const auth = tokenArguments(github);
      return withClone(github, auth, async (workspace) => {
        const before = github.snapshot().refs;
        await commitFile(workspace, 'a', '2');
        const sha = await workspace.git('rev-parse', 'HEAD');
        const said = plain(await workspace.git(...auth, 'push', 'origin', 'main'));
        expect(said).toEqual(
          expect.arrayContaining(['- Commits must have verified signatures.', '  Found 1 violation:', `  ${sha}`]),
        );
        expect(github.snapshot().refs).toEqual(before);
        expect(await workspace.git(...auth, 'push', '--quiet', 'origin', 'HEAD:refs/heads/other')).toBe('');
      });
    }));

  test('a path that is no repository', () =>
    withGitHub({}, async (github) => {
      const answer = await fetch(`${github.resultsUrl}/other/repo.git/info/refs?service=git-upload-pack`);
      expect(answer.status).toBe(404);
    }));
});
