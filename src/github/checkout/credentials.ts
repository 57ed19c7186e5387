// Takes the credentials that actions/checkout left in the workspace away before the agent and puts them back, byte for byte (C6).
import type { Stats } from 'node:fs';
import { lstat, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { Harness9Error, hasCode } from '../../schema/error.ts';
import { gitOutput, type RunGit } from './run-git.ts';

export interface HiddenCredentials {
  /** The files that were changed or taken away, for the log. */
  readonly files: readonly string[];
  /** Puts every file back as it was, whatever the agent made of it. Throws CREDENTIALS_NOT_RESTORED when a folder was replaced. */
  restore(): Promise<void>;
}

interface KeptFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly mode: number;
  readonly folder: string;
}

/** actions/checkout v6 keeps the token in `$RUNNER_TEMP/git-credentials-<uuid>.config`. */
const credentialsFile = /^git-credentials-[^/]*\.config$/;

/** Hides the credentials of the workspace and its submodules; to be called before the agent, with a git that still may be trusted. */
export async function hideCredentials(workDir: string, git: RunGit, signal: AbortSignal): Promise<HiddenCredentials> {
  const gitDir = resolve(
    workDir,
    (await gitOutput(git, { cwd: workDir, args: ['rev-parse', '--git-common-dir'] }, signal)).trim(),
  );
  const kept: KeptFile[] = [];
  for (const path of await findConfigs(gitDir)) {
    const original = await keep(path);
    const includes = await strip(path, git, signal);
    if (original.bytes.equals(await readFile(path))) continue;
    kept.push(original);
    for (const include of includes) kept.push(...(await takeAway(include)));
  }
  return { files: kept.map((file) => file.path), restore: () => restoreAll(kept) };
}

/** The repository's own file and those of its submodules, where actions/checkout leaves the same entries. */
async function findConfigs(gitDir: string): Promise<string[]> {
  const inModules = await readdir(join(gitDir, 'modules'), { recursive: true, withFileTypes: true }).catch(() => []);
  const modules = inModules
    .filter((entry) => entry.isFile() && entry.name === 'config')
    .map((entry) => join(entry.parentPath, entry.name));
  return [join(gitDir, 'config'), ...modules];
}

async function strip(path: string, git: RunGit, signal: AbortSignal): Promise<string[]> {
  const file = ['config', '--file', path];
  const cwd = dirname(path);
  const listed = await gitOutput(git, { cwd, args: [...file, '--null', '--list'] }, signal);
  const entries = listed.split('\0').map((entry): [string, string] => {
    const end = entry.indexOf('\n');
    return end < 0 ? [entry, ''] : [entry.slice(0, end), entry.slice(end + 1)];
  });
  const includes = entries.filter(([key, value]) => /^include(if)?\..*path$/i.test(key) && credentialsFile.test(basename(value)));
  const headers = entries.filter(([key]) => /^http\..*extraheader$/i.test(key));
  for (const key of new Set([...includes, ...headers].map(([name]) => name))) {
    await gitOutput(git, { cwd, args: [...file, '--unset-all', key] }, signal);
  }
  for (const [key, value] of entries.filter(([name, url]) => name.endsWith('url') && hasUserInfo(url))) {
    await gitOutput(git, { cwd, args: [...file, '--replace-all', key, withoutUserInfo(value)] }, signal);
  }
  return includes.map(([, value]) => (isAbsolute(value) ? value : resolve(cwd, value)));
}

function hasUserInfo(url: string): boolean {
  return /^https?:\/\/[^/@]*@/.test(url);
}

function withoutUserInfo(url: string): string {
  return url.replace(/^(https?:\/\/)[^/@]*@/, '$1');
}

async function keep(path: string): Promise<KeptFile> {
  const { mode } = await lstat(path);
  const folder = identityOf(await lstat(dirname(path)));
  return { path, bytes: await readFile(path), mode: mode & 0o777, folder };
}

async function takeAway(path: string): Promise<KeptFile[]> {
  try {
    const file = await keep(path);
    await rm(path);
    return [file];
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

async function restoreAll(kept: readonly KeptFile[]): Promise<void> {
  const lost: string[] = [];
  for (const file of kept) {
    if (!(await restoreOne(file))) lost.push(file.path);
  }
  if (lost.length === 0) return;
  throw new Harness9Error({
    code: 'CREDENTIALS_NOT_RESTORED',
    message: `the folder of ${lost.join(', ')} is not the one it was before the agent; nothing was written there`,
    hint: 'Later steps of this job must not use the workspace’s git. Check it out again.',
  });
}

/** A new file renamed into place: a link that the agent put there is replaced and never written through. */
async function restoreOne(file: KeptFile): Promise<boolean> {
  const folder = await lstat(dirname(file.path)).catch(() => undefined);
  if (folder === undefined || identityOf(folder) !== file.folder) return false;
  const nextTo = `${file.path}.harness9`;
  await rm(nextTo, { recursive: true, force: true });
  await rm(file.path, { recursive: true, force: true });
  await writeFile(nextTo, file.bytes, { mode: file.mode, flag: 'wx' });
  await rename(nextTo, file.path);
  return true;
}

/** The birth time too, because file systems use inode numbers again. */
function identityOf(folder: Stats): string {
  return `${folder.dev}:${folder.ino}:${folder.birthtimeMs}`;
}
