// Parses JSON that an attacker may have written: bounded in size and depth, no prototype keys, never throws.
import { isDeeperThan } from '../schema/json-depth.ts';

// The store unpacks no more than this either (threats.md G4).
const maxBytes = 32 * 1024 * 1024;
// A message is about ten levels deep; a vendor's own block may nest some more.
const maxDepth = 64;

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

function hasPrototypeKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototypeKey);
}
