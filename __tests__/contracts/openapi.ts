// Holds one REST exchange against GitHub's own OpenAPI description (fixtures/github-openapi.json). Used by tests of the client and of the simulator.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ValidateFunction } from 'ajv';
import { Ajv } from 'ajv';
import addFormatsModule from 'ajv-formats';

export interface Exchange {
  readonly method: string;
  /** As sent, without host and query: `/repos/o/r/issues/1`. */
  readonly path: string;
  readonly query: URLSearchParams | Readonly<Record<string, string>>;
  /** Parsed JSON; undefined for none. */
  readonly requestBody: unknown;
  readonly status: number;
  /** Parsed JSON; undefined for none or for what is no JSON. */
  readonly responseBody: unknown;
}

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly segments: readonly string[];
  readonly template: string;
  readonly method: string;
  readonly definition: Json;
}

interface Description {
  readonly root: Json;
  readonly operations: readonly Operation[];
  readonly ajv: Ajv;
  readonly validators: Map<string, ValidateFunction>;
}

// Formats of GitHub's that ajv does not know and that say nothing which a type does not.
const IGNORED_FORMATS = ['timestamp', 'repo.nwo', 'int64', 'int32'] as const;
// These may hold slashes in a path.
const OPEN_ENDED = new Set(['{ref}', '{path}', '{branch}', '{basehead}']);

// Compiled once: every test file checks thousands of exchanges.
let loaded: Description | undefined;

/** What is wrong with an exchange; empty when both sides are as GitHub describes them. */
export function checkExchange(exchange: Exchange): string[] {
  loaded ??= loadDescription();
  const method = exchange.method.toLowerCase();
  const operation = findOperation(loaded.operations, method, exchange.path);
  if (operation === undefined) return [`${exchange.method} ${exchange.path}: GitHub describes no such operation`];
  const name = `${exchange.method.toUpperCase()} ${operation.template}`;
  const problems = [
    ...checkQuery(loaded, operation, exchange),
    ...checkRequest(loaded, operation, exchange),
    ...checkResponse(loaded, operation, exchange),
  ];
  return problems.map((problem) => `${name}: ${problem}`);
}

function checkQuery(description: Description, operation: Operation, exchange: Exchange): readonly string[] {
  const known = listOf(operation.definition.parameters).map((parameter) => resolve(description.root, parameter));
  const problems: string[] = [];
  const given = new URLSearchParams(exchange.query instanceof URLSearchParams ? exchange.query : { ...exchange.query });
  for (const [key, value] of given) {
    const parameter = known.find((one) => one.in === 'query' && one.name === key);
    if (parameter === undefined) problems.push(`query ${key} is not known`);
    else
      problems.push(
        ...validate(description, {
          pointer: `${operation.method} ${operation.template} ?${key}`,
          schema: parameter.schema,
          value: fromText(description, parameter.schema, value),
        }).map((problem) => `query ${key} ${problem}`),
      );
  }
  const missing = known.filter((one) => one.in === 'query' && one.required === true && !given.has(String(one.name)));
  return [...problems, ...missing.map((one) => `query ${String(one.name)} is missing`)];
}

/** Query values arrive as text; a number or a boolean is written in its JSON form. */
function fromText(description: Description, schema: unknown, value: string): unknown {
  const type = resolve(description.root, schema).type;
  const types = Array.isArray(type) ? type : [type];
  if (types.includes('integer') || types.includes('number')) return value.trim() === '' ? value : Number(value);
  return types.includes('boolean') && ['true', 'false'].includes(value) ? value === 'true' : value;
}

function checkRequest(description: Description, operation: Operation, exchange: Exchange): readonly string[] {
  const body = resolve(description.root, operation.definition.requestBody);
  const schema = jsonSchema(body);
  if (exchange.requestBody === undefined) return body.required === true ? ['request body is missing'] : [];
  if (schema === undefined) return ['request has a body where GitHub takes none'];
  const pointer = `${operation.method} ${operation.template} request`;
  return validate(description, { pointer, schema, value: exchange.requestBody }).map((problem) => `request ${problem}`);
}

