// Processes beside the tools (command hooks, MCP servers), each in a session and process group of its own. Knows no caller and no protocol.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode, messageOf } from '../schema/error.ts';
import { notStarted } from '../schema/not-started.ts';
import type { ProcessEnd, RunningProcess, StartProcess } from '../schema/running-process.ts';
import { closeOf, createOutputPipes, type Spawned } from './output-pipes.ts';
import { endGroup, signalGroup } from './process-group.ts';

/** A child of the process may hold its pipes open for ever; what was written by then is in (G5-01). */
const maxDrainMs = 500;
/** Of each stream, after the end of the process: over what a pipe holds, so that nothing is lost that the process wrote itself. */
const maxDrainBytes = 1024 * 1024;

export interface ProcessStarterOptions {
  readonly workDir: string;
  /** The environment of every process, before what its request adds. */
  readonly env: Readonly<Record<string, string>>;
  /** When it aborts, every process dies at once. */
  readonly lifetime: AbortSignal;
}

/**
 * Starts processes in `workDir`, without a shell and without a terminal. When one has ended, what is left of its group is killed; what
 * went into a session of its own is not waited for. The streams end with it, at the reader's pace.
 */
export function createProcessStarter({ workDir, env, lifetime }: ProcessStarterOptions): StartProcess {
  const pipes = createOutputPipes({ env, lifetime });
  return ({ argv: [program, ...args], env: added }, signal) => {
    if (signal.aborted || lifetime.aborted) return notStarted('it was cancelled before it began');
    if (!existsSync(workDir)) return notStarted(`the workspace ${workDir} does not exist any more`);
    try {
      const options = { cwd: workDir, env: { ...env, ...added }, detached: true } as const;
      const spawned = pipes.spawn((stdout, stderr) => spawn(program, args, { ...options, stdio: ['pipe', stdout, stderr] }));
      return supervise(spawned, { signal, lifetime, describe: (error) => describeStart(error, program) });
    } catch (error) {
      // A NUL character in an argument, a command line that is too long.
      return notStarted(messageOf(error));
    }
  };
}

/** Node says in a code only that a program is missing; a script whose interpreter is, has the same one. */
function describeStart(error: Error, program: string): string {
  if (hasCode(error, 'ENOENT')) return `there is no program "${program}", or none that it runs with (ENOENT)`;
  return hasCode(error, 'EACCES') ? `"${program}" is not allowed to be run (EACCES)` : error.message;
}

interface Supervision {
  readonly signal: AbortSignal;
  readonly lifetime: AbortSignal;
  /** Why it could not be started, in words. */
  readonly describe: (error: Error) => string;
}

function supervise(spawned: Spawned<ChildProcess>, { signal, lifetime, describe }: Supervision): RunningProcess {
  const { child } = spawned;
  const { pid } = child;
  // There is none where the process could not be started.
  const stdin = child.stdin ?? new PassThrough();
  const exited = waitForExit(child, describe);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  // A process that does not read its input, or is gone, does not hear us: its end tells it.
  stdin.on('error', () => undefined);
  const drained = Promise.all([forward(spawned.stdout, stdout, exited), forward(spawned.stderr, stderr, exited)]);
  let killed: Promise<void> | undefined;
  let isOver = false;
  const kill = () => {
    if (pid !== undefined && !isOver) killed ??= endGroup(pid);
  };
  const killAtOnce = () => pid !== undefined && signalGroup(pid, 'SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  lifetime.addEventListener('abort', killAtOnce, { once: true });
  const waitUntilOver = async (): Promise<ProcessEnd> => {
    const end = await exited;
    await drained;
    await killed;
    isOver = true;
    killAtOnce();
    signal.removeEventListener('abort', kill);
    lifetime.removeEventListener('abort', killAtOnce);
    return end;
  };
  return { stdin, stdout, stderr, end: waitUntilOver(), kill };
}

function waitForExit(child: ChildProcess, describe: (error: Error) => string): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ kind: 'failed', reason: describe(error) }));
    child.once('exit', (code, signal) => {
      resolve(signal === null ? { kind: 'exit', code: code ?? 1 } : { kind: 'signal', signal });
    });
  });
}

/**
 * At the reader's pace while the process lives. What is left in the pipe then is taken at once: the end must not wait for a reader, nor
 * for a child that holds the pipe. Later bytes are read and dropped, or the child's next line would kill it.
 */
async function forward(from: Readable, to: PassThrough, exited: Promise<unknown>): Promise<void> {
  from.pipe(to, { end: false });
  await exited;
  from.unpipe(to);
  let left = maxDrainBytes;
  from.on('data', (chunk: Buffer) => {
    if (left > 0) to.write(chunk);
    left -= chunk.length;
  });
  from.resume();
  await Promise.race([closeOf(from), delay(maxDrainMs, undefined, { ref: false })]);
  left = 0;
  to.end();
}
