// What is piped into the terminal: read whole and bounded, and not waited for when there is a prompt and nothing comes.
import { isUtf8 } from 'node:buffer';
import { addAbortSignal, type Readable } from 'node:stream';
import { Harness9Error, messageOf } from '../schema/error.ts';
import type { Clock } from '../schema/world.ts';
import { usageError } from './flags.ts';

export type InputStream = Readable & { readonly isTTY?: boolean };

/** Far more than a model can read; without a bound an endless stream would fill the memory. */
const maxBytes = 8 * 1024 * 1024;
/** Who starts us as a child may leave its end open and never write; a command that has something to say begins sooner. */
const patienceMs = 3000;

/** `silent`: the pipe is open, and nothing came. `isUtf8`: false when some of the text stands for bytes that are none. */
export type PipedInput =
  | { readonly kind: 'none' | 'silent' }
  | { readonly kind: 'text'; readonly text: string; readonly isUtf8: boolean };

/**
 * Reads `input` to its end; nothing on a terminal. With `isOptional` the first byte is waited for a while only. Throws CLI_USAGE for too
 * much, for what is no text, and for what cannot be read. Afterwards the stream is closed, so that it keeps no process alive.
 */
export async function readPipedInput(
  input: InputStream,
  { isOptional, clock }: { readonly isOptional: boolean; readonly clock: Clock },
  signal: AbortSignal,
): Promise<PipedInput> {
  if (input.isTTY === true) return { kind: 'none' };
  const begun = new AbortController();
  const silence = new AbortController();
  if (isOptional) {
    const patience = clock.sleep(patienceMs, begun.signal);
    void patience.then(
      () => silence.abort(),
      () => undefined,
    );
  }
  try {
    const stream = addAbortSignal(AbortSignal.any([signal, silence.signal]), input);
    return decode(await readAll(stream, () => begun.abort()));
  } catch (error) {
    signal.throwIfAborted();
    if (silence.signal.aborted) return { kind: 'silent' };
    throw error instanceof Harness9Error ? error : usageError(`the piped input could not be read: ${messageOf(error)}`);
  } finally {
    begun.abort();
    input.destroy();
  }
}

async function readAll(input: Readable, onBegin: () => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    onBegin();
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) throw usageError(`the piped input is larger than ${maxBytes} bytes; expected less: give a path instead`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** A model reads no binary; a zero byte is what every such file has, and UTF-16, too. */
function decode(bytes: Buffer): PipedInput {
  if (bytes.includes(0)) throw usageError('the piped input is no text: it has zero bytes; expected UTF-8: give a path instead');
  return { kind: 'text', text: new TextDecoder().decode(bytes), isUtf8: isUtf8(bytes) };
}
