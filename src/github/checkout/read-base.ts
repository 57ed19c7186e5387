// Reads files as they are in a commit, through a git folder of our own that only borrows the workspace's objects; the workspace's configuration is never read (E2, E5).
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { posix, resolve } from 'node:path';
import { type GitCall, gitOutput, type RunGit } from './run-git.ts';

export interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly sha: string;
}

export interface BaseReader {
  /** Every entry of a commit's tree, sub-modules as mode 160000. Throws when the commit is not here. */
  listTree(commit: string, signal: AbortSignal): Promise<readonly TreeEntry[]>;
  /** Contents by blob name, checked against the name; those that are missing, too big or forged are not in the map. */
  readBlobs(shas: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Buffer>>;
  /** A file's text, links followed inside the repository only (G1-44); null when there is no such file, or it is not text. */
  readText(commit: string, path: string, signal: AbortSignal): Promise<string | null>;
}

/** Enough for a source file; a bigger one is not shown as a diff anyway. */
const maxBlobBytes = 16 * 1024 * 1024;
/** git itself gives up after a few links, too. */
const maxLinks = 8;

/** To be made before the agent: `privateDir` must not exist, and must be out of the agent's reach. */
export async function createBaseReader(
  options: { readonly workDir: string; readonly privateDir: string; readonly git: RunGit },
  signal: AbortSignal,
): Promise<BaseReader> {
  const { workDir, privateDir, git } = options;
  const objects = resolve(
    workDir,
    (await gitOutput(git, { cwd: workDir, args: ['rev-parse', '--git-path', 'objects'] }, signal)).trim(),
  );
  await mkdir(privateDir, { recursive: true, mode: 0o700 });
  await gitOutput(git, { cwd: privateDir, args: ['init', '--quiet', '--bare', '--template='] }, signal);
  await mkdir(`${privateDir}/objects/info`, { recursive: true });
  await writeFile(`${privateDir}/objects/info/alternates`, `${objects}\n`);
  return new GitBaseReader(git, privateDir);
}

class GitBaseReader implements BaseReader {
  readonly #git: RunGit;
  readonly #gitDir: string;

  constructor(git: RunGit, gitDir: string) {
    this.#git = git;
    this.#gitDir = gitDir;
  }

  async listTree(commit: string, signal: AbortSignal): Promise<readonly TreeEntry[]> {
    return parseTree(await gitOutput(this.#git, this.#call(['ls-tree', '-r', '-z', '--full-tree', commit]), signal));
  }

  async readBlobs(shas: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Buffer>> {
    const readable = await this.#pickReadable([...new Set(shas)], signal);
    if (readable.length === 0) return new Map();
    const result = await this.#git(this.#call(['cat-file', '--batch'], readable), signal);
    return parseBatch(result.stdout);
  }

  async readText(commit: string, path: string, signal: AbortSignal): Promise<string | null> {
    const sha = await this.#resolveFile(commit, path, maxLinks, signal);
    const bytes = sha === null ? undefined : (await this.readBlobs([sha], signal)).get(sha);
    return bytes === undefined ? null : decodeText(bytes);
  }

  #call(args: readonly string[], lines: readonly string[] = []): GitCall {
    return { cwd: this.#gitDir, args: [`--git-dir=${this.#gitDir}`, ...args], input: lines.map((line) => `${line}\n`).join('') };
  }

  /** The sizes first, so that one giant never enters memory. */
  async #pickReadable(shas: readonly string[], signal: AbortSignal): Promise<string[]> {
    if (shas.length === 0) return [];
    const format = '--batch-check=%(objectname) %(objecttype) %(objectsize)';
    const listed = await gitOutput(this.#git, this.#call(['cat-file', format], shas), signal);
    return listed.split('\n').flatMap((line) => {
      const [sha = '', type, size] = line.split(' ');
      return type === 'blob' && Number(size) <= maxBlobBytes ? [sha] : [];
    });
  }

  /** Folder by folder, because a link may stand anywhere on the way. */
  async #resolveFile(commit: string, path: string, linksLeft: number, signal: AbortSignal): Promise<string | null> {
    if (linksLeft < 0 || isOutside(path)) return null;
    const parts = posix.normalize(path).split('/');
    for (const [index, part] of parts.entries()) {
      const prefix = [...parts.slice(0, index), part].join('/');
      const entry = await this.#entryAt(commit, prefix, signal);
      if (entry?.mode === '120000') {
        const target = await this.#followLink(entry, prefix, parts.slice(index + 1), signal);
        return target === null ? null : this.#resolveFile(commit, target, linksLeft - 1, signal);
      }
      if (prefix.length === posix.normalize(path).length) return isFile(entry) ? entry.sha : null;
    }
    return null;
  }

  async #entryAt(commit: string, path: string, signal: AbortSignal): Promise<TreeEntry | undefined> {
    const result = await this.#git(this.#call(['ls-tree', '-z', '--full-tree', commit, '--', path]), signal);
    return parseTree(result.stdout.toString('utf8'))[0];
  }

  async #followLink(link: TreeEntry, at: string, rest: readonly string[], signal: AbortSignal): Promise<string | null> {
    const text = (await this.readBlobs([link.sha], signal)).get(link.sha)?.toString('utf8');
    return text === undefined || text.startsWith('/') ? null : posix.join(posix.dirname(at), text, ...rest);
  }
}

function isFile(entry: TreeEntry | undefined): entry is TreeEntry {
  return entry?.mode.startsWith('100') === true;
}

function isOutside(path: string): boolean {
  const clean = posix.normalize(path);
  return clean === '..' || clean.startsWith('../') || clean.startsWith('/');
}

/** The name that git gives a blob. */
export function blobSha(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Text when it is UTF-8 without NUL, else null; a byte order mark is kept. */
export function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function parseTree(listing: string): TreeEntry[] {
  return listing
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', , sha = ''] = line.slice(0, tab).split(' ');
      return { mode, sha, path: line.slice(tab + 1) };
    });
}

/** The agent may have written into the borrowed objects, so each content is checked against its name. */
function parseBatch(output: Buffer): Map<string, Buffer> {
  const blobs = new Map<string, Buffer>();
  let position = 0;
  while (position < output.length) {
    const end = output.indexOf(10, position);
    if (end < 0) break;
    const [sha = '', type, size] = output.subarray(position, end).toString('latin1').split(' ');
    position = end + 1;
    if (type === 'missing' || size === undefined) continue;
    const bytes = output.subarray(position, position + Number(size));
    position += Number(size) + 1;
    if (type === 'blob' && blobSha(bytes) === sha) blobs.set(sha, bytes);
  }
  return blobs;
}
