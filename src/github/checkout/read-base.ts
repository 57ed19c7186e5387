// Reads files as they are in a commit, through a git folder of our own; once the agent has run, git reads of all that it could write only the object files, and starts nothing (E2, E5).
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { FileContent } from '../../schema/bundle.ts';
import { Harness9Error } from '../../schema/error.ts';
import { buildTree, findFile, isLink, listFiles, parseTree, type TreeEntry } from './commit-tree.ts';
import { type GitCall, gitOutput, type RunGit } from './run-git.ts';

/** A commit's files, as they were when the tree was opened. */
export interface BaseTree {
  /** Paths of the files in a folder and below it, links followed inside the repository; none where it is no folder. '' is the root. */
  list(folder: string): readonly string[];
  /**
   * A file's text, links followed inside the repository only (G1-44); null when there is no such file, or its text is not here. Asks git, so
   * that what is needed while commands run is read before.
   */
  read(path: string, signal: AbortSignal): Promise<string | null>;
}

export interface BaseReader {
  /** Every entry of a commit's tree, sub-modules as mode 160000; asked of git once for each commit. Throws when the commit is not here. */
  listTree(commit: string, signal: AbortSignal): Promise<readonly TreeEntry[]>;
  /** Contents by blob name, checked against the name; those that are missing, too big, forged or beyond the whole's bound are not in the map. */
  readBlobs(shas: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Buffer>>;
  /** A commit's files by path and folder; listed once for each commit. Throws when the commit is not here. */
  openTree(commit: string, signal: AbortSignal): Promise<BaseTree>;
  /** A reader of the same objects for the time after the agent: in a git folder made now, at a path that nobody could know. */
  renew(): Promise<BaseReader>;
}

/** Enough for a source file; a bigger one is not shown as a diff anyway. */
const maxBlobBytes = 16 * 1024 * 1024;
/** All contents of one call together. */
const maxTotalBytes = 64 * 1024 * 1024;

/** To be made before the agent, for it asks the workspace's git where the objects are. `privateDir` must not exist. */
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
  await fillGitFolder(privateDir, [objects]);
  return new GitBaseReader(git, privateDir, [objects]);
}

/** Written by us to the last byte: no template, no helper, and nothing borrowed but the objects. */
async function fillGitFolder(gitDir: string, borrowed: readonly string[]): Promise<void> {
  await mkdir(`${gitDir}/objects/info`, { recursive: true });
  await mkdir(`${gitDir}/refs`);
  await writeFile(`${gitDir}/HEAD`, 'ref: refs/heads/none\n');
  await writeFile(`${gitDir}/config`, '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
  await writeFile(`${gitDir}/objects/info/alternates`, borrowed.map((objects) => `${objects}\n`).join(''));
}

/** Blobs that are waited for together. */
interface Batch {
  readonly shas: string[];
  readonly blobs: Promise<ReadonlyMap<string, Buffer>>;
}

class GitBaseReader implements BaseReader {
  readonly #git: RunGit;
  readonly #gitDir: string;
  readonly #borrowed: readonly string[];
  readonly #entries = new Map<string, readonly TreeEntry[]>();
  readonly #trees = new Map<string, BaseTree>();
  #batch: Batch | undefined;

  constructor(git: RunGit, gitDir: string, borrowed: readonly string[]) {
    this.#git = git;
    this.#gitDir = gitDir;
    this.#borrowed = borrowed;
  }

  async renew(): Promise<BaseReader> {
    await mkdir(dirname(this.#gitDir), { recursive: true });
    const gitDir = await mkdtemp(`${this.#gitDir}-`);
    // What a merge made is among the objects of the first folder.
    const borrowed = [...this.#borrowed, `${this.#gitDir}/objects`];
    await fillGitFolder(gitDir, borrowed);
    return new GitBaseReader(this.#git, gitDir, borrowed);
  }

  async listTree(commit: string, signal: AbortSignal): Promise<readonly TreeEntry[]> {
    const known = this.#entries.get(commit);
    if (known !== undefined) return known;
    const result = await this.#git(this.#call(['ls-tree', '-r', '-z', '--full-tree', commit]), signal);
    if (result.exitCode !== 0)
      throw new Harness9Error({ code: 'BASE_UNREADABLE', message: `git cannot list ${commit}: ${result.stderr.trim()}` });
    const entries = parseTree(result.stdout);
    this.#entries.set(commit, entries);
    return entries;
  }

  async readBlobs(shas: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Buffer>> {
    const readable = await this.#pickReadable([...new Set(shas)], signal);
    if (readable.length === 0) return new Map();
    const result = await this.#git(this.#call(['cat-file', '--batch'], readable), signal);
    return parseBatch(result.stdout);
  }

  async openTree(commit: string, signal: AbortSignal): Promise<BaseTree> {
    const tree = this.#trees.get(commit) ?? (await this.#loadTree(commit, signal));
    this.#trees.set(commit, tree);
    return tree;
  }

  async #loadTree(commit: string, signal: AbortSignal): Promise<BaseTree> {
    const entries = await this.listTree(commit, signal);
    const links = entries.filter(isLink).map(({ sha }) => sha);
    const root = buildTree(entries, await this.readBlobs(links, signal));
    return {
      list: (folder) => listFiles(root, folder),
      read: async (path, readSignal) => {
        const sha = findFile(root, path);
        const bytes = sha === null ? undefined : await this.#readSoon(sha, readSignal);
        return bytes === undefined || isLfsPointer(bytes) ? null : decodeText(bytes);
      },
    };
  }

  /** What is asked for at once is read at once, since each reading starts git twice. */
  async #readSoon(sha: string, signal: AbortSignal): Promise<Buffer | undefined> {
    this.#batch ??= this.#openBatch(signal);
    this.#batch.shas.push(sha);
    return (await this.#batch.blobs).get(sha);
  }

  #openBatch(signal: AbortSignal): Batch {
    const shas: string[] = [];
    const read = async () => {
      await Promise.resolve();
      this.#batch = undefined;
      return this.readBlobs(shas, signal);
    };
    return { shas, blobs: read() };
  }

  #call(args: readonly string[], lines: readonly string[] = []): GitCall {
    return { cwd: this.#gitDir, args: [`--git-dir=${this.#gitDir}`, ...args], input: lines.map((line) => `${line}\n`).join('') };
  }

  /** The sizes first, so that one giant never enters memory. */
  async #pickReadable(shas: readonly string[], signal: AbortSignal): Promise<string[]> {
    if (shas.length === 0) return [];
    const format = '--batch-check=%(objectname) %(objecttype) %(objectsize)';
    const listed = await gitOutput(this.#git, this.#call(['cat-file', format], shas), signal);
    let total = 0;
    return listed.split('\n').flatMap((line) => {
      const [sha = '', type, size] = line.split(' ');
      if (type !== 'blob' || Number(size) > maxBlobBytes || total + Number(size) > maxTotalBytes) return [];
      total += Number(size);
      return [sha];
    });
  }
}

/** What stands in a commit for a file that is kept in Git LFS is not the file's text. */
function isLfsPointer(bytes: Buffer): boolean {
  return bytes.length < 1_024 && bytes.toString('latin1').startsWith('version https://git-lfs.github.com/spec/');
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

/** Bytes as a bundle carries them. */
export function contentOf(bytes: Buffer): FileContent {
  const text = decodeText(bytes);
  return text === null ? { encoding: 'base64', data: bytes.toString('base64') } : { encoding: 'utf-8', data: text };
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
