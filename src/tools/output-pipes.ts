// The pipes that processes write to. Node's own are sockets: nothing can open /dev/stderr on one, and who reads from one waits for ever (G5-06).
import { type ChildProcess, execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, fstatSync, mkdtempSync, openSync, rmSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';

/** Made at once: starting a program costs as much as a command. */
const batchSize = 16;
const mkfifoPaths = ['/usr/bin/mkfifo', '/bin/mkfifo'];
const mkfifoTimeoutMs = 5000;

/** What a process gets as an output: a descriptor, or Node's own. */
type Output = number | 'pipe';

export interface Spawned<Child> {
  readonly child: Child;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

export interface OutputPipes {
  /** What `start` starts, with the reading ends of its outputs. Throws what it throws. Where there are no pipes, sockets have to do. */
  spawn<Child extends ChildProcess>(start: (stdout: Output, stderr: Output) => Child): Spawned<Child>;
}

interface Pipe {
  readonly reader: Socket;
  readonly writeEnd: number;
}

interface OutputPipesOptions {
  /** Of the processes: commands of the model can write where it says that temporary files are. */
  readonly env: Readonly<Record<string, string>>;
  /** When it aborts, nothing of them is left on the disk. */
  readonly lifetime: AbortSignal;
}

/** Pipes that begin as named ones in a private folder: there is no other way to one from Node. Nothing is made before the first process. */
export function createOutputPipes({ env, lifetime }: OutputPipesOptions): OutputPipes {
  const mkfifo = process.platform === 'linux' ? mkfifoPaths.find((candidate) => existsSync(candidate)) : undefined;
  let folder: string | undefined;
  let files: string[] = [];
  let count = 0;
  const remove = () => folder !== undefined && rmSync(folder, { recursive: true, force: true });
  const makeMore = (program: string): void => {
    if (count === 0) lifetime.addEventListener('abort', remove, { once: true });
    folder ??= mkdtempSync(path.join(env.TMPDIR ?? tmpdir(), 'harness9-pipes-'));
    const made = Array.from({ length: batchSize }, (_, index) => path.join(folder ?? '', String(count + index)));
    count += batchSize;
    execFileSync(program, ['-m', '600', ...made], { env: {}, stdio: 'ignore', timeout: mkfifoTimeoutMs });
    files = made;
  };
  const take = (): Pipe | null => {
    if (mkfifo === undefined || lifetime.aborted) return null;
    try {
      if (files.length === 0) makeMore(mkfifo);
      return openPipe(files.pop() ?? '');
    } catch {
      // The disk is full, or a command took them away: the next process tries it elsewhere.
      remove();
      folder = undefined;
      files = [];
      return null;
    }
  };
  return { spawn: (start) => spawnInto([take(), take()], start) };
}

function spawnInto<Child extends ChildProcess>(
  [out, err]: readonly [Pipe | null, Pipe | null],
  start: (stdout: Output, stderr: Output) => Child,
): Spawned<Child> {
  try {
    const child = start(out?.writeEnd ?? 'pipe', err?.writeEnd ?? 'pipe');
    return { child, stdout: out?.reader ?? oneWay(child.stdout), stderr: err?.reader ?? oneWay(child.stderr) };
  } finally {
    // Here nobody writes: the readers find the end when the last process has gone.
    for (const pipe of [out, err]) if (pipe !== null) closeSync(pipe.writeEnd);
  }
}

/** What reads from Node's own is to find its end at least. There is none where the process could not be started. */
function oneWay(stream: Readable | null): Readable {
  if (stream instanceof Socket) stream.end();
  return stream ?? Readable.from([]);
}

/** Both ends of exactly one pipe, whatever a command made of its name meanwhile; the name goes. */
function openPipe(file: string): Pipe {
  const readEnd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    if (!fstatSync(readEnd).isFIFO()) throw new Error('it is no pipe any more');
    const writeEnd = openSync(`/proc/self/fd/${readEnd}`, constants.O_WRONLY);
    unlinkSync(file);
    return { reader: new Socket({ fd: readEnd, readable: true, writable: false }), writeEnd };
  } catch (error) {
    closeSync(readEnd);
    throw error;
  }
}
