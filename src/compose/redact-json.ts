// Something out of every text and name of a JSON value, so that it stays JSON. What is taken out is the caller's matter. Pure.
import { isRecord } from '../schema/record.ts';

/** `value` with `redact` applied to its texts and names. */
export function redactJson(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact));
  return isRecord(value) ? redactMembers(value, redact) : value;
}

/** The same of an object. */
export function redactMembers(
  value: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [redact(name), redactJson(member, redact)]));
}
