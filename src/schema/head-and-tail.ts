// Cutting the middle out of long text, with what is missing said. Pure.

/**
 * `text` whole when it has at most `maxBytes` of UTF-8, else its head (a third) and its tail (test summaries stand at the end), with the bytes
 * between them said (G5-16).
 */
export function cutMiddle(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const first = decodeWhole(bytes, 0, Math.floor(maxBytes / 3));
  const last = decodeWhole(bytes, bytes.length - Math.ceil((maxBytes * 2) / 3), bytes.length);
  const omitted = bytes.length - Buffer.byteLength(first) - Buffer.byteLength(last);
  return `${first}\n[… ${omitted} bytes omitted …]\n${last}`;
}

/** The text between two byte offsets, both moved inwards to character boundaries. */
function decodeWhole(bytes: Uint8Array, start: number, end: number): string {
  const whole = wholeCharacters(bytes, start, end);
  return Buffer.from(whole.buffer, whole.byteOffset, whole.length).toString('utf8');
}

/** The bytes between two offsets, both moved inwards to character boundaries. */
export function wholeCharacters(bytes: Uint8Array, start: number, end: number): Uint8Array {
  let from = start;
  let to = end;
  while (from < to && isContinuation(bytes[from])) from += 1;
  while (to > from && to < bytes.length && isContinuation(bytes[to])) to -= 1;
  return bytes.subarray(from, to);
}

/** Whether a character of UTF-8 goes on with this byte. */
export function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
