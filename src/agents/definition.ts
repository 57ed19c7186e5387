// What a sub-agent is, and the reading of one from the fields and the text of a file. Pure; the file is hostile.
import { z } from 'zod';
import { cutAtLine } from '../schema/cut-at-line.ts';
import { oneLine } from '../schema/one-line.ts';
import { parsePattern, splitPatterns } from './tool-patterns.ts';

export interface AgentDefinition {
  readonly name: string;
  /** One line, for the model that chooses. */
  readonly description: string;
  /** Patterns of permission rules: what it may use at most; undefined = all that its parent has. */
  readonly tools: readonly string[] | undefined;
  /** Patterns of permission rules: what it may not use. */
  readonly disallowedTools: readonly string[];
  /** `provider/model` or `model`; undefined = its parent's. */
  readonly model: string | undefined;
  readonly maxTurns: number | undefined;
  readonly maxTokens: number | undefined;
  /** What it is told to be: its part of the system prompt. */
  readonly prompt: string;
}

/** A file taken apart. `fields`: texts, and lists and records of them. */
export type AgentFile =
  | { readonly kind: 'read'; readonly fields: Readonly<Record<string, unknown>>; readonly body: string }
  | { readonly kind: 'broken'; readonly problem: string };

/** `notes`: what of the file is not used, though the agent is. */
export type AgentReading =
  | { readonly kind: 'agent'; readonly agent: AgentDefinition; readonly notes: readonly string[] }
  | { readonly kind: 'broken'; readonly problem: string };

const maxDescriptionChars = 1_024;
/** It goes with every request of the sub-agent. */
const maxPromptBytes = 40_000;

/** Names that other harnesses give to models: they mean nothing to an API, and to us the parent's model. */
const foreignModels = ['sonnet', 'opus', 'haiku'];

const textSchema = z
  .string()
  .optional()
  .transform((text) => text?.trim() || undefined);
const countSchema = z
  .string()
  .regex(/^\s*[1-9]\d{0,8}\s*$/, 'expected a whole number, 1 or more')
  .optional()
  .transform((text) => (text === undefined ? undefined : Number(text)));
const patternsSchema = z
  .union(
    [z.string().transform((one) => [one]), z.array(z.string())],
    'expected names of tools, as a list or with commas between them',
  )
  .optional()
  .transform((entries) => entries?.flatMap(splitPatterns));
const fieldsSchema = z.object({
  name: textSchema,
  description: textSchema,
  tools: patternsSchema,
  disallowed_tools: patternsSchema,
  model: textSchema,
  max_turns: countSchema,
  max_tokens: countSchema,
});
const known = Object.keys(fieldsSchema.shape);

/**
 * The agent of a file, or why it is none. `ownName`: where the file says none. `toolName`: our name of a tool for what another harness calls
 * it, any other name as it is. A field that cannot be read makes the file unusable: what was meant as a limit must not fall away.
 */
export function readAgent(file: AgentFile, ownName: string, toolName: (name: string) => string): AgentReading {
  if (file.kind === 'broken') return file;
  const folded = Object.entries(file.fields).map(([key, value]) => [foldKey(key), value] as const);
  const twice = known.find((field) => folded.filter(([key]) => key === field).length > 1);
  if (twice !== undefined) return broken(`the field ${twice} is given twice`);
  const fields = fieldsSchema.safeParse(Object.fromEntries(folded.filter(([key]) => known.includes(key))));
  if (!fields.success) return broken(`its front matter cannot be used: ${z.prettifyError(fields.error)}`);
  const { name = ownName, description, tools, disallowed_tools: disallowed = [], model, max_turns, max_tokens } = fields.data;
  const problem = findProblem({ name, description, patterns: [...(tools ?? []), ...disallowed], body: file.body });
  if (problem !== undefined) return broken(problem);
  const prompt = cutAtLine(file.body, maxPromptBytes);
  const isCut = prompt.length < file.body.length;
  const isForeign = model !== undefined && foreignModels.includes(model);
  // A name with a star is a part of one.
  const renamed = (pattern: string): string => pattern.replace(/^[^(*]+(?=\(|$)/, (name) => toolName(name));
  return {
    kind: 'agent',
    agent: {
      name,
      description: oneLine(description ?? '', maxDescriptionChars),
      tools: tools?.map(renamed),
      disallowedTools: disallowed.map(renamed),
      model: isForeign || model === 'inherit' ? undefined : model,
      maxTurns: max_turns,
      maxTokens: max_tokens,
      prompt: isCut ? `${prompt}\n(cut here for its size)` : prompt,
    },
    notes: [
      ...describeUnknown(Object.keys(file.fields)),
      ...(tools?.length === 0 ? ['its list of tools is empty, so it has none'] : []),
      ...(isForeign ? [`its model ${model} is no model's whole name; it runs on the model of the run`] : []),
      ...(isCut ? [`its text is cut to ${maxPromptBytes} bytes`] : []),
    ],
  };
}

function broken(problem: string): AgentReading {
  return { kind: 'broken', problem };
}

/** What is missing or no good of what must be there. */
function findProblem(read: {
  readonly name: string;
  readonly description: string | undefined;
  readonly patterns: readonly string[];
  readonly body: string;
}): string | undefined {
  if (read.description === undefined) return 'it has no front matter with a description';
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(read.name)) {
    return `the name ${JSON.stringify(read.name.slice(0, 80))} is not of 1 to 64 lower-case letters, digits and dashes`;
  }
  const bad = read.patterns.find((pattern) => parsePattern(pattern) === undefined);
  if (bad !== undefined)
    return `${JSON.stringify(bad.slice(0, 80))} is no tool: expected a name, or a name with a pattern, like bash(npm test:*)`;
  return read.body === '' ? 'it has no text: that is what tells the agent what to do' : undefined;
}

/** `maxTurns` is `max_turns`, as other harnesses spell it. */
function foldKey(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_');
}

function describeUnknown(keys: readonly string[]): readonly string[] {
  const unknown = keys.filter((key) => !known.includes(foldKey(key)));
  if (unknown.length === 0) return [];
  const names = unknown.map((key) => oneLine(key, 40)).join(', ');
  return [`not used of its front matter: ${names}; there are ${known.join(', ')}`];
}
