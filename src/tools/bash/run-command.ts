// One shell command as a race of named causes: exit, time limit, abort. Ends its processes, keeps partial output. Words are elsewhere.
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { closeOf, type OutputPipes, type OutputTakers } from '../output-pipes.ts';
import { endGroup, isGroupAlive, signalGroup } from '../process-group.ts';
import { OutputWindow } from './output-window.ts';
import type { Output } from './render-output.ts';

/**
 * The shell waits for no process substitution: after `exec > >(tee log)` the output comes when it has ended. Whoever holds the pipes gets so
 * long, and then runs in the background.
 */
const stragglerMs = 300;

/** Whoever closed the pipes because it ends is gone by then. */
const lastBreathMs = 50;
const lookEveryMs = 5;

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
  readonly pipes: OutputPipes;
}

export type CommandEnd =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'abort' };

export interface CommandResult extends Output {
  readonly end: CommandEnd;
  /** Whether processes of the command live on: none that we know of, some, or some that still write to the pipes. */
  readonly background: 'none' | 'quiet' | 'writing';
}

type Exit = readonly [code: number | null, signal: NodeJS.Signals | null];

/** Runs a command in a session and process group of its own, without a terminal and with an empty stdin. Rejects with a system error when it cannot be started. */
export async function runCommand(request: CommandRequest): Promise<CommandResult> {
  // Starting a process takes a while on a busy machine, and the caller's clock runs already.
  const startedMs = performance.now();
  const output = { stdout: new OutputWindow(), stderr: new OutputWindow() };
  let taking: Output | undefined = output;
  const { shell, pid, exited, streams } = await startShell(request, {
    stdout: (bytes) => taking?.stdout.add(bytes),
    stderr: (bytes) => taking?.stderr.add(bytes),
  });
  const kill = () => signalGroup(pid, 'SIGKILL');
  request.lifetime.addEventListener('abort', kill, { once: true });
  const end = await endOf(exited, pid, { ...request, startedMs });
  // Where the command was killed, its time is over.
  if (end.kind === 'exit' || end.kind === 'signal') await Promise.race([Promise.all(streams.map(closeOf)), delay(stragglerMs)]);
  const isClosed = await drain(streams, output);
  const hasGroup = await isGroupStaying(pid);
  if (!hasGroup) request.lifetime.removeEventListener('abort', kill);
  // A background child writes on: its pipes are kept open and emptied, or its next line would kill it. They keep nobody's process alive.
  taking = undefined;
  for (const stream of streams) if (stream instanceof Socket) stream.unref();
  shell.unref();
  output.stdout.end();
  output.stderr.end();
  return { ...output, end, background: isClosed ? (hasGroup ? 'quiet' : 'none') : 'writing' };
}

interface Started {
  readonly shell: ChildProcess;
  readonly pid: number;
  readonly exited: Promise<Exit>;
  readonly streams: readonly [stdout: Readable, stderr: Readable];
}

async function startShell({ bashPath, command, workDir, env, pipes }: CommandRequest, takers: OutputTakers): Promise<Started> {
  const spawned = pipes.spawn(
    (stdout, stderr) =>
      spawn(bashPath, ['-c', command], { cwd: workDir, env, stdio: ['ignore', stdout, stderr], detached: true }),
    takers,
  );
  const { child: shell, stdout, stderr } = spawned;
  const exited = new Promise<Exit>((resolve, reject) => {
    shell.once('exit', (code, signal) => resolve([code, signal]));
    shell.once('error', reject);
  });
  const { pid } = shell;
  if (pid !== undefined) return { shell, pid, exited, streams: [stdout, stderr] };
  await exited;
  throw new Error('bash has no process id');
}

async function endOf(
  exited: Promise<Exit>,
  pid: number,
  { timeoutMs, signal, startedMs }: CommandRequest & { readonly startedMs: number },
): Promise<CommandEnd> {
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

/**
 * Reads what was written before the end and is still in the pipes (G5-22): every turn of the event loop reads all that is there,
 * so two turns without a byte mean that the pipes are empty, though a background child may hold them open (G5-01). Says whether
 * nobody does.
 */
async function drain(streams: readonly Readable[], { stdout, stderr }: Output): Promise<boolean> {
  const total = () => stdout.rawBytes + stderr.rawBytes;
  const isClosed = () => streams.every((stream) => stream.readableEnded || stream.destroyed);
  const deadline = performance.now() + maxDrainMs;
  for (let quietTurns = 0; !isClosed() && quietTurns < 3 && performance.now() < deadline; ) {
    const before = total();
    await nextTurn();
    quietTurns = total() === before ? quietTurns + 1 : 0;
  }
  return isClosed();
}

async function isGroupStaying(id: number): Promise<boolean> {
  for (let waited = 0; waited < lastBreathMs && isGroupAlive(id); waited += lookEveryMs) await delay(lookEveryMs);
  return isGroupAlive(id);
}
