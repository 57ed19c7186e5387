// Puts the workspace on the commit that the plan pins, before any untrusted process; must not run anything that the commit brings (B6).
import { stat } from 'node:fs/promises';
import { Harness9Error } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { fetchInto, hasCommit, openRemote, type Remote } from './remote.ts';
import { createRunGit, type RunGit } from './run-git.ts';

export interface CheckOutRequest {
  readonly workDir: string;
  readonly plan: Pick<RunPlan, 'checkoutSha' | 'head' | 'thread' | 'base' | 'repository'>;
  /** Such as `https://github.com`. */
  readonly serverUrl: string;
  readonly token: string;
  /** Absolute, found before the agent. */
  readonly gitPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the workspace stands on. `hasBase`: the base commit's objects are here, so that its instructions can be read (G1-13). */
export interface CheckedOut {
  readonly sha: string;
  readonly hasBase: boolean;
}

/**
 * Checks out `plan.checkoutSha`, fetching it when it is not here. Throws NOT_A_CHECKOUT, HEAD_UNREACHABLE, CHECKOUT_REFUSED
 * (local changes in the way) or HEAD_MISMATCH. Credentials are in the environment of the fetch only.
 */
export async function checkOut(request: CheckOutRequest, signal: AbortSignal): Promise<CheckedOut> {
  const git = createRunGit(request.gitPath, request.env);
  const { workDir, plan } = request;
  const { head, isShallow } = await inspect(git, workDir, signal);
  const remote = openRemote(git, request, isShallow);
  if (head !== plan.checkoutSha) {
    await obtainHead(remote, plan, signal);
    await switchTo(git, workDir, plan.checkoutSha, signal);
    await assertHead(git, workDir, plan.checkoutSha, signal);
  }
  const hasBase = plan.base.sha === plan.checkoutSha || (await obtainBase(remote, plan.base.sha, signal));
  return { sha: plan.checkoutSha, hasBase };
}

/** All that is to be known of the checkout, in one start of git. Throws NOT_A_CHECKOUT. */
async function inspect(git: RunGit, workDir: string, signal: AbortSignal): Promise<{ head: string; isShallow: boolean }> {
  await assertFolder(workDir);
  const args = ['rev-parse', '--is-shallow-repository', '--show-prefix', 'HEAD^{commit}'];
  const { exitCode, stdout } = await git({ cwd: workDir, args }, signal);
  const [isShallow, inside = '', head = ''] = stdout.toString('utf8').split('\n');
  if (inside !== '') {
    throw new Harness9Error({
      code: 'NOT_A_CHECKOUT',
      message: `"${workDir}" is the folder "${inside}" inside a git checkout and not its root`,
      hint: 'Let the input `working_directory` name the root of the checkout (the `path` of actions/checkout), or leave it out. For one package of a repository set `allowed_paths` and `verify_command` to that folder; its AGENTS.md is read anyway.',
    });
  }
  // Outside a checkout git says nothing; in one without a commit it cannot name HEAD.
  if (exitCode === 0) return { head, isShallow: isShallow === 'true' };
  throw new Harness9Error({
    code: 'NOT_A_CHECKOUT',
    message: `"${workDir}" is not the root of a git checkout`,
    hint: 'Put a step `- uses: actions/checkout@v6` before harness9 in the same job.',
  });
}

async function assertFolder(workDir: string): Promise<void> {
  const stats = await stat(workDir).catch(() => undefined);
  if (stats?.isDirectory() === true) return;
  throw new Harness9Error({
    code: 'NOT_A_CHECKOUT',
    message: `there is no folder "${workDir}"`,
    hint: 'The input `working_directory` names a folder that is there after actions/checkout, by its `path`.',
  });
}

/** First the pull request's own ref, which works for forks and deleted head repositories (G1-07, G1-09); then the commit by its name. */
async function obtainHead(remote: Remote, plan: CheckOutRequest['plan'], signal: AbortSignal): Promise<void> {
  if (await hasCommit(remote, plan.checkoutSha, signal)) return;
  const isPull = plan.thread?.kind === 'pull_request' && plan.head !== null;
  if (isPull) await fetchInto(remote, `refs/pull/${plan.thread.number}/head`, signal);
  if (await hasCommit(remote, plan.checkoutSha, signal)) return;
  const said = await fetchInto(remote, plan.checkoutSha, signal);
  if (await hasCommit(remote, plan.checkoutSha, signal)) return;
  throw new Harness9Error({
    code: 'HEAD_UNREACHABLE',
    message: `commit ${plan.checkoutSha} could not be fetched from ${remote.url}: ${said || 'the server does not have it any more'}`,
    hint: 'The branch was probably force-pushed after the comment. Comment again to run on the newest commit.',
  });
}

async function obtainBase(remote: Remote, sha: string, signal: AbortSignal): Promise<boolean> {
  if (await hasCommit(remote, sha, signal)) return true;
  await fetchInto(remote, sha, signal);
  return hasCommit(remote, sha, signal);
}

async function switchTo(git: RunGit, workDir: string, sha: string, signal: AbortSignal): Promise<void> {
  const config = await withoutFilters(git, workDir, signal);
  const args = ['checkout', '--quiet', '--detach', '--no-recurse-submodules', sha];
  const result = await git({ cwd: workDir, args, config }, signal);
  if (result.exitCode === 0) return;
  throw new Harness9Error({
    code: 'CHECKOUT_REFUSED',
    message: `git could not check out ${sha}: ${result.stderr.trim()}`,
    hint: 'An earlier step of the job changed tracked files. Run harness9 before it, or commit nothing into the workspace.',
  });
}

/** Names of filters are free, and the head's .gitattributes may call any that is configured: each one found is emptied. */
async function withoutFilters(git: RunGit, workDir: string, signal: AbortSignal): Promise<(readonly [string, string])[]> {
  const listed = await git({ cwd: workDir, args: ['config', '--null', '--name-only', '--get-regexp', '^filter\\.'] }, signal);
  const drivers = new Set(
    listed.stdout
      .toString('utf8')
      .split('\0')
      .map((key) => key.slice(0, key.lastIndexOf('.')))
      .filter((driver) => driver !== ''),
  );
  return [...drivers].flatMap((driver): [string, string][] => [
    [`${driver}.smudge`, ''],
    [`${driver}.clean`, ''],
    [`${driver}.process`, ''],
    [`${driver}.required`, 'false'],
  ]);
}

async function assertHead(git: RunGit, workDir: string, sha: string, signal: AbortSignal): Promise<void> {
  const { stdout } = await git({ cwd: workDir, args: ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'] }, signal);
  const head = stdout.toString('utf8').trim();
  if (head === sha) return;
  throw new Harness9Error({ code: 'HEAD_MISMATCH', message: `the workspace stands on ${head || 'nothing'} and not on ${sha}` });
}