function checkResponse(description: Description, operation: Operation, exchange: Exchange): readonly string[] {
  const { status } = exchange;
  const responses = objectOf(operation.definition.responses);
  // Any operation may fail in ways that its description leaves out.
  if (responses[String(status)] === undefined) return status >= 400 ? [] : [`status ${status} is not described`];
  const schema = jsonSchema(resolve(description.root, responses[String(status)]));
  if (schema === undefined || status === 304) return [];
  if (exchange.responseBody === undefined) return status >= 400 ? [] : [`answer ${status} has no JSON body`];
  const pointer = `${operation.method} ${operation.template} ${status}`;
  return validate(description, { pointer, schema, value: exchange.responseBody }).map((problem) => `answer ${status} ${problem}`);
}

function validate(
  description: Description,
  { pointer, schema, value }: { pointer: string; schema: unknown; value: unknown },
): readonly string[] {
  const validator = description.validators.get(pointer) ?? description.ajv.compile(withRoot(schema));
  description.validators.set(pointer, validator);
  if (validator(value)) return [];
  return (validator.errors ?? []).map(
    (error) => `${error.instancePath || '/'} ${error.message ?? 'is wrong'} ${JSON.stringify(error.params)}`,
  );
}

/** References point into the root document, which ajv holds under this name. */
function withRoot(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"github#/components/'));
}

function loadDescription(): Description {
  const text = readFileSync(path.join(import.meta.dirname, '../fixtures/github-openapi.json'), 'utf8');
  const root = objectOf(JSON.parse(text, (_key, value: unknown) => withNullable(value)));
  const ajv = new Ajv({ strict: false, allErrors: false });
  // The package is CommonJS; its function is `default` in Node's view of it.
  addFormatsModule.default(ajv);
  for (const format of IGNORED_FORMATS) ajv.addFormat(format, true);
  ajv.addSchema({ components: root.components }, 'github');
  const operations = Object.entries(objectOf(root.paths)).flatMap(([template, item]) =>
    Object.entries(objectOf(item)).map(([method, definition]) => ({
      template,
      method,
      definition: objectOf(definition),
      segments: template.split('/'),
    })),
  );
  return { root, operations, ajv, validators: new Map() };
}

/** OpenAPI 3.0 says `nullable`, JSON Schema says so in the type. */
function withNullable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('nullable' in value) || value.nullable !== true) return value;
  const { nullable, ...schema } = objectOf(value);
  if (typeof schema.type === 'string') {
    const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
    return { ...schema, ...values, type: [schema.type, 'null'] };
  }
  return { anyOf: [schema, { type: 'null' }] };
}

/** The operation for a path; one with fixed words goes before one with parameters. */
function findOperation(operations: readonly Operation[], method: string, requested: string): Operation | undefined {
  const parts = requested.split('/');
  const fixedWords = (operation: Operation): number => operation.segments.filter((segment) => !segment.startsWith('{')).length;
  return operations
    .filter((operation) => operation.method === method && fits(operation.segments, parts))
    .sort((left, right) => fixedWords(right) - fixedWords(left))[0];
}

function fits(segments: readonly string[], parts: readonly string[]): boolean {
  const isOpenEnded = OPEN_ENDED.has(segments.at(-1) ?? '');
  if (parts.length < segments.length || (parts.length > segments.length && !isOpenEnded)) return false;
  return segments.every((segment, index) => (segment.startsWith('{') ? parts[index] !== '' : segment === parts[index]));
}

function jsonSchema(carrier: Json): unknown {
  return objectOf(objectOf(carrier.content)['application/json']).schema;
}

function resolve(root: Json, value: unknown): Json {
  const reference = objectOf(value).$ref;
  if (typeof reference !== 'string') return objectOf(value);
  const target = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((found, key) => objectOf(found)[key], root);
  return resolve(root, target);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
