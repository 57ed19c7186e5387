// A long text without its middle, with what is missing said. Pure.

/** `text` whole when it has at most `maxBytes` of UTF-8, else a third of that from its head and the rest from its tail. */
export function cutMiddle(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const head = bytes
    .subarray(0, Math.floor(maxBytes / 3))
    .toString()
    .replace(/\ufffd+$/, '');
  const tail = bytes
    .subarray(bytes.length - Math.ceil((maxBytes * 2) / 3))
    .toString()
    .replace(/^\ufffd+/, '');
  const omitted = bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return `${head}\n[… ${omitted} bytes omitted …]\n${tail}`;
}
