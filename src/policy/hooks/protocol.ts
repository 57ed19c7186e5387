// Owns what a command hook is told on stdin and what it may answer on stdout (.github/HOOKS.md). Runs nothing.
import { z } from 'zod';
import type { Stop } from '../../schema/hook.ts';
import { isDeeperThan } from '../../schema/json-depth.ts';
import { argumentsOf, type ToolCall, type ToolResult, textOf } from '../../schema/message.ts';
import { oneLine } from '../../schema/one-line.ts';
import { parseJson } from '../../schema/parse-json.ts';
import { isRecord } from '../../schema/record.ts';
import { describeProblems } from './problems.ts';

const protocolVersion = 1;
const maxSeenChars = 80;
/** Tools take no deeper arguments. */
const maxDepth = 64;

/** What an event's hooks are told beside what all are told. */
export type EventFields = Readonly<Record<string, unknown>> & { readonly turn: number };

/** The line on a hook's stdin: one object of JSON. `workspace`: the directory that it starts in, absolute. */
export function renderTold(
  hook: { readonly event: string; readonly name: string },
  workspace: string,
  { turn, ...fields }: EventFields,
): string {
  const { event, name } = hook;
  return `${JSON.stringify({ version: protocolVersion, event, hook: name, turn, workspace, ...fields })}\n`;
}

/** A call as hooks are told of it. Arguments that are no JSON object, or a bottomless one, are given as the text that they are. */
export function callFields(call: ToolCall): Readonly<Record<string, unknown>> {
  const input = isDeeperThan(call.arguments, maxDepth) ? undefined : argumentsOf(call);
  return {
    tool_name: call.name,
    ...(input === undefined ? { tool_input_text: call.arguments } : { tool_input: input }),
    tool_call_id: call.id,
  };
}

/** A result as hooks are told of it: its text. Images are not told. */
export function resultFields({ output, isError }: ToolResult): Readonly<Record<string, unknown>> {
  return { tool_output: textOf(output), is_error: isError };
}

export function turnFields(calls: readonly ToolCall[]): Readonly<Record<string, unknown>> {
  return { calls: calls.map(({ name, id }) => ({ tool_name: name, tool_call_id: id })) };
}

export function stopFields({ finalMessage, sentBack }: Stop): Readonly<Record<string, unknown>> {
  return { final_message: finalMessage, sent_back: sentBack };
}

const textExpected = { error: 'a text' };

export const preToolUseAnswer = z.strictObject({
  decision: z.enum(['allow', 'deny', 'ask'], { error: 'allow, deny or ask' }).optional(),
  reason: z.string(textExpected).optional(),
  // As it is: a schema of records would take its members apart.
  tool_input: z.custom<Readonly<Record<string, unknown>>>(isRecord, { error: 'an object' }).optional(),
});

export const postToolUseAnswer = z.strictObject({
  tool_output: z.string(textExpected).optional(),
  is_error: z.boolean({ error: 'true or false' }).optional(),
});

export const turnCompleteAnswer = z.strictObject({});

export const stopAnswer = z.strictObject({
  message: z
    .string(textExpected)
    .refine((message) => message.trim() !== '', { error: 'a text that says what to do' })
    .optional(),
});

/** `answer` is undefined when there was nothing on stdout; `problem` says why what was there is no answer. */
export type ReadAnswer<T> =
  | { readonly kind: 'read'; readonly answer: T | undefined }
  | { readonly kind: 'garbage'; readonly problem: string };

/** What a hook that ended well wrote to stdout. */
export function parseAnswer<Schema extends z.ZodObject>(stdout: Buffer, schema: Schema): ReadAnswer<z.infer<Schema>> {
  const text = decode(stdout);
  if (text === undefined) return { kind: 'garbage', problem: 'its stdout is no UTF-8 text' };
  if (text.trim() === '') return { kind: 'read', answer: undefined };
  const value = isDeeperThan(text, maxDepth) ? undefined : parseJson(text);
  if (!isRecord(value)) {
    return { kind: 'garbage', problem: `its stdout is not one object of JSON: ${JSON.stringify(oneLine(text, maxSeenChars))}` };
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { kind: 'read', answer: parsed.data };
  const problems = describeProblems(parsed.error.issues, value, () => Object.keys(schema.shape));
  return { kind: 'garbage', problem: `its answer cannot be used: ${problems.join('; ')}` };
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
