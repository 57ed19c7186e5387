// Server-sent events from raw bytes: the decoding that both vendors share. It knows nothing of what the events mean.
// The SDKs' own decoders fail on empty events, write to the console and end silently when a connection is aborted.
import { longestTimerMs } from '../schema/system-clock.ts';

/** Why the bytes ended: `end` is a clean close, `idle` our own time limit. */
export type StreamEnd = 'end' | 'idle';

export interface EventLimits {
  readonly signal: AbortSignal;
  /** Milliseconds without an event that carries data; where pings come, so many times as long (`pingPatience`). */
  readonly idleTimeoutMs: number;
}

/** A model that thinks unseen is silent behind its server's pings for minutes; a server that does nothing but ping is not waited for (G2-26). */
const pingPatience = 3;
const ping = /^\s*\{\s*"type"\s*:\s*"ping"\s*\}\s*$/;

/**
 * The data of each event, in order; comments and empty events are skipped (G2-26). Returns how the stream ended; throws what the body throws, and
 * the signal's reason on abort. The body is cancelled when the reader stops early.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>, limits: EventLimits): AsyncGenerator<string, StreamEnd> {
  const reader = body.getReader();
  let isIdle = false;
  const cancel = () => void reader.cancel().catch(() => undefined);
  const silence = startSilence(limits.idleTimeoutMs, () => {
    isIdle = true;
    cancel();
  });
  limits.signal.addEventListener('abort', cancel, { once: true });
  const decoder = new TextDecoder();
  const events = new EventDecoder();
  try {
    for (;;) {
      limits.signal.throwIfAborted();
      const { value, done } = await reader.read();
      limits.signal.throwIfAborted();
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      for (const data of done ? events.end(text) : events.push(text)) {
        silence.heard(data);
        yield data;
      }
      if (done) return isIdle ? 'idle' : 'end';
    }
  } finally {
    silence.stop();
    limits.signal.removeEventListener('abort', cancel);
    cancel();
  }
}

/** Waits for a sign of life, and for a longer while for one that is more than a ping. */
function startSilence(idleTimeoutMs: number, giveUp: () => void) {
  const sign = setTimeout(giveUp, Math.min(idleTimeoutMs, longestTimerMs));
  const answer = setTimeout(giveUp, Math.min(pingPatience * idleTimeoutMs, longestTimerMs));
  return {
    heard: (data: string) => {
      sign.refresh();
      if (!ping.test(data)) answer.refresh();
    },
    stop: () => {
      clearTimeout(sign);
      clearTimeout(answer);
    },
  };
}

/** Lines to events by the rules of the HTML standard: LF, CR or CRLF, one optional space after the colon, several data lines. */
class EventDecoder {
  #rest = '';
  #endsInCr = false;
  #data: string[] = [];

  push(text: string): readonly string[] {
    if (text === '') return [];
    // A CR at the very end may be the first half of a CRLF.
    const [first = '', ...others] = (this.#endsInCr && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\n|\r/);
    this.#endsInCr = text.endsWith('\r');
    // What is there of a line is not looked at again: one event may hold megabytes.
    this.#rest += first;
    return others.flatMap((next) => {
      const line = this.#rest;
      this.#rest = next;
      return this.#line(line);
    });
  }

  /** The last event may lack its blank line, and even its line end. */
  end(text: string): readonly string[] {
    return [...this.push(`${text}\n`), ...this.#line('')];
  }

  #line(line: string): readonly string[] {
    if (line === '') {
      const data = this.#data.join('\n');
      this.#data = [];
      return data.trim() === '' ? [] : [data];
    }
    // No field of the standard: llama.cpp's servers until autumn 2025 put an error there, and [DONE] behind it (ggml-org/llama.cpp#16109).
    if (line.startsWith('error:')) this.#data.push(`{"error":${line.slice('error:'.length)}}`);
    if (line.startsWith('data:')) this.#data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    return [];
  }
}
