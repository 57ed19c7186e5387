// The repository on GitHub as the workspace's git fetches from it; the token is in the environment of a fetch and nowhere else.
import type { RunPlan } from '../../schema/gate.ts';
import { basicAuthOf } from './basic-auth.ts';
import type { RunGit } from './run-git.ts';

export interface RemoteRequest {
  readonly workDir: string;
  readonly plan: Pick<RunPlan, 'repository'>;
  /** Such as `https://github.com`. */
  readonly serverUrl: string;
  readonly token: string;
}

export interface Remote {
  readonly git: RunGit;
  readonly workDir: string;
  readonly url: string;
  readonly config: readonly (readonly [string, string])[];
  readonly isShallow: boolean;
  readonly protocol: string;
}

/** Asks nothing of the network. */
export function openRemote(git: RunGit, request: RemoteRequest, isShallow: boolean): Remote {
  const { workDir, serverUrl, token, plan } = request;
  const url = `${serverUrl.replace(/\/+$/, '')}/${plan.repository.owner}/${plan.repository.name}`;
  const basic = basicAuthOf(token);
  return {
    git,
    workDir,
    url,
    config: [
      // The empty value drops the header that actions/checkout left: two of them are answered with 400.
      [`http.${url}.extraheader`, ''],
      [`http.${url}.extraheader`, `AUTHORIZATION: basic ${basic}`],
    ],
    protocol: new URL(serverUrl).protocol.replace(':', ''),
    isShallow,
  };
}

/** Whether the commit is here. */
export async function hasCommit({ git, workDir }: Remote, sha: string, signal: AbortSignal): Promise<boolean> {
  return (await git({ cwd: workDir, args: ['cat-file', '-e', `${sha}^{commit}`] }, signal)).exitCode === 0;
}

/** Fetches a ref or a commit, alone where the clone is shallow. What git said when it could not; else empty. */
export function fetchInto(remote: Remote, ref: string, signal: AbortSignal): Promise<string> {
  // A depth would make a whole clone shallow.
  return fetchFrom(remote, [...(remote.isShallow ? ['--depth=1'] : []), '--', remote.url, ref], signal);
}

/** Fetches `commits` more commits below where the shallow histories of these commits end. Says what `fetchInto` says. */
export function deepen(remote: Remote, shas: readonly string[], commits: number, signal: AbortSignal): Promise<string> {
  return fetchFrom(remote, [`--deepen=${commits}`, '--', remote.url, ...shas], signal);
}

/** Fetches objects that a clone with a filter has left out, by their names. Says what `fetchInto` says. */
export function fetchObjects(remote: Remote, shas: readonly string[], signal: AbortSignal): Promise<string> {
  // Too many for a command line.
  return fetchFrom(remote, ['--stdin', '--', remote.url], signal, shas.map((sha) => `${sha}\n`).join(''));
}

async function fetchFrom(remote: Remote, what: readonly string[], signal: AbortSignal, input = ''): Promise<string> {
  const { git, workDir, config, protocol } = remote;
  const fixed = ['--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--refmap='];
  const result = await git({ cwd: workDir, args: ['fetch', ...fixed, ...what], config, protocol, input }, signal);
  return result.exitCode === 0 ? '' : result.stderr.trim();
}
