// JSON with one spelling for one value, so that hashes and MACs are over the meaning and not over the key order.
import { createHash } from 'node:crypto';
import { isRecord } from './record.ts';

/** `value` as JSON with sorted object keys; undefined members are left out as JSON does. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => (isRecord(member) ? sortKeys(member) : member)) ?? 'null';
}

/** SHA-256 of the canonical JSON, lower-case hex. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

function sortKeys(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, value[key]]),
  );
}
