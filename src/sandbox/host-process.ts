// One life of a tool host: started, spoken to, ended. Restarting is the client's business.
import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../schema/world.ts';
import type { HostCalls } from './host-calls.ts';
import { createHostCalls } from './host-calls.ts';
import type { HostLine } from './host-line.ts';
import type { HostProcesses } from './host-processes.ts';
import { createHostProcesses } from './host-processes.ts';
import type { FromHost } from './protocol.ts';
import { fromHostSchema, maxLineChars, parseLine, protocolVersion, renderLine } from './protocol.ts';
import { readLineStream } from './read-line-stream.ts';

export interface HostCommand {
  /** Program and arguments; the program absolute. */
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly log: Log;
}

/** Never rejects: whatever happens to the host is an answer, or the end of a process. */
export interface HostProcess {
  /** Undefined when it could not be started. It is the leader of a session of its own. */
  readonly pid: number | undefined;
  /** How it ended, in words; pending while it lives. */
  readonly gone: Promise<string>;
  readonly execute: HostCalls['execute'];
  readonly startProcess: HostProcesses['start'];
  /** Closes its input, which ends it with its commands and processes; kills it when it does not. */
  stop(): Promise<void>;
}

const helloTimeoutMs = 20_000;
/** Over the grace that the host gives its processes. */
const stopGraceMs = 5000;
/** What the host wrote before it died is read; a pipe that somebody else holds open is not waited for. */
const lastWordsMs = 200;
const maxLogLines = 200;
const maxLogLineChars = 500;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts the host; does not wait for it. */
export function startHostProcess({ argv: [program, ...args], env, log }: HostCommand): HostProcess {
  const child = spawn(program, args, { env, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  const gone = waitUntilGone(child);
  const hello = Promise.withResolvers<undefined>();
  // Writing to a host that died: `gone` tells it.
  child.stdin.on('error', () => undefined);
  void logLines(child.stderr, log);
  const ready = Promise.race([hello.promise, gone, delay(helloTimeoutMs, 'it did not say hello', { ref: false })]);
  // One that never says hello is of no use; its end lets the next one start.
  void ready.then((reason) => reason !== undefined && child.kill('SIGKILL'));
  const line: HostLine = { ready, gone, send: (message) => void child.stdin.write(renderLine(message)) };
  const calls = createHostCalls(line);
  const processes = createHostProcesses(line);
  void readMessages(child, (message) => {
    if (message.type === 'result') calls.take(message);
    else if (message.type !== 'hello') processes.take(message);
    else if (message.version === protocolVersion) hello.resolve(undefined);
    else child.kill('SIGKILL');
  });
  return {
    pid: child.pid,
    gone,
    execute: calls.execute,
    startProcess: processes.start,
    stop: async () => {
      processes.close();
      child.stdin.end();
      const left = await Promise.race([gone, delay(stopGraceMs, undefined, { ref: false })]);
      if (left !== undefined) return;
      child.kill('SIGKILL');
      await Promise.race([gone, delay(stopGraceMs, undefined, { ref: false })]);
    },
  };
}

function waitUntilGone(child: Child): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  child.once('error', (error) => resolve(`it could not be started: ${error.message}`));
  child.once('exit', (code, signal) => {
    const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
    child.once('close', () => resolve(how));
    void delay(lastWordsMs, undefined, { ref: false }).then(() => resolve(how));
  });
  return promise;
}

async function readMessages(child: Child, take: (message: FromHost) => void): Promise<void> {
  try {
    for await (const line of readLineStream(child.stdout, maxLineChars)) {
      const message = parseLine(line, fromHostSchema);
      if (message !== undefined) take(message);
    }
  } catch {
    // A line without end, or a broken pipe: this host is of no use any more.
    child.kill('SIGKILL');
  }
}

/** The host's own trouble. It comes from beside untrusted code: bounded, and printable characters only. */
async function logLines(stream: Readable, log: Log): Promise<void> {
  let count = 0;
  try {
    for await (const line of readLineStream(stream, maxLineChars)) {
      count += 1;
      if (count <= maxLogLines) log(`[tool-host] ${line.slice(0, maxLogLineChars).replace(/[^\P{C}\t]/gu, '?')}`);
    }
  } catch {
    log('[tool-host] its log broke off');
    stream.resume();
  }
}
