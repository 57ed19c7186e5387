// What some vendor refuses in a schema that is a good one: each is said in another way. Expects a schema that was checked. Pure.
import { isRecord } from '../schema/record.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose value is a schema, a list of schemas, a map of names to schemas. */
const single: ReadonlySet<string> = new Set([
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const lists: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const maps: ReadonlySet<string> = new Set(['$defs', 'definitions', 'dependentSchemas', 'properties']);

/** A longer one says nothing to a model. */
const maxPatternChars = 200;

/**
 * The schema as every vendor takes it. Regular expressions are said in the description: OpenAI refuses what its own engine does not
 * know (`\p{L}`, `(?!…)`), and Node's is none to ask about that. Lists of anything say so: without `items` OpenAI refuses them.
 */
export function mendSchema(schema: Schema): Schema {
  // An `$id` within would change what references mean.
  const { $id: _id, $schema: _dialect, pattern, patternProperties, ...rest } = schema;
  const mended = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, mendValue(key, value)]));
  return {
    ...(patternProperties === undefined || mended.additionalProperties !== false
      ? mended
      : without(mended, 'additionalProperties')),
    ...(isListOfAnything(schema) ? { items: {} } : {}),
    ...describePatterns(mended.description, [pattern, ...Object.keys(isRecord(patternProperties) ? patternProperties : {})]),
  };
}

function mendValue(key: string, value: unknown): unknown {
  if (single.has(key) && isRecord(value)) return mendSchema(value);
  if (lists.has(key) && Array.isArray(value)) return value.map((each: unknown) => (isRecord(each) ? mendSchema(each) : each));
  if (!maps.has(key) || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, isRecord(each) ? mendSchema(each) : each]));
}

function isListOfAnything({ type, items, prefixItems }: Schema): boolean {
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array'));
  return isList && items === undefined && prefixItems === undefined;
}

function describePatterns(description: unknown, patterns: readonly unknown[]): Schema {
  const told = patterns.filter((pattern) => typeof pattern === 'string' && pattern.length <= maxPatternChars);
  if (told.length === 0) return {};
  const words = typeof description === 'string' && description !== '' ? [description] : [];
  return { description: [...words, ...told.map((pattern) => `Pattern: ${pattern}`)].join('\n') };
}

function without(schema: Schema, key: string): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([each]) => each !== key));
}

/** A reference that leads nowhere within `schema`, where there is one: vendors refuse those, and load nothing. */
export function findLostReference(schema: Schema): string | undefined {
  return referencesIn(schema).find((reference) => !leadsSomewhere(reference, schema));
}

/** Data, in which a reference is none. */
const values: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

function referencesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    if ((key === '$ref' || key === '$dynamicRef') && typeof each === 'string') return [each];
    return values.has(key) ? [] : referencesIn(each);
  });
}

function leadsSomewhere(reference: string, schema: Schema): boolean {
  if (!reference.startsWith('#')) return false;
  let at: unknown = schema;
  for (const piece of decode(reference.slice(1)).split('/').slice(1)) {
    const name = piece.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return false;
    at = Reflect.get(at, name);
  }
  return reference === '#' || reference.startsWith('#/');
}

function decode(pointer: string): string {
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}
