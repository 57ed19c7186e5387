// What a tool is: a serialisable definition and a function; and the helper that makes one from a zod schema. Knows no tool and no registry.
import { z } from 'zod';
import type { Exit, Part, ToolDefinition } from '../schema/message.ts';
import type { RunContext } from '../schema/model-call.ts';
import { describeIssues } from './argument-issues.ts';

/** Tools only carry `run`; in the tool host, which is another process, there is none. `callId`: filled in by the registry. */
export interface ToolContext {
  readonly signal: AbortSignal;
  readonly run?: RunContext;
  readonly callId?: string;
}

/** What a tool answers. A string is one text part. `isError` tells the model that the call failed. `exit`: how a command ended. */
export interface ToolOutcome {
  readonly output: readonly Part[] | string;
  readonly isError: boolean;
  readonly exit?: Exit | undefined;
}

/**
 * A tool. `execute` gets the arguments after JSON parsing and before any check; it answers expected trouble as an outcome with `isError`,
 * success as an outcome or a text alone. A throw is caught by the registry and becomes an outcome. On abort it ends soon, with what it has.
 */
export interface Tool {
  readonly definition: ToolDefinition;
  execute(args: unknown, context: ToolContext): Promise<ToolOutcome | string>;
}

/** A tool before its JSON Schema is made. `schema` is what `run` gets; unknown fields are refused by name. */
export interface ToolSpecification<Shape extends z.ZodRawShape> extends Omit<ToolDefinition, 'inputSchema'> {
  readonly schema: z.ZodObject<Shape>;
  run(args: z.infer<z.ZodObject<Shape>>, context: ToolContext): Promise<ToolOutcome | string>;
}

/** Makes a tool: JSON Schema once from zod, arguments checked before `run`, problems told to the model field by field (G2-01, G6-25). */
export function defineTool<Shape extends z.ZodRawShape>(specification: ToolSpecification<Shape>): Tool {
  const { schema, run, ...contract } = specification;
  const strict = schema.strict();
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(strict, { override: withoutSafeRange });
  const definition: ToolDefinition = { ...contract, inputSchema };
  return {
    definition,
    execute: async (args, context) => {
      const parsed = strict.safeParse(args);
      if (!parsed.success) return failure(describeIssues(args, parsed.error.issues, definition));
      return run(parsed.data, context);
    },
  };
}

/** The range of what JavaScript counts exactly stands at every integer, and tells the model nothing. */
function withoutSafeRange({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** An outcome that succeeded. */
export function success(output: string): ToolOutcome {
  return { output, isError: false };
}

/** An outcome that failed; the text tells the model how to mend the call. */
export function failure(output: string): ToolOutcome {
  return { output, isError: true };
}
