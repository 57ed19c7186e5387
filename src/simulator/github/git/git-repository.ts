/** The bare repository behind the simulated GitHub: objects, refs and history, all by the git binary. Knows nothing of GitHub. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ancestry } from './ancestry.ts';
import { type CommitFiles, importCommit } from './fast-import.ts';
import { GitFailure, type GitRun, GitShell } from './git-shell.ts';
import { type GitObject, ObjectReader } from './object-reader.ts';
import { writeObject } from './object-writer.ts';
import { type Commit, parseCommit, parseTree, type Signature, type TreeEntry } from './parse-object.ts';

export const NO_OBJECT = '0'.repeat(40);

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: Signature;
  readonly committer: Signature;
}

export interface NewTag {
  readonly tag: string;
  readonly message: string;
  readonly target: string;
  readonly type: string;
  readonly tagger: Signature;
}

/** `refs` is a copy of the repository's refs that every change here keeps true, so that reading a ref costs no process. */
export class GitRepository {
  readonly #folder: string;
  readonly #git: GitShell;
  readonly #reader: ObjectReader;
  readonly #merges = new Map<string, Promise<boolean>>();
  readonly #ancestry = new Ancestry((sha) => this.#parents(sha));
  #refs = new Map<string, string>();

  private constructor(folder: string, git: GitShell) {
    this.#folder = folder;
    this.#git = git;
    this.#reader = new ObjectReader(git);
  }

  /** Makes an empty bare repository in a new folder under the system's temporary folder. */
  static async create(defaultBranch: string, searchPath: string): Promise<GitRepository> {
    const folder = await mkdtemp(join(tmpdir(), 'simulated-github-'));
    const git = new GitShell(folder, searchPath);
    await git.run({ args: ['init', '--quiet', '--bare', '--template=', `--initial-branch=${defaultBranch}`] });
    await mkdir(join(git.directory, 'hooks'));
    return new GitRepository(folder, git);
  }

  /** Where the bare repository is. */
  get directory(): string {
    return this.#git.directory;
  }

  /** Every ref by its full name. */
  get refs(): ReadonlyMap<string, string> {
    return this.#refs;
  }

  run(run: GitRun): Promise<Buffer> {
    return this.#git.run(run);
  }

  /** Runs a git command whose answer is one line of text. */
  async line(...args: readonly string[]): Promise<string> {
    return (await this.run({ args })).toString().trim();
  }

  /** Reads the refs again, after something else than this class may have changed them. */
  async reloadRefs(): Promise<void> {
    const listing = await this.line('for-each-ref', '--format=%(refname) %(objectname)');
    const pairs = listing.split('\n').filter((line) => line !== '');
    this.#refs = new Map(pairs.map((line) => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]));
  }

  object(expression: string): Promise<GitObject | undefined> {
    return this.#reader.read(expression);
  }

  /** The commit that a revision names; a tag is followed. */
  async commit(revision: string): Promise<Commit | undefined> {
    const object = await this.#reader.read(`${revision}^{commit}`);
    return object === undefined ? undefined : parseCommit(object.sha, object.content);
  }

