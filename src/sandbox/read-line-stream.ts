// Lines of a byte stream, with a bound on what one line may hold.
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Yields each line without its end; ends with the stream. Throws a RangeError when a line grows over `maxChars`. */
export async function* readLineStream(stream: Readable, maxChars: number): AsyncGenerator<string, void, undefined> {
  const decoder = new StringDecoder('utf8');
  let pending: string[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const pieces = decoder.write(chunk).split('\n');
    const rest = pieces.pop() ?? '';
    for (const piece of pieces) {
      yield pending.join('') + piece;
      pending = [];
      length = 0;
    }
    pending.push(rest);
    length += rest.length;
    if (length > maxChars) throw new RangeError(`a line is longer than ${maxChars} characters`);
  }
}
