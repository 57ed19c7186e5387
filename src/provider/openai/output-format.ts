// The schema of an answer as Chat Completions takes it. Pure.
import { isRecord } from '../../schema/record.ts';

type Schema = Readonly<Record<string, unknown>>;

/** `response_format` for an answer that fits `schema`; undefined where it is no object: servers take no other. */
export function outputFormat(schema: Schema): object | undefined {
  if (schema.type !== 'object') return undefined;
  const strict = keepsStrictRules(schema);
  return { type: 'json_schema', json_schema: { name: 'answer', ...(strict ? { strict } : {}), schema } };
}

/** What the vendor's strict form knows. Source: OpenAI, Structured outputs, Supported schemas. */
const strictKeywords: ReadonlySet<string> = new Set([
  ...[
    'type',
    'properties',
    'required',
    'additionalProperties',
    'items',
    'enum',
    'const',
    'anyOf',
    '$ref',
    '$defs',
    'definitions',
  ],
  ...['title', 'description', 'pattern', 'format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minItems', 'maxItems', '$schema', '$id', '$comment'],
]);

/** Beyond this nothing is strict; the vendor's own limit is ten. */
const maxDepth = 10;

/** Strict: objects name all of their fields, need all of them and take no others, and nothing is said in words that it does not know. */
function keepsStrictRules(schema: unknown, depth = 0): boolean {
  if (!isRecord(schema) || depth > maxDepth || !Object.keys(schema).every((name) => strictKeywords.has(name))) return false;
  const inner = (value: unknown): readonly unknown[] => (isRecord(value) ? Object.values(value) : []);
  const below = [
    ...inner(schema.properties),
    ...inner(schema.$defs),
    ...inner(schema.definitions),
    ...(Array.isArray(schema.anyOf) ? schema.anyOf : []),
    ...(schema.items === undefined ? [] : [schema.items]),
  ];
  return (depth > 0 || schema.anyOf === undefined) && isClosed(schema) && below.every((one) => keepsStrictRules(one, depth + 1));
}

function isClosed({ type, properties, required, additionalProperties }: Schema): boolean {
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object')) || properties !== undefined;
  if (!isObject) return additionalProperties === undefined;
  const names = isRecord(properties) ? Object.keys(properties) : [];
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return additionalProperties === false && needed.length === names.length && names.every((name) => needed.includes(name));
}
