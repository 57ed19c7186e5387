// The body of a response with a bound on what is kept of it in memory at a time, and a word when it has ended.

/** As for a line of a process (`stdio-transport.ts`). */
const maxBytes = 16 * 1024 * 1024;
const lineEnd = 0x0a;

export interface BodyEvents {
  /** However it ended. */
  readonly onEnd: () => void;
  readonly onTooLong: (why: string) => void;
}

/** The same response: a document of more than 16 MB breaks off; a stream of events does when one line of it is longer. */
export function boundBody(response: Response, { onEnd, onTooLong }: BodyEvents): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  let size = 0;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      const end = isStream ? chunk.lastIndexOf(lineEnd) : -1;
      size = end === -1 ? size + chunk.length : chunk.length - end - 1;
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
