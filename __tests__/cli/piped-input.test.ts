import { PassThrough, Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { readPipedInput } from '../../src/cli/piped-input.ts';
import type { Clock } from '../../src/schema/world.ts';

/** Time that passes when it is told to. */
function manualClock() {
  let wake: () => void = () => undefined;
  const clock: Clock = {
    now: () => new Date(0),
    monotonicMs: () => 0,
    sleep: (_ms, signal) =>
      new Promise((resolve, reject) => {
        wake = resolve;
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  };
  return { clock, pass: () => wake() };
}

const never = new AbortController().signal;
const { clock } = manualClock();

describe('piped input', () => {
  test('is read to its end, also when it comes in pieces that cut a character', async () => {
    const bytes = Buffer.from('\ufeffgrüße 日本\n');
    for (const isOptional of [true, false]) {
      const input = Readable.from([...bytes].map((byte) => Buffer.from([byte])));
      expect(await readPipedInput(input, { isOptional, clock }, never)).toEqual({
        kind: 'text',
        text: 'grüße 日本\n',
        isUtf8: true,
      });
    }
  });

  test('is none on a terminal', async () => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    expect(await readPipedInput(input, { isOptional: false, clock }, never)).toEqual({ kind: 'none' });
  });

  test('that never comes is not waited for when there is a prompt', async () => {
    const time = manualClock();
    const input = new PassThrough();
    const reading = readPipedInput(input, { isOptional: true, clock: time.clock }, never);
    time.pass();
    expect(await reading).toEqual({ kind: 'silent' });
    expect(input.destroyed).toBe(true);
  });

  test('that has begun is waited for', async () => {
    const time = manualClock();
    const input = new PassThrough();
    input.write('begun, ');
    const reading = readPipedInput(input, { isOptional: true, clock: time.clock }, never);
    await new Promise(setImmediate);
    time.pass();
    await new Promise(setImmediate);
    input.end('ended');
    expect(await reading).toEqual({ kind: 'text', text: 'begun, ended', isUtf8: true });
  });

  test('without an end is refused before it fills the memory', async () => {
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(1024 * 1024, 'y');
      })(),
    );
    await expect(readPipedInput(endless, { isOptional: false, clock }, never)).rejects.toMatchObject({ code: 'CLI_USAGE' });
    expect(endless.destroyed).toBe(true);
  });

  test('that is not all UTF-8 is read as far as it is, and known', async () => {
    const latin = Readable.from([Buffer.from('déjà vu', 'latin1')]);
    const read = await readPipedInput(latin, { isOptional: true, clock }, never);
    expect(read).toEqual({ kind: 'text', text: 'd\ufffdj\ufffd vu', isUtf8: false });
  });

  test.each([
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')],
    ['UTF-16', Buffer.from('\ufeffhello', 'utf16le')],
    ['names ended by zero bytes', Buffer.from('a\0b\0')],
  ])('that is no text (%s) is refused before a model is asked', async (_name, bytes) => {
    const reading = readPipedInput(Readable.from([bytes]), { isOptional: true, clock }, never);
    await expect(reading).rejects.toMatchObject({ code: 'CLI_USAGE', message: expect.stringContaining('no text') });
  });

  test('that cannot be read is said', async () => {
    const broken = new Readable({ read: () => broken.destroy(new Error('EISDIR: a folder')) });
    await expect(readPipedInput(broken, { isOptional: false, clock }, never)).rejects.toThrow('EISDIR');
  });

  test('is left when the user stops', async () => {
    const stop = new AbortController();
    const reading = readPipedInput(new PassThrough(), { isOptional: false, clock }, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(reading).rejects.toThrow('stopped');
  });
});
