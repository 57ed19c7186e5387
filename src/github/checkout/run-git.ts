// The one place in github/ that starts git: absolute binary, argument arrays, and an environment in which nothing but our own configuration speaks.
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { Harness9Error } from '../../schema/error.ts';

export interface GitCall {
  readonly cwd: string;
  readonly args: readonly string[];
  /** Configuration of this call only, by `GIT_CONFIG_*`; later entries win, multi-valued keys may come twice. */
  readonly config?: readonly (readonly [key: string, value: string])[];
  /** The one transport that this call may use, such as `https`; without it git opens no connection and runs no helper for one. */
  readonly protocol?: string;
  readonly input?: string | Buffer;
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs git once. Rejects when it cannot be started, gives too much, or the signal aborts; a non-zero exit is a result. */
export type RunGit = (call: GitCall, signal: AbortSignal) => Promise<GitResult>;

/** Most bytes of stdout that are kept; more ends the process. */
const maxBytes = 256 * 1024 * 1024;
const keptStderrBytes = 8 * 1024;

/** Names that may reach git: proxies and certificates of the runner's network; all else would be somebody's configuration. */
const passedNames = [
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'https_proxy',
  'http_proxy',
  'no_proxy',
  'GIT_SSL_CAINFO',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'SYSTEMROOT',
];

const safeConfig: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['core.sshCommand', 'false'],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['http.followRedirects', 'false'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['filter.lfs.smudge', ''],
  ['filter.lfs.process', ''],
  ['filter.lfs.required', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['advice.detachedHead', 'false'],
  ['safe.directory', '*'],
];

/** Finds an executable on PATH, as an absolute path; to be called before the agent runs (D7). */
export function findExecutable(name: string, path: string | undefined): string {
  const candidates = (path ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((directory) => join(directory, name));
  const found = candidates.find(isExecutable);
  if (found !== undefined) return found;
  throw new Harness9Error({
    code: 'GIT_NOT_FOUND',
    message: `no executable "${name}" on PATH (${path ?? 'not set'})`,
    hint: 'Install git on the runner, or run the job on an image that brings it.',
  });
}

/** Makes the function that runs git. `gitPath` is absolute; of `env` only proxies and certificates are passed on. */
export function createRunGit(gitPath: string, env: Readonly<Record<string, string | undefined>>): RunGit {
  if (!isAbsolute(gitPath))
    throw new Harness9Error({ code: 'GIT_NOT_FOUND', message: `"${gitPath}" is not an absolute path to git` });
  const passed = Object.fromEntries(passedNames.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  return (call, signal) => run(gitPath, { ...call, config: [...safeConfig, ...(call.config ?? [])] }, passed, signal);
}

/** The stdout of a call that must succeed, or a Harness9Error that names the command and git's own words. */
export async function gitOutput(runGit: RunGit, call: GitCall, signal: AbortSignal): Promise<string> {
  const result = await runGit(call, signal);
  if (result.exitCode === 0) return result.stdout.toString('utf8');
  throw new Harness9Error({
    code: 'GIT_FAILED',
    message: `git ${call.args[0] ?? ''} ended with exit code ${result.exitCode}: ${result.stderr.trim()}`,
  });
}

function run(gitPath: string, call: GitCall, passed: Record<string, unknown>, signal: AbortSignal): Promise<GitResult> {
  const { promise, resolve, reject } = Promise.withResolvers<GitResult>();
  const child = spawn(gitPath, call.args, {
    cwd: call.cwd,
    env: {
      ...passed,
      ...cleanEnvironment(gitPath, call.protocol ?? ''),
      ...configEnvironment(call.config ?? []),
    } as NodeJS.ProcessEnv,
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  const chunks: Buffer[] = [];
  let size = 0;
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    else child.kill('SIGKILL');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < keptStderrBytes) stderr += chunk.toString('utf8');
  });
  // git may end before it has read its input; the exit code says what happened.
  child.stdin.on('error', () => undefined);
  child.stdin.end(call.input ?? '');
  child.on('error', reject);
  child.on('close', (exitCode) => {
    if (size > maxBytes) {
      reject(
        new Harness9Error({ code: 'GIT_TOO_MUCH_OUTPUT', message: `git ${call.args[0] ?? ''} gave more than ${maxBytes} bytes` }),
      );
    } else resolve({ exitCode: exitCode ?? -1, stdout: Buffer.concat(chunks), stderr });
  });
  return promise;
}

/** `GIT_ALLOW_PROTOCOL` decides over every `protocol.*.allow` of a configuration. */
function cleanEnvironment(gitPath: string, protocol: string): Record<string, string> {
  return {
    PATH: [join(gitPath, '..'), '/usr/bin', '/bin'].join(delimiter),
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ALLOW_PROTOCOL: protocol,
    ...(protocol === '' ? { GIT_NO_LAZY_FETCH: '1' } : {}),
  };
}

function configEnvironment(config: readonly (readonly [string, string])[]): Record<string, string> {
  const pairs = config.flatMap(([key, value], index): [string, string][] => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(config.length) };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
