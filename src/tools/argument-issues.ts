// Words for arguments that do not fit a tool's schema: field, value seen, what is expected. Pure.
import type { z } from 'zod';
import type { ToolDefinition } from '../schema/message.ts';
import { isRecord } from '../schema/record.ts';
import { foreignFields } from './call-aliases.ts';
import { toSnakeCase } from './line-range.ts';

// A model that sees its own 100 KB of text quoted back learns nothing from it.
const maxValueChars = 120;

/** One line per problem, then the fields of the tool, so that the next call can be right. */
export function describeIssues(args: unknown, issues: readonly z.core.$ZodIssue[], definition: ToolDefinition): string {
  const problems = issues.flatMap((issue) => describeIssue(args, issue, definition));
  return [
    `${definition.name}: the arguments do not fit, nothing was done.`,
    ...problems,
    `Fields: ${describeFields(definition)}.`,
  ].join('\n');
}

/** `path (string, required), limit (integer, optional)` */
function describeFields(definition: ToolDefinition): string {
  const required = definition.inputSchema.required;
  const names = Array.isArray(required) ? required : [];
  const fields = Object.entries(propertiesOf(definition)).map(
    ([name, property]) => `${name} (${typeOf(property) ?? 'any'}, ${names.includes(name) ? 'required' : 'optional'})`,
  );
  return fields.length === 0 ? 'none' : fields.join(', ');
}

/** The properties of a tool's input by name, as JSON Schemas. */
export function propertiesOf(definition: ToolDefinition): Readonly<Record<string, unknown>> {
  const { properties } = definition.inputSchema;
  return isRecord(properties) ? properties : {};
}

/** The `type` of a JSON Schema, when it has a single one. */
export function typeOf(schema: unknown): string | undefined {
  return isRecord(schema) && typeof schema.type === 'string' ? schema.type : undefined;
}

function describeIssue(args: unknown, issue: z.core.$ZodIssue, definition: ToolDefinition): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `- "${key.slice(0, maxValueChars)}" is not a field of this tool${hintFor(key, definition)}.`);
  const expected = describeExpected(issue);
  if (issue.path.length === 0) return [`- the arguments are ${renderValue(args)}; expected: a JSON object.`];
  const field = issue.path.join('.');
  const seen = valueAt(args, issue.path);
  if (seen === undefined) return [`- "${field}" is missing; expected: ${expected}.`];
  return [`- "${field}" is ${renderValue(seen)}; expected: ${expected}.`];
}

function describeExpected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return issue.expected === 'int' ? 'a whole number' : issue.expected;
  return issue.code === 'too_big' && issue.maximum === Number.MAX_SAFE_INTEGER ? 'a smaller number' : issue.message;
}

function hintFor(key: string, definition: ToolDefinition): string {
  const snake = toSnakeCase(key);
  const foreign = Object.hasOwn(foreignFields, snake) ? foreignFields[snake] : undefined;
  return foreign !== undefined && Object.hasOwn(propertiesOf(definition), foreign.instead) ? `; ${foreign.hint}` : '';
}

function valueAt(args: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    return Reflect.get(value, key);
  }, args);
}

function renderValue(value: unknown): string {
  const json = JSON.stringify(value) ?? 'undefined';
  return json.length <= maxValueChars ? json : `${json.slice(0, maxValueChars)}… (${json.length} characters)`;
}
