// The tool host's side of the line: calls in, results out, several at once. Ends, with everything it started, when its input ends.
import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../schema/error.ts';
import { errorResult } from '../schema/message.ts';
import type { FromHost, ToHost } from './protocol.ts';
import { maxLineChars, parseLine, protocolVersion, renderLine, toHostSchema } from './protocol.ts';
import { readLineStream } from './read-line-stream.ts';
import type { ToolRegistry } from './tool-registry.ts';

/**
 * Serves `registry` until `input` ends: the main process closed it, or died (its end of the pipe closes with it). Every open call is
 * then cancelled. A line that is no message is passed over: nobody but the main process can write here.
 */
export async function serveToolHost(registry: ToolRegistry, input: Readable, output: Writable): Promise<void> {
  const send = (message: FromHost) => {
    output.write(renderLine(message));
  };
  // A main process that died reads no more; its closed input ends us.
  output.on('error', () => undefined);
  const calls = new Map<number, AbortController>();
  send({ type: 'hello', version: protocolVersion });
  try {
    for await (const line of readLineStream(input, maxLineChars)) {
      const message = parseLine(line, toHostSchema);
      if (message?.type === 'cancel') calls.get(message.id)?.abort();
      if (message?.type === 'call') void answer(registry, message, { calls, send });
    }
  } finally {
    for (const call of calls.values()) call.abort();
  }
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
