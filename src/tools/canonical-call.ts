// A model's call in our own words: harmless other spellings of tool and field names become the right ones. Decides no permission.
import type { ToolCall, ToolDefinition } from '../schema/message.ts';
import { isRecord } from '../schema/record.ts';
import { propertiesOf, typeOf } from './argument-issues.ts';
import { chatterFields, fieldAliases, idleValues, toolAliases } from './call-aliases.ts';
import { linesAsPage, toSnakeCase } from './line-range.ts';
import { parseArguments } from './parse-arguments.ts';

/**
 * The call with the registered tool's name and the schema's field names, the same object when it has them; what cannot be known stays as it is.
 * Permission rules must look at this form, or an alias goes around them.
 */
export function canonicalCall(call: ToolCall, definitions: readonly ToolDefinition[]): ToolCall {
  const definition = findDefinition(call.name, definitions);
  if (definition === undefined) return call;
  const parsed = parseArguments(call.arguments);
  if (!parsed.ok) return { ...call, name: definition.name };
  const args = JSON.stringify(canonicalArguments(parsed.value, definition));
  const isSame = call.name === definition.name && args === JSON.stringify(parsed.value);
  return isSame ? call : { ...call, name: definition.name, arguments: args };
}

/** The definition that a model means by `name`, or undefined. Only registered tools can be meant. */
export function findDefinition<T extends Pick<ToolDefinition, 'name'>>(name: string, definitions: readonly T[]): T | undefined {
  const exact = definitions.find((definition) => definition.name === name);
  if (exact !== undefined) return exact;
  const plain = foldToolName(name.replace(/^(functions|tools|default_api)[.:/]/, ''));
  const aliased = Object.hasOwn(toolAliases, plain) ? toolAliases[plain] : undefined;
  return (
    definitions.find((definition) => foldToolName(definition.name) === plain) ??
    definitions.find((definition) => definition.name === aliased)
  );
}

/**
 * The arguments with the schema's names, plain slips of type mended ("30" for 30), `null` left out for an optional field that takes none. What
 * it gives stays what it is when it is given again: rules judge the result of one time, and the tool runs with that of another.
 */
export function canonicalArguments(given: unknown, definition: ToolDefinition): unknown {
  if (!isRecord(given)) return given;
  const args = definition.name === 'read_file' ? linesAsPage(given) : given;
  const properties = propertiesOf(definition);
  const isOpen = takesAnyField(definition);
  const isGiven = (name: string, value: unknown): boolean =>
    Object.hasOwn(properties, name) && !isLeftOut(name, value, definition);
  const taken = new Set(Object.keys(args).filter((key) => isGiven(key, args[key])));
  const entries = Object.entries(args).flatMap(([key, value]): [string, unknown][] => {
    if (Object.hasOwn(properties, key)) return isLeftOut(key, value, definition) ? [] : [[key, mendType(value, properties[key])]];
    if (isOpen) return [[key, value]];
    if (chatterFields.has(key) || isIdle(key, value)) return [];
    const name = fieldFor(key, properties, taken);
    if (name === undefined) return [[key, value]];
    if (isLeftOut(name, value, definition)) return [];
    taken.add(name);
    return [[name, mendType(value, properties[name])]];
  });
  return Object.fromEntries(entries);
}

function fieldFor(key: string, properties: Readonly<Record<string, unknown>>, taken: ReadonlySet<string>): string | undefined {
  const snake = toSnakeCase(key);
  const alias = Object.hasOwn(fieldAliases, snake) ? (fieldAliases[snake] ?? snake) : snake;
  return [snake, alias].find((name) => Object.hasOwn(properties, name) && !taken.has(name));
}

function isIdle(key: string, value: unknown): boolean {
  return Object.hasOwn(idleValues, key) && idleValues[key]?.includes(value) === true;
}

/** Tools of other makers: a field that is not listed is one of theirs all the same. */
function takesAnyField(definition: ToolDefinition): boolean {
  const { additionalProperties } = definition.inputSchema;
  const isSaid = additionalProperties === true || isRecord(additionalProperties);
  return isSaid || (additionalProperties === undefined && Object.keys(propertiesOf(definition)).length === 0);
}

function isLeftOut(name: string, value: unknown, definition: ToolDefinition): boolean {
  const { required } = definition.inputSchema;
  if (value !== null || takesNull(propertiesOf(definition)[name])) return false;
  return !(Array.isArray(required) && required.includes(name));
}

/** Whether `null` may say something there, that an assignee is to be taken away: only where another type stands alone it may not. */
function takesNull(schema: unknown): boolean {
  const type = typeOf(schema);
  return type === undefined || type === 'null' || (isRecord(schema) && schema.nullable === true);
}

function mendType(value: unknown, schema: unknown): unknown {
  const type = typeOf(schema);
  if (typeof value !== 'string') return value;
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d{1,6})?$/.test(value)) return Number(value);
  if (type === 'boolean' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  return value;
}

/** A tool's name as it counts: lower case, without separators. */
export function foldToolName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
