/** A long-lived git process that answers in lines, because starting one per question would cost milliseconds. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { GitFailure, type GitPlace, gitEnvironment } from './git-process.ts';

interface Waiter {
  readonly resolve: (line: string) => void;
  readonly reject: (error: Error) => void;
}

/** Questions wait for each other. git ends at a question that it refuses; the next one starts it again. */
export class LineProcess {
  readonly #place: GitPlace;
  readonly #args: readonly string[];
  #child: ChildProcessWithoutNullStreams | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(place: GitPlace, args: readonly string[]) {
    this.#place = place;
    this.#args = args;
  }

  /** Sends a text and gives the first line that passes `isAnswer`; throws a `GitFailure` when git ends instead. */
  ask(text: string, isAnswer: (line: string) => boolean): Promise<string> {
    const answer = this.#last.then(() => this.#exchange(text, isAnswer));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  /** Ends the process after the questions that are under way. */
  async close(): Promise<void> {
    await this.#last;
    const child = this.#child;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.stdin.end();
    await ended;
  }

  #exchange(text: string, isAnswer: (line: string) => boolean): Promise<string> {
    const child = this.#child ?? this.#start();
    return new Promise((resolve, reject) => {
      let output = '';
      let errors = '';
      const waiter: Waiter = { resolve, reject };
      const onData = (chunk: Buffer): void => {
        output += chunk.toString();
        const answer = output.split('\n').slice(0, -1).find(isAnswer);
        if (answer !== undefined) finish(() => waiter.resolve(answer));
      };
      const onError = (chunk: Buffer): void => {
        errors += chunk.toString();
      };
      const onClose = (exitCode: number | null): void =>
        finish(() => waiter.reject(new GitFailure(this.#args, exitCode, errors)));
      const finish = (settle: () => void): void => {
        child.stdout.off('data', onData);
        child.stderr.off('data', onError);
        child.off('close', onClose);
        settle();
      };
      child.stdout.on('data', onData);
      child.stderr.on('data', onError);
      child.on('close', onClose);
      child.stdin.write(text);
    });
  }

  #start(): ChildProcessWithoutNullStreams {
    const child = spawn('git', this.#args, { env: gitEnvironment(this.#place), stdio: 'pipe' });
    this.#child = child;
    const forget = (): void => {
      if (this.#child === child) this.#child = undefined;
    };
    child.on('close', forget);
    child.on('error', forget);
    // git may end before it has read the question; its end says so.
    child.stdin.on('error', () => undefined);
    return child;
  }
}
