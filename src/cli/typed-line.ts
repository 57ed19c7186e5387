// One line that a person types, read only while it is waited for: before and after, the keyboard is the shell's. Knows no answers.
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate } from 'node:timers/promises';
import { untilAborted } from '../schema/until-aborted.ts';

/** After so many turns of the event loop in which nothing came nothing is left over: in the first one the reading only begins. */
const quietTurns = 2;

/**
 * Throws away what was typed before, calls `onReady`, which says what is asked, and resolves with the next line; null when there is none any
 * more (Ctrl-D, a terminal that is gone). Rejects on abort with the signal's reason.
 */
export async function readTypedLine(input: Readable, onReady: () => void, signal: AbortSignal): Promise<string | null> {
  const isOver = (): boolean => input.readableEnded || input.destroyed;
  const line = Promise.withResolvers<string | null>();
  const decoder = new StringDecoder('utf8');
  let typed: string | undefined;
  let quiet = 0;
  const onEnd = (): void => line.resolve(null);
  const onData = (chunk: Buffer): void => {
    quiet = 0;
    if (typed === undefined) return;
    typed += decoder.write(chunk);
    const end = typed.indexOf('\n');
    if (end >= 0) line.resolve(typed.slice(0, end));
  };
  input.on('data', onData).once('end', onEnd).once('error', onEnd).resume();
  try {
    for (; quiet < quietTurns && !isOver(); quiet += 1) await setImmediate(undefined, { signal });
    typed = '';
    onReady();
    return isOver() ? null : await untilAborted(line.promise, signal);
  } finally {
    input.pause().off('data', onData).off('end', onEnd).off('error', onEnd);
  }
}
