/** Runs one entry of an action and ends it the runner's way: SIGINT, SIGTERM, then the whole tree. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/** How long the runner waits after SIGINT and after SIGTERM (docs: workflow cancellation). */
export interface CancelTimes {
  readonly interruptMs: number;
  readonly terminateMs: number;
}
export const RUNNER_CANCEL_TIMES: CancelTimes = { interruptMs: 7_500, terminateMs: 2_500 };

/** The variable by which the runner finds processes that a step left behind. */
export const TRACKING_VARIABLE = 'RUNNER_TRACKING_ID';

export interface ProcessOptions {
  readonly file: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onLine: (stream: 'stdout' | 'stderr', line: string) => void;
  readonly cancel: AbortSignal | undefined;
  readonly cancelTimes: CancelTimes;
}

export interface ProcessEnd {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

// After the process has ended, what its children still hold of the pipes is not waited for.
const DRAIN_MS = 1_000;

/** Runs a JavaScript file with this Node to its end, or through cancellation. Never rejects for what the process does. */
export async function runNode(options: ProcessOptions): Promise<ProcessEnd> {
  const child = spawn(process.execPath, [options.file], {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      output[stream] += chunk;
    });
    createInterface({ input: child[stream], crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) =>
      options.onLine(stream, line),
    );
  }
  const ended = new Promise<Pick<ProcessEnd, 'exitCode' | 'signal'>>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stopCancelling = cancelOnAbort(child, options);
  try {
    const end = await ended;
    await Promise.race([closed, delay(DRAIN_MS)]);
    return { ...end, ...output };
  } finally {
    stopCancelling();
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function cancelOnAbort(child: ChildProcess, { cancel, cancelTimes, env }: ProcessOptions): () => void {
  const timers: NodeJS.Timeout[] = [];
  const start = (): void => {
    const { interruptMs, terminateMs } = cancelTimes;
    child.kill('SIGINT');
    timers.push(setTimeout(() => child.kill('SIGTERM'), interruptMs));
    timers.push(
      setTimeout(() => {
        child.kill('SIGKILL');
        void killTracked(env[TRACKING_VARIABLE] ?? '');
      }, interruptMs + terminateMs),
    );
  };
  if (cancel?.aborted === true) start();
  cancel?.addEventListener('abort', start, { once: true });
  return () => {
    cancel?.removeEventListener('abort', start);
    for (const timer of timers) clearTimeout(timer);
  };
}

/** Kills every process that still carries this tracking id; gives their number. Only where there is a /proc. */
export async function killTracked(trackingId: string): Promise<number> {
  if (trackingId === '') return 0;
  const entries = await readdir('/proc').catch(() => []);
  const kills = entries.filter((entry) => /^\d+$/.test(entry)).map((entry) => killIfTracked(Number(entry), trackingId));
  return (await Promise.all(kills)).filter(Boolean).length;
}

async function killIfTracked(pid: number, trackingId: string): Promise<boolean> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
    if (!environment.split('\0').includes(`${TRACKING_VARIABLE}=${trackingId}`)) return false;
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    // It has ended meanwhile, or it is another user's.
    return false;
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
