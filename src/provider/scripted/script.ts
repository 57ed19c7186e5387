// The form of a script and its reading; a script is what a model would have said, turn by turn.
import { z } from 'zod';
import { Harness9Error } from '../../schema/error.ts';
import { finishReasonSchema, usageSchema } from '../../schema/message.ts';
import { faultKindSchema } from '../../schema/stream.ts';

const faultSchema = z.strictObject({
  kind: faultKindSchema,
  message: z.string(),
  status: z.number().int().optional(),
  retryable: z.boolean().default(false),
  retryAfterMs: z.number().nonnegative().optional(),
});

const turnSchema = z.strictObject({
  /** What the model says. */
  text: z.string().optional(),
  /** The tools that it calls, in order. */
  calls: z.array(z.strictObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) })).default([]),
  /** How long it thinks, in milliseconds. */
  delayMs: z.number().nonnegative().optional(),
  /** Default: `tool_calls` with calls, else `stop`. */
  finish: finishReasonSchema.optional(),
  usage: usageSchema.partial().optional(),
  /** The call fails with this once the text was shown; the next request gets the next turn. */
  fault: faultSchema.optional(),
});

const scriptSchema = z.strictObject({ turns: z.array(turnSchema) });

export type Script = z.infer<typeof scriptSchema>;
export type ScriptedTurn = Script['turns'][number];

/** Reads a script. Throws a Harness9Error that names every place that is wrong. */
export function parseScript(value: unknown, name: string): Script {
  const parsed = scriptSchema.safeParse(value);
  if (!parsed.success) {
    throw new Harness9Error({
      code: 'PROVIDER_SCRIPT',
      message: `The script "${name}" cannot be played:\n${z.prettifyError(parsed.error)}`,
      hint: 'A script is {"turns": [{"text": "…", "calls": [{"name": "bash", "arguments": {"command": "ls"}}]}, …]}.',
    });
  }
  return parsed.data;
}
