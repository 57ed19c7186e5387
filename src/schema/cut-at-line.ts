// A text that is cut for its size where a reader would cut it. Pure.

/** At most `maxBytes` of UTF-8 from the beginning of `text`, whole lines; of one long line, whole characters. */
export function cutAtLine(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // A cut within a character leaves a replacement character at the end, which goes with the unfinished line.
  const kept = bytes.subarray(0, maxBytes).toString();
  const end = kept.lastIndexOf('\n');
  return end > 0 ? kept.slice(0, end) : kept.replace(/\ufffd$/, '');
}
