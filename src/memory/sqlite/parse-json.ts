// Reads a JSON column. Pure.
import type { z } from 'zod';

/** What `json` holds, if it is what `schema` says; else undefined. */
export function parseJson<T>(json: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
