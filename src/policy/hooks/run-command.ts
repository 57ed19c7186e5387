// Owns one command from its start to its end: input in, bounded output out, nothing of it left behind. What the end means is not its matter.
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ProcessEnd, StartProcess } from '../../schema/running-process.ts';
import { untilAborted } from '../../schema/until-aborted.ts';
import { waitAtMost } from '../../schema/wait-at-most.ts';
import type { Clock } from '../../schema/world.ts';
import { KeptOutput } from './kept-output.ts';

export interface CommandRequest {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** On its stdin, which ends then. Whether it is read is the command's matter. */
  readonly input: string;
  readonly timeoutMs: number;
  /** A command that writes more to stdout is ended; undefined: it may, and the middle is not kept. */
  readonly maxStdoutBytes: number | undefined;
}

export type CommandEnd = ProcessEnd | { readonly kind: 'timeout' } | { readonly kind: 'overflow' };

export interface CommandResult {
  readonly end: CommandEnd;
  readonly stdout: KeptOutput;
  readonly stderr: KeptOutput;
}

export interface CommandParts {
  readonly startProcess: StartProcess;
  readonly clock: Clock;
}

/** Of each end of a stream. */
const keptBytes = 64 * 1024;
/** Over the time that a process is given to end by itself before it is killed. */
const maxDyingMs = 3000;
/** Output that was written before the end may still be on its way; a stream that says nothing for so long is held open by somebody else. */
const quietMs = 250;
/** And one that somebody else goes on writing to is left after so many times of it. */
const maxRounds = 4;

/**
 * Runs a command to its end, its time-out or too much output. Nothing that it started outlives it, in the background neither. Rejects on
 * abort only, with the signal's reason.
 */
export async function runCommand(
  request: CommandRequest,
  { startProcess, clock }: CommandParts,
  signal: AbortSignal,
): Promise<CommandResult> {
  signal.throwIfAborted();
  const running = startProcess({ argv: request.argv, env: request.env }, signal);
  const stdout = new KeptOutput(request.maxStdoutBytes ?? keptBytes);
  const stderr = new KeptOutput(keptBytes);
  const isOver = () => request.maxStdoutBytes !== undefined && stdout.totalBytes > request.maxStdoutBytes;
  const over = Promise.withResolvers<undefined>();
  const collected = Promise.all([collect(running.stdout, stdout), collect(running.stderr, stderr)]);
  running.stdout.on('data', () => isOver() && over.resolve(undefined));
  // Who does not read it, or not all of it, may have its reasons.
  running.stdin.on('error', () => undefined);
  running.stdin.end(request.input);
  try {
    const ended = waitAtMost(clock, request.timeoutMs, Promise.race([running.end, over.promise]));
    const end = (await untilAborted(ended, signal)) ?? { kind: 'timeout' };
    running.kill();
    await waitAtMost(clock, maxDyingMs, running.end);
    await drain([stdout, stderr], collected, clock);
    return { end: isOver() ? { kind: 'overflow' } : end, stdout, stderr };
  } finally {
    running.kill();
    for (const stream of [running.stdin, running.stdout, running.stderr]) stream.destroy();
  }
}

async function collect(stream: Readable, output: KeptOutput): Promise<void> {
  stream.on('data', (chunk: Buffer) => output.add(chunk));
  // A pipe that breaks ends the stream; there is nothing more to say about it.
  await finished(stream).catch(() => undefined);
}

/** How it ended, as the end of a sentence about it. */
export function describeEnd(
  end: CommandEnd,
  { timeoutMs, maxStdoutBytes }: Pick<CommandRequest, 'timeoutMs' | 'maxStdoutBytes'>,
): string {
  switch (end.kind) {
    case 'exit':
      return `ended with exit code ${end.code}`;
    case 'signal':
      return `was ended by ${end.signal}`;
    case 'timeout':
      return `did not end within ${timeoutMs / 1000} s and was killed`;
    case 'overflow':
      return `wrote more than ${maxStdoutBytes} bytes to stdout and was killed`;
    case 'failed':
      return `could not be run: ${end.reason}`;
  }
}

/** Waits for what is on its way: until the streams end, or nothing more comes. */
async function drain(outputs: readonly KeptOutput[], collected: Promise<unknown>, clock: Clock): Promise<void> {
  const total = () => outputs.reduce((sum, output) => sum + output.totalBytes, 0);
  const isCollected = collected.then(() => true);
  let before = -1;
  for (let round = 0; round < maxRounds && before !== total(); round += 1) {
    before = total();
    if (await waitAtMost(clock, quietMs, isCollected)) return;
  }
}
