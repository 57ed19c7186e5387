/** Does what actions/checkout v4 does to a workspace, credentials in .git/config included. Knows no action. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

export interface CheckoutOptions {
  readonly serverUrl: string;
  readonly token: string;
  readonly owner: string;
  readonly repo: string;
  /** `refs/heads/main`, `refs/pull/7/merge`… */
  readonly ref: string;
  /** Default: what the ref points to. */
  readonly sha?: string;
  readonly dir: string;
  /** Default true, as there. */
  readonly persistCredentials?: boolean;
}

const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Checks the commit out into `dir`; gives its SHA. */
export async function checkoutRepository(options: CheckoutOptions): Promise<string> {
  const home = await mkdtemp(path.join(tmpdir(), 'simulated-checkout-'));
  try {
    await mkdir(options.dir, { recursive: true });
    const git = createGit(options.dir, home);
    await prepare(git, options);
    await fetchAndCheckout(git, options);
    if (options.persistCredentials === false) await git('config', '--local', '--unset-all', headerKey(options.serverUrl));
    return await git('rev-parse', 'HEAD');
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

type Git = (...args: readonly string[]) => Promise<string>;

function createGit(cwd: string, home: string): Git {
  const run = promisify(execFile);
  const env = {
    PATH: SEARCH_PATH,
    HOME: home,
    LANG: 'C.UTF-8',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GCM_INTERACTIVE: 'Never',
  };
  return async (...args) => (await run('git', args, { cwd, env })).stdout.trim();
}

function headerKey(serverUrl: string): string {
  return `http.${new URL(serverUrl).origin}/.extraheader`;
}

async function prepare(git: Git, options: CheckoutOptions): Promise<void> {
  await git('init', '--quiet');
  await git('remote', 'add', 'origin', `${options.serverUrl}/${options.owner}/${options.repo}`);
  await git('config', '--local', 'gc.auto', '0');
  const credentials = Buffer.from(`x-access-token:${options.token}`).toString('base64');
  await git('config', '--local', headerKey(options.serverUrl), `AUTHORIZATION: basic ${credentials}`);
}

async function fetchAndCheckout(git: Git, { ref, sha }: CheckoutOptions): Promise<void> {
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1];
  const tracking = branch === undefined ? ref.replace(/^refs\//, 'refs/remotes/') : `refs/remotes/origin/${branch}`;
  const fetch = [
    '-c',
    'protocol.version=2',
    'fetch',
    '--quiet',
    '--no-tags',
    '--prune',
    '--no-recurse-submodules',
    '--depth=1',
    'origin',
  ];
  await git(...fetch, `+${sha ?? ref}:${tracking}`);
  // A branch is checked out by name, anything else detached.
  if (branch === undefined) await git('checkout', '--quiet', '--force', tracking);
  else await git('checkout', '--quiet', '--force', '-B', branch, tracking);
}
