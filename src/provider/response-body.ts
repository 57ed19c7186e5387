// Reads an answer's body: whole JSON, or a stream of JSON events; says plainly when it is neither. It knows no vendor's schema.
import { parseJson } from '../schema/parse-json.ts';
import { ProviderError } from '../schema/stream.ts';
import { untilAborted } from '../schema/until-aborted.ts';
import type { Connection } from './connection.ts';
import { begunError, htmlError, looksLikeHtml, malformedError, timeoutError, transportError } from './fault.ts';
import { readEvents, type StreamEnd } from './sse.ts';

/** The body as parsed JSON. Throws a ProviderError for HTML, broken JSON and a connection that broke. */
export async function loadJson(response: Response, connection: Connection, signal: AbortSignal): Promise<unknown> {
  const text = await loadText(response, connection, signal);
  const parsed = parseJson(text);
  if (parsed === undefined) {
    if (looksLikeHtml(response.headers, text)) throw htmlError(connection, response.status);
    throw malformedError(connection, text.trim() === '' ? 'an empty answer' : 'an answer that is no JSON');
  }
  return parsed;
}

/** What `loadEvents` yields for `[DONE]`. */
export const doneMark = Symbol('[DONE]');

/**
 * The JSON of each event; ends after `[DONE]` or with the bytes. An event that is cut by the end of the bytes is left out: whether
 * something is missing is for the caller to judge by what it saw (G2-24, G2-25). Throws a ProviderError, or the signal's reason.
 */
export async function* loadEvents(response: Response, connection: Connection, signal: AbortSignal): AsyncGenerator<unknown> {
  if (response.body === null) throw malformedError(connection, 'an answer without a body');
  const events = readEvents(response.body, { signal, idleTimeoutMs: connection.idleTimeoutMs });
  let isBroken = false;
  try {
    for (let step = await nextEvent(events, connection, signal); !step.done; step = await nextEvent(events, connection, signal)) {
      if (isBroken) throw malformedError(connection, 'an event that is no JSON');
      if (step.value.trim() === '[DONE]') {
        yield doneMark;
        return;
      }
      const parsed = parseJson(step.value);
      isBroken = parsed === undefined;
      if (isBroken && looksLikeHtml(undefined, step.value)) {
        throw htmlError(connection, response.status);
      }
      if (!isBroken) yield parsed;
    }
  } finally {
    await events.return('end');
  }
}

/**
 * Whether the connection was lost or fell silent, and nothing was said of it: whoever had the whole answer before misses nothing (G2-25). What a
 * server says behind an answer counts.
 */
export function isLoss(error: unknown): boolean {
  if (!(error instanceof ProviderError)) return false;
  const { kind, said } = error.fault;
  return said === undefined && (kind === 'transport' || kind === 'timeout');
}

async function nextEvent(
  events: AsyncGenerator<string, StreamEnd>,
  connection: Connection,
  signal: AbortSignal,
): Promise<IteratorResult<string, StreamEnd>> {
  const step = await events.next().catch((cause: unknown) => {
    signal.throwIfAborted();
    throw transportError(connection, 'the connection broke in the middle of the answer', cause);
  });
  if (step.done && step.value === 'idle') {
    throw timeoutError(connection, `the stream brought nothing of an answer for ${connection.idleTimeoutMs / 1000} s or longer`);
  }
  return step;
}

async function loadText(response: Response, connection: Connection, signal: AbortSignal): Promise<string> {
  try {
    return await untilAborted(response.text(), signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw begunError(transportError(connection, 'the connection broke in the middle of the answer', cause));
  }
}
