// A JSON Schema of a final message, read and compiled: what it may be, and whether a message fits it. Asks nobody and loads no file.
import type { Ajv, ValidateFunction } from 'ajv';
import { Harness9Error, messageOf } from '../schema/error.ts';
import { isDeeperThan } from '../schema/json-depth.ts';
import { oneLine } from '../schema/one-line.ts';
import { isRecord } from '../schema/record.ts';
import { describeProblem } from './describe-problem.ts';
import { type Dialect, dialectNames, dialectOf, loadChecker } from './dialects.ts';
import { findJson, type ParseMarkdown } from './find-json.ts';
import { withinTime } from './within-time.ts';

/** It is sent with every request, twice. */
const maxBytes = 64 * 1024;
const maxDepth = 64;
/** A sound schema takes a thousandth of that. */
const maxCheckMs = 2000;
/** The reader of a problem list reads the first ones; each of them is put into words. */
const mostProblems = 20;
const mostWarnings = 10;
const maxWhyChars = 300;
const maxQuotedChars = 100;

export interface ReadParts {
  /** Whose schema it is, as people know it: `input \`output_schema\``. */
  readonly name: string;
  /** Applied to what problems quote. */
  readonly redact: (text: string) => string;
  readonly log: (line: string) => void;
}

type Schema = Readonly<Record<string, unknown>>;

/** A schema, and what checks a message against it (the engine's `OutputSchema`). */
export interface ReadSchema {
  readonly schema: Schema;
  check(text: string): { readonly value: unknown } | { readonly problems: readonly string[] };
}

/** Reads and compiles a schema. Throws OUTPUT_SCHEMA with what is wrong: no JSON, no schema, references that lead nowhere, too large. */
export async function readSchema(text: string, parts: ReadParts): Promise<ReadSchema> {
  const given = parseSchema(text, parts.name);
  const dialect = dialectOf(given.$schema);
  if (dialect === undefined)
    throw refuse(parts.name, `its $schema is ${quote(given.$schema)}, expected one of ${dialectNames}, or none`);
  // Ajv's own keyword would make it answer with a promise, which is true of every message.
  const { $schema: _dialect, $async: _async, ...schema } = given;
  const [validate, parseMarkdown] = await Promise.all([compile(schema, dialect, parts), loadMarkdown()]);
  return {
    schema,
    check: (message) => {
      const checked = withinTime(() => checkMessage(message, { validate, parseMarkdown, redact: parts.redact }), maxCheckMs);
      return checked?.result ?? { problems: [`it could not be checked within ${maxCheckMs / 1000} s`] };
    },
  };
}

function parseSchema(text: string, name: string): Schema {
  const json = text.trim();
  if (Buffer.byteLength(json) > maxBytes) throw refuse(name, `it is larger than ${maxBytes / 1024} KB`);
  if (isDeeperThan(json, maxDepth)) throw refuse(name, `it nests deeper than ${maxDepth} levels`);
  let schema: unknown;
  try {
    schema = JSON.parse(json);
  } catch (error) {
    throw refuse(name, `it is no JSON: ${oneLine(messageOf(error), maxWhyChars)}`);
  }
  if (isRecord(schema)) return schema;
  throw refuse(name, `it is ${quote(schema)}, expected an object`);
}

async function loadMarkdown(): Promise<ParseMarkdown> {
  const { fromMarkdown } = await import('mdast-util-from-markdown');
  return (text) => fromMarkdown(text);
}

async function compile(schema: Schema, dialect: Dialect, { name, log }: ReadParts): Promise<ValidateFunction> {
  let told = 0;
  const warn = (text: string): void => {
    told += 1;
    if (told <= mostWarnings) log(`[output] warning=${oneLine(text, maxWhyChars)}`);
  };
  const ajv = await loadChecker(dialect, warn);
  for (const format of formatsIn(schema)) {
    if (ajv.formats[format] !== undefined) continue;
    warn(`the format ${quote(format)} is not known, and not checked`);
    ajv.addFormat(format, true);
  }
  // An example of the answer in place of its schema would let everything pass.
  const keywords = Object.keys(schema);
  if (keywords.length > 0 && !keywords.some((keyword) => keyword.startsWith('$') || ajv.getKeyword(keyword) !== false)) {
    throw refuse(
      name,
      `none of the names at its top (${oneLine(keywords.join(', '), maxQuotedChars)}) is a keyword that checks anything`,
    );
  }
  const compiled = withinTime(() => {
    if (ajv.validateSchema(schema) !== true) {
      // Each of an edition's vocabularies says the same.
      const faults = new Set(ajv.errors?.map(({ instancePath, message = '' }) => `${instancePath} ${message}`));
      throw refuse(name, `it is no JSON Schema ${dialect}: ${oneLine([...faults].join(', '), maxWhyChars)}`);
    }
    return compileWith(ajv, schema, name);
  }, maxCheckMs);
  if (compiled === undefined) throw refuse(name, `it could not be read within ${maxCheckMs / 1000} s`);
  return compiled.result;
}

function formatsIn(schema: Schema): ReadonlySet<string> {
  const formats = new Set<string>();
  JSON.stringify(schema, (key, value: unknown) => {
    if (key === 'format' && typeof value === 'string') formats.add(value);
    return value;
  });
  return formats;
}

function compileWith(ajv: Ajv, schema: Schema, name: string): ValidateFunction {
  try {
    const validate = ajv.compile(schema);
    // References that lead back to where they stand are found by whoever walks them.
    for (const value of [null, true, 0, '', [], {}]) validate(value);
    return validate;
  } catch (error) {
    if (error instanceof RangeError) throw refuse(name, 'its references go round in circles', error);
    const lost = isRecord(error) ? error.missingRef : undefined;
    if (typeof lost === 'string')
      throw refuse(name, `it refers to ${quote(lost)}, which is not in it; nothing is loaded from elsewhere`, error);
    throw refuse(name, oneLine(messageOf(error), maxWhyChars), error);
  }
}

interface CheckParts extends Pick<ReadParts, 'redact'> {
  readonly validate: ValidateFunction;
  readonly parseMarkdown: ParseMarkdown;
}

function checkMessage(message: string, { validate, parseMarkdown, redact }: CheckParts): ReturnType<ReadSchema['check']> {
  const found = findJson(message, parseMarkdown);
  if ('problem' in found) return { problems: [found.problem] };
  if (validate(found.value) === true) return found;
  const problems = (validate.errors ?? []).slice(0, mostProblems).map((error) => describeProblem(error, redact));
  return { problems: [...new Set(problems)] };
}

function quote(value: unknown): string {
  return oneLine(JSON.stringify(value), maxQuotedChars);
}

function refuse(name: string, why: string, cause?: unknown): Harness9Error {
  return new Harness9Error({
    code: 'OUTPUT_SCHEMA',
    message: `${name}: the JSON Schema cannot be used: ${why}`,
    hint: 'Give a JSON Schema of the final message, such as {"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}.',
    cause,
  });
}
