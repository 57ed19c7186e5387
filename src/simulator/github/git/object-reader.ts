/** Reads git objects through one long-lived `git cat-file --batch`, because a process per object would cost milliseconds. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { GitShell } from './git-shell.ts';

export interface GitObject {
  readonly sha: string;
  readonly type: 'blob' | 'tree' | 'commit' | 'tag';
  readonly content: Buffer;
}

type Waiter = { readonly resolve: (object: GitObject | undefined) => void; readonly reject: (error: Error) => void };

const HEADER = /^([0-9a-f]{40}) (blob|tree|commit|tag) (\d+)$/;

/** Answers come in the order of the questions; each answer is a header line and, unless missing, the content and a newline. */
export class ObjectReader {
  readonly #git: GitShell;
  readonly #waiters: Waiter[] = [];
  #child: ChildProcessWithoutNullStreams | undefined;
  #pending: Buffer = Buffer.alloc(0);

  constructor(git: GitShell) {
    this.#git = git;
  }

  /** The object that a revision expression names (`<sha>`, `refs/heads/x`, `<sha>:path`), or undefined. */
  read(expression: string): Promise<GitObject | undefined> {
    // A newline would be a second question, and the answers would shift.
    if (expression.includes('\n')) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#start().stdin.write(`${expression}\n`);
    });
  }

  /** Ends the process; questions without an answer are rejected. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.stdin.end();
    await ended;
  }

  #start(): ChildProcessWithoutNullStreams {
    if (this.#child !== undefined) return this.#child;
    const child = this.#git.start(['cat-file', '--batch']);
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => {
      this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
      this.#deliver();
    });
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => this.#abandon(error));
    child.on('close', () => this.#abandon(new Error('git cat-file ended')));
    return child;
  }

  #abandon(error: Error): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }

  #deliver(): void {
    for (;;) {
      const lineEnd = this.#pending.indexOf(10);
      if (lineEnd < 0) return;
      const [, sha, type, size] = HEADER.exec(this.#pending.toString('utf8', 0, lineEnd)) ?? [];
      if (sha === undefined) {
        this.#pending = this.#pending.subarray(lineEnd + 1);
        this.#waiters.shift()?.resolve(undefined);
        continue;
      }
      const contentEnd = lineEnd + 1 + Number(size);
      if (this.#pending.length <= contentEnd) return;
      const content = Buffer.from(this.#pending.subarray(lineEnd + 1, contentEnd));
      this.#pending = this.#pending.subarray(contentEnd + 1);
      this.#waiters.shift()?.resolve({ sha, type: objectType(type), content });
    }
  }
}

function objectType(type: string | undefined): GitObject['type'] {
  if (type === 'blob' || type === 'tree' || type === 'commit') return type;
  return 'tag';
}
