// How deep JSON nests, counted before any parser builds a million objects. Knows nothing of what it says.

const quoteByte = 0x22;
const backslashByte = 0x5c;
const openingBytes: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closingBytes: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Whether brackets outside strings nest deeper than `maxDepth`. Broken JSON is counted as far as it goes. */
export function isDeeperThan(json: string | Uint8Array, maxDepth: number): boolean {
  const bytes = typeof json === 'string' ? new TextEncoder().encode(json) : json;
  let depth = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === quoteByte) index = endOfString(bytes, index);
    else if (openingBytes.has(byte)) depth += 1;
    else if (closingBytes.has(byte)) depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

/** The index of the quote that closes the string which `start` opens, or of the end. */
function endOfString(bytes: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < bytes.length && bytes[index] !== quoteByte) index += bytes[index] === backslashByte ? 2 : 1;
  return index;
}
