// One shell command as a race of named causes: exit, time limit, abort. Ends its process group, keeps partial output. Words are elsewhere.
import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { endGroup, isGroupAlive, signalGroup } from '../process-group.ts';
import { OutputWindow } from './output-window.ts';

/** A background child may write for ever; what it wrote by then is in. */
const maxDrainMs = 500;

/** Whoever calls us enforces the same limit and may abort a moment before our own timer: that is the time limit, not a cancel. */
const maxTimerSkewMs = 500;

export interface CommandRequest {
  /** Absolute. */
  readonly bashPath: string;
  readonly command: string;
  readonly workDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** When it aborts, whatever is left of the command dies at once, also long after it has returned. */
  readonly lifetime: AbortSignal;
}

export interface CommandResult {
  readonly stdout: OutputWindow;
  readonly stderr: OutputWindow;
  readonly end:
    | { readonly kind: 'exit'; readonly code: number }
    | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
    | { readonly kind: 'timeout' }
    | { readonly kind: 'abort' };
  /** Processes of the command live on in the background. */
  readonly leavesBackground: boolean;
}

type Shell = ChildProcessByStdio<null, Readable, Readable>;
type Exit = readonly [code: number | null, signal: NodeJS.Signals | null];

/** Runs a command in a session and process group of its own, without a terminal and with an empty stdin. Rejects only when it cannot be started. */
export async function runCommand(request: CommandRequest): Promise<CommandResult> {
  // Starting a process takes a while on a busy machine, and the caller's clock runs already.
  const startedMs = performance.now();
  const shell = spawn(request.bashPath, ['-c', request.command], {
    cwd: request.workDir,
    env: request.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const closed = once(shell, 'close').catch(() => undefined);
  const exited = new Promise<Exit>((resolve, reject) => {
    shell.once('exit', (code, signal) => resolve([code, signal]));
    shell.once('error', reject);
  });
  const stdout = collect(shell.stdout);
  const stderr = collect(shell.stderr);
  const { pid } = shell;
  if (pid === undefined) {
    await exited;
    throw new Error('bash was not started');
  }
  const kill = () => signalGroup(pid, 'SIGKILL');
  request.lifetime.addEventListener('abort', kill, { once: true });
  const end = await endOf(exited, pid, { ...request, startedMs });
  await drain([stdout, stderr], closed);
  const leavesBackground = isGroupAlive(pid);
  if (!leavesBackground) request.lifetime.removeEventListener('abort', kill);
  release(shell);
  stdout.window.end();
  stderr.window.end();
  return { stdout: stdout.window, stderr: stderr.window, end, leavesBackground };
}

async function endOf(
  exited: Promise<Exit>,
  pid: number,
  { timeoutMs, signal, startedMs }: CommandRequest & { readonly startedMs: number },
): Promise<CommandResult['end']> {
  const timeout = AbortSignal.timeout(Math.max(0, Math.round(startedMs + timeoutMs - performance.now())));
  const stop = AbortSignal.any([signal, timeout]);
  const exit = await Promise.race([exited, aborted(stop)]);
  if (exit === undefined) {
    const isInTime = performance.now() - startedMs < timeoutMs - Math.min(maxTimerSkewMs, timeoutMs / 4);
    await endGroup(pid);
    return { kind: signal.aborted && isInTime ? 'abort' : 'timeout' };
  }
  const [code, signalName] = exit;
  return signalName === null ? { kind: 'exit', code: code ?? 1 } : { kind: 'signal', signal: signalName };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
}

interface Collected {
  readonly window: OutputWindow;
  bytes(): number;
}

function collect(stream: Readable): Collected {
  const window = new OutputWindow();
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    window.add(chunk);
  });
  // A pipe that breaks ends the stream; there is nothing more to say about it.
  stream.on('error', () => undefined);
  return { window, bytes: () => bytes };
}

/**
 * Reads what was written before the end and is still in the pipes (G5-22): every turn of the event loop reads all that is there,
 * so two turns without a byte mean that the pipes are empty, though a background child may hold them open (G5-01).
 */
async function drain(streams: readonly Collected[], closed: Promise<unknown>): Promise<void> {
  let isClosed = false;
  void closed.then(() => {
    isClosed = true;
  });
  const total = () => streams.reduce((sum, stream) => sum + stream.bytes(), 0);
  const deadline = performance.now() + maxDrainMs;
  let quietTurns = 0;
  while (!isClosed && quietTurns < 3 && performance.now() < deadline) {
    const before = total();
    await nextTurn();
    quietTurns = total() === before ? quietTurns + 1 : 0;
  }
}

/** A background child writes on: its pipes are kept open and emptied, or its next line would kill it. They keep nobody's process alive. */
function release(shell: Shell): void {
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.removeAllListeners('data');
    stream.resume();
    if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
  }
  shell.unref();
}
