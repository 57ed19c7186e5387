// The input schema of a server's tool as providers accept it, or why it cannot be used: one schema that a provider refuses makes every
// request of the run fail.
import { isDeeperThan } from '../schema/json-depth.ts';
import { oneLine } from '../schema/one-line.ts';
import { parseJson } from '../schema/parse-json.ts';
import { isRecord } from '../schema/record.ts';
import { findLostReference, mendSchema, type Schema } from './mend-schema.ts';
import type { Sdk } from './sdk.ts';

export type InputSchema =
  | { readonly ok: true; readonly schema: Schema; readonly dropped: string | undefined }
  | { readonly ok: false; readonly why: string };

/** It is sent with every request. */
const maxBytes = 32 * 1024;
const maxDepth = 64;
/** What Anthropic's API accepts as the name of an argument. */
const argumentName = /^[A-Za-z0-9_.-]{1,64}$/;
/** Neither vendor accepts these at the top. */
const topLevelOnly = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'if', 'then', 'else'];

/** `dropped`: what the arguments must fit as well, as JSON; the schema cannot say it. Its texts pass `scrub`. */
export type ReadSchema = (value: unknown, scrub: (text: string) => string) => InputSchema;

/** Reads schemas. */
export function createSchemaReader(sdk: Sdk): ReadSchema {
  const ajv = new sdk.Ajv({ strict: false, validateFormats: false, logger: false });
  return (value, scrub) => {
    // Nothing: a tool without arguments, as many servers write it.
    const given = readObject(renderJson(value === undefined ? {} : value), scrub);
    if (typeof given === 'string') return refuse(given);
    // Whatever it says it is, this is what it is checked as.
    const { $schema: _dialect, ...rest } = given;
    const schema = { ...rest, type: 'object', properties: rest.properties ?? {} };
    // Against the version that Anthropic's API checks with.
    if (!ajv.validateSchema(schema)) return refuse(`is no JSON Schema 2020-12: ${oneLine(ajv.errorsText(), 200)}`);
    const { kept, dropped } = withoutTop(mendSchema(schema));
    const lost = findLostReference(kept);
    if (lost !== undefined) return refuse(`refers to ${oneLine(lost, 100)}, which is not in it`);
    return oddArgument(schema.properties) ?? { ok: true, schema: kept, dropped };
  };
}

/** Undefined where the value is nested so deep that it cannot be written, though it could be read. */
function renderJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** The schema of an object, or what is wrong with it. */
function readObject(json: string | undefined, scrub: (text: string) => string): Record<string, unknown> | string {
  if (json === undefined || isDeeperThan(json, maxDepth)) return `is nested deeper than ${maxDepth} levels`;
  if (Buffer.byteLength(json) > maxBytes) return `is larger than ${maxBytes / 1024} KB`;
  const given = parseJson(scrub(json));
  if (!isRecord(given)) return 'is no object';
  return given.type === undefined || given.type === 'object' ? given : 'is not of the type "object"';
}

function oddArgument(properties: object): InputSchema | undefined {
  const odd = Object.keys(properties).find((name) => !argumentName.test(name));
  if (odd === undefined) return undefined;
  return refuse(`has an argument ${oneLine(JSON.stringify(odd), 100)}, a name that not every model accepts`);
}

function withoutTop(schema: Schema): { readonly kept: Schema; readonly dropped: string | undefined } {
  const isDropped = ([key]: readonly [string, unknown]): boolean => topLevelOnly.includes(key);
  const entries = Object.entries(schema);
  const dropped = entries.filter(isDropped);
  return {
    kept: Object.fromEntries(entries.filter((entry) => !isDropped(entry))),
    dropped: dropped.length === 0 ? undefined : JSON.stringify(Object.fromEntries(dropped)),
  };
}

function refuse(why: string): InputSchema {
  return { ok: false, why: `its input schema ${why}` };
}
