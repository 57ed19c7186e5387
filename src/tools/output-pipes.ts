// The pipes that processes write to. Node's own are sockets: nothing can open /dev/stderr on one, and who reads from one waits for ever (G5-06).
import { type ChildProcess, execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, fstatSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** Made at once: starting a program costs as much as a command. Each that waits holds two descriptors. */
const batchSize = 8;
/** What a pipe holds. It is read into one place: left to the garbage collector, the chunks of a flood fill 64 MB before it begins. */
const readBytes = 64 * 1024;
const mkfifoPaths = ['/usr/bin/mkfifo', '/bin/mkfifo'];
const mkfifoTimeoutMs = 5000;

/** What a process gets as an output: a descriptor, or Node's own. */
type Output = number | 'pipe';

/** A pipe that breaks ends its stream; there is nothing more to say about it. */
export interface Spawned<Child> {
  readonly child: Child;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** Gets what is written, as it comes. The bytes are good until it returns. */
export interface OutputTakers {
  readonly stdout: (bytes: Buffer) => void;
  readonly stderr: (bytes: Buffer) => void;
}

export interface OutputPipes {
  /**
   * What `start` starts, with the reading ends of its outputs; `takers` read them in place of the caller. Throws what `start` throws. Where
   * there are no pipes, sockets have to do.
   */
  spawn<Child extends ChildProcess>(start: (stdout: Output, stderr: Output) => Child, takers?: OutputTakers): Spawned<Child>;
}

interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

interface OutputPipesOptions {
  /** Of the processes: commands of the model can write where it says that temporary files are. */
  readonly env: Readonly<Record<string, string>>;
  /** When it aborts, the pipes that wait are closed. */
  readonly lifetime: AbortSignal;
}

/**
 * Pipes that begin as named ones: there is no other way to one from Node (decision 0020). Nothing is made before the first process, and
 * no name is left where a command would find it.
 */
export function createOutputPipes({ env, lifetime }: OutputPipesOptions): OutputPipes {
  const mkfifo = process.platform === 'linux' ? mkfifoPaths.find((candidate) => existsSync(candidate)) : undefined;
  const waiting: Pipe[] = [];
  lifetime.addEventListener('abort', () => waiting.splice(0).forEach(closePipe), { once: true });
  const take = (): Pipe | undefined => {
    if (mkfifo === undefined || lifetime.aborted) return undefined;
    try {
      if (waiting.length === 0) makePipes(mkfifo, env.TMPDIR ?? tmpdir(), (pipe) => waiting.push(pipe));
    } catch {
      // The disk is full or gone, descriptors have run out: what was made by then is good.
    }
    return waiting.pop();
  };
  return { spawn: (start, takers) => spawnInto([take(), take()], start, takers) };
}

function spawnInto<Child extends ChildProcess>(
  [out, err]: readonly [Pipe | undefined, Pipe | undefined],
  start: (stdout: Output, stderr: Output) => Child,
  takers?: OutputTakers,
): Spawned<Child> {
  let child: Child;
  try {
    child = start(out?.writeEnd ?? 'pipe', err?.writeEnd ?? 'pipe');
  } catch (error) {
    for (const pipe of [out, err]) if (pipe !== undefined) closePipe(pipe);
    throw error;
  }
  const stdout = readerOf(out, child.stdout, takers?.stdout);
  const stderr = readerOf(err, child.stderr, takers?.stderr);
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  return { child, stdout, stderr };
}

/** Resolves when nobody can write to the stream any more, and all is read. */
export function closeOf(stream: Readable): Promise<void> {
  return finished(stream, { writable: false }).catch(() => undefined);
}

/** The write end is closed here: the reader finds its end when the last process has gone. */
function readerOf(pipe: Pipe | undefined, own: Readable | null, take?: (bytes: Buffer) => void): Readable {
  if (pipe === undefined) return take === undefined ? oneWay(own) : oneWay(own).on('data', take);
  closeSync(pipe.writeEnd);
  const end = { fd: pipe.readEnd, readable: true, writable: false };
  if (take === undefined) return new Socket(end);
  const buffer = Buffer.allocUnsafeSlow(readBytes);
  const callback = (length: number) => {
    take(buffer.subarray(0, length));
    return true;
  };
  return new Socket({ ...end, onread: { buffer, callback } }).resume();
}

/** What reads from Node's own is to find its end at least. There is none where the process could not be started. */
function oneWay(stream: Readable | null): Readable {
  if (stream instanceof Socket) stream.end();
  return stream ?? Readable.from([]);
}

/** `add` gets each pipe as soon as it is open. The names go at once. */
function makePipes(program: string, parent: string, add: (pipe: Pipe) => void): void {
  const folder = mkdtempSync(path.join(parent, 'harness9-pipes-'));
  try {
    const files = Array.from({ length: batchSize }, (_, index) => path.join(folder, String(index)));
    execFileSync(program, ['-m', '600', ...files], { env: {}, stdio: 'ignore', timeout: mkfifoTimeoutMs });
    for (const file of files) add(openPipe(file));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Both ends of exactly one pipe, whatever a command made of its name meanwhile. */
function openPipe(file: string): Pipe {
  const readEnd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    if (!fstatSync(readEnd).isFIFO()) throw new Error('it is no pipe any more');
    return { readEnd, writeEnd: openSync(`/proc/self/fd/${readEnd}`, constants.O_WRONLY) };
  } catch (error) {
    closeSync(readEnd);
    throw error;
  }
}

function closePipe({ readEnd, writeEnd }: Pipe): void {
  closeSync(readEnd);
  closeSync(writeEnd);
}
