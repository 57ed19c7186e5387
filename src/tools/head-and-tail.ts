// Cutting the middle out of long text, with what is missing said. Pure.

/** `text` whole when it has at most `maxBytes` of UTF-8, else its head (a third) and its tail (test summaries stand at the end). */
export function cutMiddle(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const head = decodeWhole(bytes, 0, Math.floor(maxBytes / 3));
  const tail = decodeWhole(bytes, bytes.length - Math.ceil((maxBytes * 2) / 3), bytes.length);
  const omitted = bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return `${head}${omission(omitted)}${tail}`;
}

/** The line that stands where `bytes` bytes were left out (G5-16). */
export function omission(bytes: number): string {
  return `\n[… ${bytes} bytes omitted …]\n`;
}

/** The text between two byte offsets, both moved inwards to character boundaries. */
export function decodeWhole(bytes: Uint8Array, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && isContinuation(bytes[from])) from += 1;
  while (to > from && to < bytes.length && isContinuation(bytes[to])) to -= 1;
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('utf8');
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
