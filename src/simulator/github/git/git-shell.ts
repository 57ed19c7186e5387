/**
 * Runs git with an environment of its own, so that nobody's configuration or hooks take part; through one shell that lives as long as the
 * repository, because what a start costs grows with the memory of whoever starts: 40 to 80 ms from a test runner, 2 ms from a shell.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface GitRun {
  readonly args: readonly string[];
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** git ended with a status other than 0. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure';
  readonly exitCode: number;
  readonly stderr: string;

  constructor(args: readonly string[], exitCode: number, stderr: string) {
    super(`git ${args.join(' ')} ended with ${exitCode}: ${stderr.trim()}`);
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

type Waiter = { readonly resolve: (exitCode: number) => void; readonly reject: (error: Error) => void };

/** Runs wait for each other, in their order; what goes in and out is in files of `folder`. */
export class GitShell {
  /** The bare repository. */
  readonly directory: string;
  readonly #exchange: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #shell: ChildProcessWithoutNullStreams;
  readonly #waiters: Waiter[] = [];
  readonly #ended: Promise<unknown>;
  #answers = '';
  #count = 0;

  /** `searchPath` is `PATH` for git; the parent's environment is not handed on. */
  constructor(folder: string, searchPath: string) {
    this.directory = join(folder, 'repository.git');
    this.#exchange = join(folder, 'exchange');
    this.#env = {
      PATH: searchPath,
      GIT_DIR: this.directory,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      LC_ALL: 'C',
    };
    mkdirSync(this.#exchange);
    this.#shell = spawn('/bin/sh', [], { env: this.#env, stdio: 'pipe' });
    this.#shell.stdout.on('data', (chunk: Buffer) => this.#deliver(chunk.toString()));
    // The shell may be gone before it has read the command; its end says so.
    this.#shell.stdin.on('error', () => undefined);
    this.#shell.on('error', (error) => this.#abandon(error));
    this.#shell.on('close', () => this.#abandon(new Error('the shell that starts git ended')));
    this.#ended = new Promise((resolve) => this.#shell.once('close', resolve));
  }

  /** Runs git to its end and gives its standard output; throws a `GitFailure`. */
  async run({ args, input = '', env = {} }: GitRun): Promise<Buffer> {
    this.#count += 1;
    const file = join(this.#exchange, String(this.#count));
    const [stdin, stdout, stderr] = [`${file}-in`, `${file}-out`, `${file}-err`] as const;
    const variables = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`);
    const words = [...variables, 'git', ...args.map(quote)].join(' ');
    if (input.length > 0) await writeFile(stdin, input);
    const source = input.length > 0 ? quote(stdin) : '/dev/null';
    const exitCode = await this.#ask(`${words} <${source} >${quote(stdout)} 2>${quote(stderr)}; echo $?\n`);
    const [output, errors] = await Promise.all([readFile(stdout), readFile(stderr, 'utf8')]);
    await Promise.all([stdin, stdout, stderr].map((one) => rm(one, { force: true })));
    if (exitCode === 0) return output;
    throw new GitFailure(args, exitCode, errors);
  }

  /** Starts `git <args>` as a process of its own, for questions and answers without end. */
  start(args: readonly string[]): ChildProcessWithoutNullStreams {
    return spawn('git', args, { env: this.#env, stdio: 'pipe' });
  }

  /** Ends the shell after the runs that are under way. */
  async close(): Promise<void> {
    this.#shell.stdin.end();
    await this.#ended;
  }

  #ask(command: string): Promise<number> {
    if (!this.#shell.stdin.writable) return Promise.reject(new Error('the shell that starts git has ended'));
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#shell.stdin.write(command);
    });
  }

  #deliver(text: string): void {
    const lines = (this.#answers + text).split('\n');
    this.#answers = lines.pop() ?? '';
    for (const line of lines) this.#waiters.shift()?.resolve(Number(line));
  }

  #abandon(error: Error): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
