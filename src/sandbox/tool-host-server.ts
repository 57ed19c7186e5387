// The tool host's side of the line: calls in, results out, processes beside them. Ends, with everything it started, when its input ends.
import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../schema/error.ts';
import { errorResult } from '../schema/message.ts';
import type { StartProcess } from '../schema/running-process.ts';
import type { HostOutput } from './process-server.ts';
import { createProcessServer } from './process-server.ts';
import type { FromHost, ToHost } from './protocol.ts';
import { maxLineChars, parseLine, protocolVersion, renderLine, toHostSchema } from './protocol.ts';
import { readLineStream } from './read-line-stream.ts';
import type { ToolRegistry } from './tool-registry.ts';

/** What the host does for the main process. */
export interface HostServices {
  readonly registry: ToolRegistry;
  readonly startProcess: StartProcess;
}

/**
 * Serves until `input` ends: the main process closed it, or died (its end of the pipe closes with it). Every open call is then cancelled
 * and every process ended. A line that is no message is passed over: nobody but the main process can write here.
 */
export async function serveToolHost(services: HostServices, input: Readable, output: Writable): Promise<void> {
  const out = createHostOutput(output);
  const calls = new Map<number, AbortController>();
  const processes = createProcessServer(services.startProcess, out);
  out.send({ type: 'hello', version: protocolVersion });
  try {
    for await (const line of readLineStream(input, maxLineChars)) {
      const message = parseLine(line, toHostSchema);
      if (message?.type === 'cancel') calls.get(message.id)?.abort();
      else if (message?.type === 'call') void answer(services.registry, message, { calls, send: out.send });
      else if (message !== undefined) processes.take(message);
    }
  } finally {
    for (const call of calls.values()) call.abort();
    await processes.close();
  }
}

function createHostOutput(output: Writable): HostOutput {
  let room: Promise<void> | undefined;
  // A main process that died reads no more; its closed input ends us.
  output.on('error', () => undefined);
  return {
    send: (message) => {
      if (output.write(renderLine(message))) return;
      room ??= new Promise((resolve) => {
        output.once('drain', () => {
          room = undefined;
          resolve();
        });
      });
    },
    room: async () => {
      while (room !== undefined) await room;
    },
  };
}

interface Serving {
  readonly calls: Map<number, AbortController>;
  readonly send: (message: FromHost) => void;
}

async function answer(
  registry: ToolRegistry,
  { id, call }: Extract<ToHost, { type: 'call' }>,
  { calls, send }: Serving,
): Promise<void> {
  const controller = new AbortController();
  calls.set(id, controller);
  try {
    const result = await registry.execute(call, { signal: controller.signal });
    send({ type: 'result', id, result });
  } catch (error) {
    send({ type: 'result', id, result: errorResult(call, `${call.name}: ${messageOf(error)}`) });
  } finally {
    calls.delete(id);
  }
}