  /** The entries of a tree; the entries of its folders too when `isRecursive`. A commit stands for its tree. */
  async tree(revision: string, isRecursive: boolean): Promise<{ sha: string; entries: readonly TreeEntry[] } | undefined> {
    const object = await this.#reader.read(`${revision}^{tree}`);
    if (object === undefined) return undefined;
    const entries = parseTree(object.content);
    if (!isRecursive) return { sha: object.sha, entries };
    const nested = await Promise.all(entries.map((entry) => this.#withDescendants(entry)));
    return { sha: object.sha, entries: nested.flat() };
  }

  async #withDescendants(entry: TreeEntry): Promise<readonly TreeEntry[]> {
    if (entry.type !== 'tree') return [entry];
    const inner = (await this.tree(entry.sha, true))?.entries ?? [];
    return [entry, ...inner.map((child) => ({ ...child, path: `${entry.path}/${child.path}` }))];
  }

  writeBlob(content: Uint8Array): Promise<string> {
    return writeObject(this.directory, 'blob', content);
  }

  /** Writes an object as given. */
  writeObject(type: GitObject['type'], content: string | Uint8Array): Promise<string> {
    return writeObject(this.directory, type, content);
  }

  /** Writes a commit object byte for byte as given: GitHub adds no newline to a message either. */
  writeCommit(commit: NewCommit): Promise<string> {
    const lines = [
      `tree ${commit.tree}`,
      ...commit.parents.map((parent) => `parent ${parent}`),
      `author ${signatureLine(commit.author)}`,
      `committer ${signatureLine(commit.committer)}`,
      '',
      commit.message,
    ];
    return writeObject(this.directory, 'commit', lines.join('\n'));
  }

  /** Writes an annotated tag object; the ref is the caller's. */
  writeTag(tag: NewTag): Promise<string> {
    const lines = [
      `object ${tag.target}`,
      `type ${tag.type}`,
      `tag ${tag.tag}`,
      `tagger ${signatureLine(tag.tagger)}`,
      '',
      tag.message,
    ];
    return writeObject(this.directory, 'tag', lines.join('\n'));
  }

  /** Sets a ref. With `before` only if it still has that value (`NO_OBJECT`: only if it is new); false when git refuses. */
  async updateRef(ref: string, sha: string, before?: string): Promise<boolean> {
    try {
      await this.run({ args: ['update-ref', ref, sha, ...(before === undefined ? [] : [before])] });
    } catch (error) {
      if (error instanceof GitFailure) return false;
      throw error;
    }
    this.#refs.set(ref, sha);
    return true;
  }

  async deleteRef(ref: string): Promise<void> {
    await this.run({ args: ['update-ref', '-d', ref] });
    this.#refs.delete(ref);
  }

  /** Commits file changes on top of a parent and points the ref at it, in one process. */
  async commitFiles(commit: CommitFiles): Promise<string> {
    const sha = await importCommit(this.#git, commit);
    this.#refs.set(commit.ref, sha);
    return sha;
  }

  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    return (await this.#ancestry.reachable(descendant)).has(ancestor);
  }

  /** Where two commits' histories meet. */
  mergeBase(left: string, right: string): Promise<string | undefined> {
    return this.#ancestry.mergeBase(left, right);
  }

  /** Commits of `head`'s history that are not in `base`'s. */
  countAhead(base: string, head: string): Promise<number> {
    return this.#ancestry.countAhead(base, head);
  }

  async #parents(sha: string): Promise<readonly string[]> {
    const commit = await this.commit(sha);
    if (commit === undefined) throw new Error(`${sha} is no commit of this repository`);
    return commit.parents;
  }

  /** Whether two commits merge without a conflict. Commits don't change, so the answer is kept. */
  canMerge(left: string, right: string): Promise<boolean> {
    const key = `${left} ${right}`;
    const present = this.#merges.get(key) ?? this.#tryMerge(left, right);
    this.#merges.set(key, present);
    return present;
  }

  async #tryMerge(left: string, right: string): Promise<boolean> {
    try {
      await this.line('merge-tree', '--write-tree', left, right);
      return true;
    } catch (error) {
      if (error instanceof GitFailure) return false;
      throw error;
    }
  }

  /** Shas of the commits of a range, newest first. */
  async history(
    range: readonly string[],
    options: { skip?: number; limit?: number; path?: string } = {},
  ): Promise<readonly string[]> {
    const page = [`--skip=${options.skip ?? 0}`, `--max-count=${options.limit ?? -1}`];
    const path = options.path === undefined ? [] : [options.path];
    const listing = await this.line('rev-list', ...page, ...range, '--', ...path);
    return listing.split('\n').filter((sha) => sha !== '');
  }

  /** Ends the processes and removes the folder. */
  async close(): Promise<void> {
    await Promise.all([this.#reader.close(), this.#git.close()]);
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function signatureLine(signature: Signature): string {
  const clean = (text: string): string => text.replace(/[<>\n]/g, '');
  return `${clean(signature.name)} <${clean(signature.email)}> ${Math.floor(Date.parse(signature.date) / 1000)} +0000`;
}
