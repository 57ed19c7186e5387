// The lines between the main process and the tool host: JSON, one message a line, versioned. Both sides check what they get.
import { z } from 'zod';
import { toolCallSchema, toolResultSchema } from '../schema/message.ts';
import { parseJson } from '../schema/parse-json.ts';

export const protocolVersion = 1;

/** Of one line from the host: results are capped at 50 KB, an image may be larger; the rest is a host that was taken over. */
export const maxLineChars = 16 * 1024 * 1024;

/** What the host is started with, as its one argument. No secret may be in it: arguments are public. */
export const hostOptionsSchema = z.object({
  version: z.literal(protocolVersion),
  workDir: z.string(),
  tools: z.array(z.string()).readonly(),
  redactionMark: z.string(),
});
export type HostOptions = Readonly<z.infer<typeof hostOptionsSchema>>;

export const toHostSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('call'), id: z.number().int(), call: toolCallSchema }),
  z.object({ type: z.literal('cancel'), id: z.number().int() }),
]);
export type ToHost = Readonly<z.infer<typeof toHostSchema>>;

export const fromHostSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), version: z.number() }),
  z.object({ type: z.literal('result'), id: z.number().int(), result: toolResultSchema }),
]);
export type FromHost = Readonly<z.infer<typeof fromHostSchema>>;

/** A message as a line. */
export function renderLine(message: ToHost | FromHost): string {
  return `${JSON.stringify(message)}\n`;
}

/** The message in a line, or undefined when it is none. */
export function parseLine<T>(line: string, schema: z.ZodType<T>): T | undefined {
  return schema.safeParse(parseJson(line)).data;
}
