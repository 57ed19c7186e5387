import { PassThrough, Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { serveToolHost } from '../../src/sandbox/tool-host-server.ts';
import type { ProcessEnd, StartProcess } from '../../src/schema/running-process.ts';
import { createRegistry } from '../../src/tools/registry.ts';

/** A process that writes for ever, and how much of it was taken. */
function createFlood(): { startProcess: StartProcess; taken(): number } {
  let bytes = 0;
  const startProcess: StartProcess = (_request, signal) => {
    const ended = Promise.withResolvers<ProcessEnd>();
    const stdout = new Readable({
      read() {
        bytes += 50_000;
        this.push(Buffer.alloc(50_000));
      },
    });
    signal.addEventListener('abort', () => ended.resolve({ kind: 'signal', signal: 'SIGTERM' }));
    return { stdin: new Writable(), stdout, stderr: Readable.from([]), end: ended.promise, kill: () => undefined };
  };
  return { startProcess, taken: () => bytes };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
}

describe('serveToolHost', () => {
  test('reads a process no faster than the main process reads us, goes on when it does, and ends though it reads no more', async () => {
    const { startProcess, taken } = createFlood();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = serveToolHost({ registry: createRegistry(), startProcess }, input, output);
    for (let id = 1; id <= 5; id += 1)
      input.write(`${JSON.stringify({ type: 'process_start', id, argv: ['flood'], env: {} })}\n`);
    await settle();
    const first = taken();
    await settle();
    // Of five processes: a chunk that waits for room, and what a stream reads ahead.
    expect([first === taken(), first < 2_000_000]).toEqual([true, true]);
    for (let read = 0; read < 100; read += 1) {
      output.read();
      await nextTurn();
    }
    expect(taken()).toBeGreaterThan(first + 2_000_000);
    input.end();
    await served;
  });

  test('ends when its input ends, though a process cannot be killed', async () => {
    const never = Promise.withResolvers<ProcessEnd>().promise;
    const startProcess: StartProcess = () => ({
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      end: never,
      kill: () => undefined,
    });
    const input = new PassThrough();
    const served = serveToolHost({ registry: createRegistry(), startProcess }, input, new PassThrough());
    input.end(`${JSON.stringify({ type: 'process_start', id: 1, argv: ['init'], env: {} })}\n`);
    await served;
  });
});
