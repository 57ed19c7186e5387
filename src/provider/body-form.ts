// Whether an answer is one JSON or a stream of events: by its first character, since proxies name the type of the one for the other
// (cita-777/metapi#177, vllm-project/vllm-ascend#6985). Reads no further.
import { untilAborted } from '../schema/until-aborted.ts';

/** `response` is to be read in the place of the one that was given. */
export interface OpenBody {
  readonly isStream: boolean;
  readonly response: Response;
}

/** Waits for the first character. Rejects with the signal's reason; what breaks before it breaks whoever reads on. */
export async function openBody(given: Response, signal: AbortSignal): Promise<OpenBody> {
  const isNamedStream = /event-stream/.test(given.headers.get('content-type') ?? '');
  if (given.body === null) return { isStream: isNamedStream, response: given };
  const reader = given.body.getReader();
  const seen: Awaited<ReturnType<typeof reader.read>>[] = [];
  let first = '';
  let broken: { readonly cause: unknown } | undefined;
  try {
    const decoder = new TextDecoder();
    while (first === '' && seen.at(-1)?.done !== true) {
      const read = await untilAborted(reader.read(), signal);
      seen.push(read);
      first = decoder.decode(read.value, { stream: true }).trimStart().slice(0, 1);
    }
  } catch (cause) {
    if (signal.aborted) void reader.cancel().catch(() => undefined);
    signal.throwIfAborted();
    broken = { cause };
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = seen.shift();
      if (next === undefined && broken !== undefined) throw broken.cause;
      const { value, done } = next ?? (await reader.read());
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { isStream: isStream(first, isNamedStream), response: new Response(body, given) };
}

/** JSON and pages begin as nothing of a stream does; where no type says so, a stream begins with a field's name or a comment. */
function isStream(first: string, isNamed: boolean): boolean {
  return !/[{[<"]/.test(first) && (isNamed || /[deir:]/.test(first));
}
