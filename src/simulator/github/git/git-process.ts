/** Runs the git binary with an environment of its own, so that nobody's configuration or hooks take part. */
import { spawn } from 'node:child_process';

export interface GitPlace {
  /** The bare repository. */
  readonly directory: string;
  /** `PATH` for git; the parent's environment is not handed on. */
  readonly searchPath: string;
}

export interface GitRun {
  readonly args: readonly string[];
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** git ended with a status other than 0. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure';
  readonly exitCode: number | null;
  readonly stderr: string;

  constructor(args: readonly string[], exitCode: number | null, stderr: string) {
    super(`git ${args.join(' ')} ended with ${exitCode}: ${stderr.trim()}`);
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

/** The environment of every git process here. */
export function gitEnvironment(place: GitPlace): Record<string, string> {
  return {
    PATH: place.searchPath,
    GIT_DIR: place.directory,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}

/** Runs git to its end and gives its standard output; throws a `GitFailure`. */
export function runGit(place: GitPlace, run: GitRun): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', run.args, { env: { ...gitEnvironment(place), ...run.env }, stdio: 'pipe' });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.on('error', reject);
    child.on('close', (exitCode) => {
      if (exitCode === 0) resolve(Buffer.concat(output));
      else reject(new GitFailure(run.args, exitCode, Buffer.concat(errors).toString()));
    });
    // git may end before it has read everything; its exit status says so.
    child.stdin.on('error', () => undefined);
    child.stdin.end(run.input ?? '');
  });
}
