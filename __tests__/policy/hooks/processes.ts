// Real processes in a real workspace for the tests of hooks: each in a process group of its own, which is killed by its id.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Hook } from '../../../src/engine/ports.ts';
import { type CommandHookParts, createCommandHooks } from '../../../src/policy/hooks/command-hooks.ts';
import { parseHooks } from '../../../src/policy/hooks/parse-hooks.ts';
import { parseProcessStat } from '../../../src/schema/process-stat.ts';
import type { ProcessEnd, RunningProcess, StartProcess } from '../../../src/schema/running-process.ts';
import { systemClock } from '../../../src/schema/system-clock.ts';
import type { Clock } from '../../../src/schema/world.ts';

export interface Workspace {
  readonly dir: string;
  readonly log: string[];
  /** How the processes ended, and what they wrote to stdout, in the order of their starts. */
  readonly ended: { readonly end: Promise<ProcessEnd>; readonly stdout: string[] }[];
  readonly startProcess: StartProcess;
  write(name: string, text: string): void;
  read(name: string): string;
  /** The only hook of `value`, with processes that start here. */
  hook(value: unknown, parts?: Partial<CommandHookParts & { readonly startProcess: StartProcess }>): Hook;
  [Symbol.dispose](): void;
}

export function createWorkspace(): Workspace {
  const dir = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'harness9-hooks-')));
  const log: string[] = [];
  const ended: Workspace['ended'] = [];
  const env = { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: dir, TMPDIR: dir, LANG: 'C.UTF-8' };
  const startProcess: StartProcess = ({ argv: [program, ...args], env: added }, signal) => {
    const options = { cwd: dir, env: { ...env, ...added }, detached: true } as const;
    let child: ChildProcessByStdio<Writable, Readable, Readable>;
    try {
      child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    } catch (error) {
      return notStarted(String(error));
    }
    const kill = () => killGroup(child.pid);
    signal.addEventListener('abort', kill, { once: true });
    const end = new Promise<ProcessEnd>((resolve) => {
      child.once('error', (error) => resolve({ kind: 'failed', reason: error.message }));
      child.once('exit', (code, name) =>
        resolve(name === null ? { kind: 'exit', code: code ?? 1 } : { kind: 'signal', signal: name }),
      );
    });
    const stdout: string[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk.toString()));
    ended.push({ end, stdout });
    return { stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, end, kill };
  };
  const common = { matches: () => true, scripts: new Map<string, string>(), workDir: dir, clock: systemClock };
  return {
    dir,
    log,
    ended,
    startProcess,
    write: (name, text) => writeFileSync(path.join(dir, name), text),
    read: (name) => readFileSync(path.join(dir, name), 'utf8'),
    hook: (value, { startProcess: start = startProcess, ...parts } = {}) => {
      const own = { starterOf: () => start, log: (line: string) => log.push(line) };
      const hooks = createCommandHooks(parseHooks(value, 'test'), { ...common, ...own, ...parts });
      const [hook] = hooks;
      if (hook === undefined || hooks.length > 1) throw new Error(`one hook was expected, not ${hooks.length}`);
      return hook;
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** What could not be started, or is gone with the tool host. */
export function notStarted(reason: string): RunningProcess {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  return { stdin, stdout, stderr, end: Promise.resolve({ kind: 'failed', reason }), kill: () => undefined };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody is left.
  }
}

/** Which of the processes are left a moment later; a zombie is none. */
export async function livingOf(pids: readonly number[]): Promise<readonly number[]> {
  const living = () => pids.filter(isAlive);
  for (let waitedMs = 0; waitedMs < 3000 && living().length > 0; waitedMs += 20) await delay(20);
  return living();
}

/** Tries `look` until it does not throw. */
export async function until(look: () => unknown): Promise<void> {
  for (;;) {
    try {
      look();
      return;
    } catch {
      await delay(10);
    }
  }
}

/** A clock on which `ms` are over as soon as the command has named this many processes in the file `pids`. */
export function clockThatWaits(workspace: Workspace, ms: number, count: number): Clock {
  const look = () => {
    if (pidsIn(workspace).length < count) throw new Error('not yet');
  };
  return { ...systemClock, sleep: (asked, signal) => (asked === ms ? until(look) : systemClock.sleep(asked, signal)) };
}

export function pidsIn(workspace: Workspace): readonly number[] {
  return [...workspace.read('pids').matchAll(/^\d+$/gm)].map(Number);
}

export function isAlive(pid: number): boolean {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.isZombie === false;
  } catch {
    return false;
  }
}

export const context = (signal: AbortSignal = new AbortController().signal) => ({ signal, run: {} });
