// What hooks and permission rules answer, read before it counts: they may be written elsewhere, in a language without types.
import { z } from 'zod';
import { isRecord } from '../schema/record.ts';

/** An object with these members and no others; an instance of a class (a Map, a Date) has none, and is none. */
export function plainObject<Shape extends z.ZodRawShape>(shape: Shape): z.ZodType<z.infer<z.ZodObject<Shape>>> {
  return z.custom<unknown>(isPlain, 'expected a plain object').pipe(z.strictObject(shape));
}

/** The answer by its schema. Throws an Error that says on one line what is wrong with it. */
export function parseAnswer<T>(schema: z.ZodType<T>, answer: unknown): T {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw new Error(`its answer is none (${where}${issue?.message ?? 'not what was expected'})`);
}

function isPlain(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
