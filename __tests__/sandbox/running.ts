// What the tests of processes say over and over: start one, collect what it wrote, and ask which live and whether one is dead.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessEnd, RunningProcess } from '../../src/schema/running-process.ts';

export const never = new AbortController().signal;

export interface Finished {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly end: ProcessEnd;
}

/** All that it writes, and its end; `input` is its whole stdin. */
export async function finish(running: RunningProcess, input: string | Uint8Array = ''): Promise<Finished> {
  running.stdin.end(input);
  const [stdout, stderr, end] = await Promise.all([buffer(running.stdout), buffer(running.stderr), running.end]);
  return { stdout, stderr, end };
}

/** The same as texts. */
export async function finishText(
  running: RunningProcess,
  input: string | Uint8Array = '',
): Promise<{ readonly stdout: string; readonly stderr: string; readonly end: ProcessEnd }> {
  const { stdout, stderr, end } = await finish(running, input);
  return { stdout: stdout.toString(), stderr: stderr.toString(), end };
}

/** What comes on `stream` up to `count` lines. The stream may be read on. */
export async function readLines(stream: Readable, count: number): Promise<string[]> {
  let text = '';
  for (;;) {
    const chunk: Buffer | null = stream.read();
    text += chunk?.toString() ?? '';
    const lines = text.split('\n');
    if (lines.length > count) return lines.slice(0, count);
    await delay(5);
  }
}

/** Living processes whose command line begins with `text`. */
export function running(text: string): string[] {
  const lines = execFileSync('ps', ['-eo', 'pid,stat,args'], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => /^\s*\d+\s+[^Z]\S*\s+(.*)$/.exec(line)?.[1]?.startsWith(text));
}

export function isDead(pid: number | string): boolean {
  try {
    return /^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(10);
}
