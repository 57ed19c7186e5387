// How the fields of an answer are read that it can do without: servers leave them out, and give them forms of their own.
import type { z } from 'zod';

/** What it is not expected to be is not there. */
export function lenient<T extends z.ZodType>(schema: T) {
  return schema.nullish().catch(undefined);
}

/** A field of text that is not in every server's answers; empty where it is none. */
export function textField(value: Readonly<Record<string, unknown>>, name: string): string {
  const text = value[name];
  return typeof text === 'string' ? text : '';
}
