// The lines between the main process and the tool host: JSON, one message a line, versioned. Both sides check what they get.
import { z } from 'zod';
import { toolCallSchema, toolResultSchema } from '../schema/message.ts';
import { oneLine } from '../schema/one-line.ts';
import { parseJson } from '../schema/parse-json.ts';
import type { ProcessEnd } from '../schema/running-process.ts';

export const protocolVersion = 2;

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

/** Of a process's input or output in one line: other messages do not wait long behind it. */
const maxChunkBytes = 64 * 1024;
const maxChunkChars = Math.ceil(maxChunkBytes / 3) * 4;
/** Why a process failed is for people, and written beside untrusted code. */
const maxReasonChars = 300;

const id = z.number().int();
const bytes = z
  .string()
  .max(maxChunkChars, { abort: true })
  .regex(/^[A-Za-z0-9+/]*={0,2}$/);

const processEndSchema: z.ZodType<ProcessEnd> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('exit'), code: z.number().int() }),
  z.object({ kind: z.literal('signal'), signal: z.string().regex(/^SIG[A-Z0-9]{1,10}$/) }),
  z.object({ kind: z.literal('failed'), reason: z.string().transform((text) => oneLine(text, maxReasonChars)) }),
]);

export const toHostSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('call'), id, call: toolCallSchema }),
  z.object({ type: z.literal('cancel'), id }),
  z.object({
    type: z.literal('process_start'),
    id,
    argv: z.tuple([z.string()], z.string()).readonly(),
    env: z.record(z.string(), z.string()).readonly(),
  }),
  /** One at a time: the next one follows the `process_input_taken` of this one. */
  z.object({ type: z.literal('process_input'), id, data: bytes }),
  z.object({ type: z.literal('process_input_end'), id }),
  z.object({ type: z.literal('process_kill'), id }),
]);
export type ToHost = Readonly<z.infer<typeof toHostSchema>>;

export const fromHostSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), version: z.number() }),
  z.object({ type: z.literal('result'), id, result: toolResultSchema }),
  z.object({ type: z.literal('process_output'), id, stream: z.enum(['stdout', 'stderr']), data: bytes }),
  z.object({ type: z.literal('process_input_taken'), id }),
  z.object({ type: z.literal('process_end'), id, end: processEndSchema }),
]);
export type FromHost = Readonly<z.infer<typeof fromHostSchema>>;

/** What is said of processes, to the host and by it. */
export type ProcessOrder = Extract<ToHost, { type: `process_${string}` }>;
export type ProcessNews = Extract<FromHost, { type: `process_${string}` }>;

/** `chunk` in pieces that a line may hold. */
export function* piecesOf(chunk: Buffer): Generator<Buffer, void, undefined> {
  for (let at = 0; at < chunk.length; at += maxChunkBytes) yield chunk.subarray(at, at + maxChunkBytes);
}

/** A message as a line. */
export function renderLine(message: ToHost | FromHost): string {
  return `${JSON.stringify(message)}\n`;
}

/** The message in a line, or undefined when it is none. */
export function parseLine<T>(line: string, schema: z.ZodType<T>): T | undefined {
  return schema.safeParse(parseJson(line)).data;
}
