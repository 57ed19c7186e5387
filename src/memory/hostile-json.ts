// Parses JSON that an attacker may have written: bounded in size and depth, no prototype keys, never throws.

// The store unpacks no more than this either (threats.md G4).
const maxBytes = 32 * 1024 * 1024;
// A message is about ten levels deep; a vendor's own block may nest some more.
const maxDepth = 64;

const quoteByte = 0x22;
const backslashByte = 0x5c;
const openingBytes = new Set([0x5b, 0x7b]);
const closingBytes = new Set([0x5d, 0x7d]);

/** The value, or undefined for anything but well-formed, shallow UTF-8 JSON without a `__proto__` key. A BOM is well-formed to nobody. */
export function parseHostileJson(bytes: Uint8Array): unknown {
  if (bytes.length > maxBytes || isDeeperThan(bytes, maxDepth)) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return hasPrototypeKey(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Counted on the bytes, before any parser builds a million objects. */
function isDeeperThan(bytes: Uint8Array, maxDepth: number): boolean {
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

/** The index of the quote that closes the string which `start` opens. */
function endOfString(bytes: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < bytes.length && bytes[index] !== quoteByte) index += bytes[index] === backslashByte ? 2 : 1;
  return index;
}

function hasPrototypeKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototypeKey);
}
