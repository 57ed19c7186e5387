// One life of a tool host: started, spoken to, ended. Restarting is the client's business.
import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { errorResult, type ToolCall, type ToolResult } from '../schema/message.ts';
import { untilAborted } from '../schema/until-aborted.ts';
import type { Log } from '../schema/world.ts';
import type { FromHost } from './protocol.ts';
import { fromHostSchema, maxLineChars, parseLine, protocolVersion, renderLine } from './protocol.ts';
import { readLineStream } from './read-line-stream.ts';

export interface HostCommand {
  /** Program and arguments; the program absolute. */
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly log: Log;
}

/** What the host said to a call, or how the host ended before it said anything. */
export type HostAnswer =
  | { readonly kind: 'result'; readonly result: ToolResult }
  | { readonly kind: 'gone'; readonly reason: string };

/** Never rejects: whatever happens to the host is an answer. */
export interface HostProcess {
  /** Undefined when it could not be started. It is the leader of a session of its own. */
  readonly pid: number | undefined;
  /** How it ended, in words; pending while it lives. */
  readonly gone: Promise<string>;
  execute(call: ToolCall, signal: AbortSignal): Promise<HostAnswer>;
  /** Closes its input, which ends it and its commands; kills it when it does not. */
  stop(): Promise<void>;
}

const helloTimeoutMs = 20_000;
/** Over the grace that bash gives its processes on a cancel. */
const cancelGraceMs = 5000;
const stopGraceMs = 3000;
/** What the host wrote before it died is read; a pipe that somebody else holds open is not waited for. */
const lastWordsMs = 200;
const maxLogLines = 200;
const maxLogLineChars = 500;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts the host; does not wait for it. */
export function startHostProcess({ argv: [program, ...args], env, log }: HostCommand): HostProcess {
  const child = spawn(program, args, { env, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  const gone = waitUntilGone(child);
  const open = new Map<number, (answer: HostAnswer) => void>();
  const hello = Promise.withResolvers<undefined>();
  // Writing to a host that died: `gone` tells it.
  child.stdin.on('error', () => undefined);
  void logLines(child.stderr, log);
  void readMessages(child, (message) => {
    if (message.type === 'hello') {
      if (message.version === protocolVersion) hello.resolve(undefined);
      else child.kill('SIGKILL');
      return;
    }
    open.get(message.id)?.({ kind: 'result', result: message.result });
  });
  let endedBy: string | undefined;
  void gone.then((reason) => {
    endedBy = reason;
    for (const answer of open.values()) answer({ kind: 'gone', reason });
  });
  const ready = Promise.race([hello.promise, gone, delay(helloTimeoutMs, 'it did not say hello', { ref: false })]);
  // One that never says hello is of no use; its end lets the next one start.
  void ready.then((reason) => reason !== undefined && child.kill('SIGKILL'));
  let lastId = 0;
  return {
    pid: child.pid,
    gone,
    execute: async (call, signal) => {
      const hindrance = await untilAborted(ready, signal).then(hindranceOf, () => notBegun(call));
      if (hindrance !== undefined) return hindrance;
      lastId += 1;
      const id = lastId;
      const { promise, resolve } = Promise.withResolvers<HostAnswer>();
      open.set(id, resolve);
      const cancel = () => {
        child.stdin.write(renderLine({ type: 'cancel', id }));
        void delay(cancelGraceMs, undefined, { ref: false }).then(() => resolve(cancelled(call)));
      };
      child.stdin.write(renderLine({ type: 'call', id, call }));
      if (signal.aborted) cancel();
      signal.addEventListener('abort', cancel, { once: true });
      if (endedBy !== undefined) resolve({ kind: 'gone', reason: endedBy });
      const answer = await promise;
      signal.removeEventListener('abort', cancel);
      open.delete(id);
      return answer.kind === 'gone' ? answer : { kind: 'result', result: { ...answer.result, toolCallId: call.id } };
    },
    stop: async () => {
      child.stdin.end();
      const left = await Promise.race([gone, delay(stopGraceMs, undefined, { ref: false })]);
      if (left !== undefined) return;
      child.kill('SIGKILL');
      await Promise.race([gone, delay(stopGraceMs, undefined, { ref: false })]);
    },
  };
}

function hindranceOf(reason: string | undefined): HostAnswer | undefined {
  return reason === undefined ? undefined : { kind: 'gone', reason };
}

/** In the words of the registry's own, which is not asked. */
function notBegun(call: ToolCall): HostAnswer {
  return { kind: 'result', result: errorResult(call, `${call.name}: cancelled before it began.`) };
}

function cancelled(call: ToolCall): HostAnswer {
  return { kind: 'result', result: errorResult(call, 'Cancelled; the tool host did not say in time what was done.') };
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
