// The body of a response with a bound on what is kept of it in memory at a time, and a word when it has ended.

/** As for a line of a process (`stdio-transport.ts`). */
const maxBytes = 16 * 1024 * 1024;
/** What ends an event is an empty line. */
const eventEnds = ['\n\n', '\n\r\n', '\r\r'];
const longestEventEnd = 3;

export interface BodyEvents {
  /** However it ended. */
  readonly onEnd: () => void;
  readonly onTooLong: (why: string) => void;
}

/** The same response: a document of more than 16 MB breaks off; a stream of events does when one of them is longer. */
export function boundBody(response: Response, { onEnd, onTooLong }: BodyEvents): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  let size = 0;
  // The end of an event may be torn.
  let last = Buffer.alloc(0);
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      const seen = isStream ? Buffer.concat([last, chunk]) : Buffer.alloc(0);
      const end = Math.max(...eventEnds.map((text) => seen.lastIndexOf(text)));
      size = end === -1 ? size + chunk.length : seen.length - end;
      last = Buffer.from(seen.subarray(-longestEventEnd + 1));
      if (size > maxBytes) {
        const why = `the server sent an answer of more than ${maxBytes / 1024 / 1024} MB`;
        onTooLong(why);
        throw new RangeError(why);
      }
      controller.enqueue(chunk);
    },
    flush: onEnd,
    cancel: onEnd,
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(bound), { status, statusText, headers });
}
