/** One request as its handler sees it, and the reading of its untyped parts. */
import type { Grant } from '../state.ts';
import { Refusal } from './reply.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  /** Parts of the path, decoded, by the names in the route. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Parsed JSON; undefined when there was no body. */
  readonly body: unknown;
  readonly accept: string;
  /** Undefined for a request without a token. */
  readonly grant: Grant | undefined;
}

/** The login in whose name the request is made; '' for a request without a token, which no writing route lets through. */
export function actorOf(call: Call): string {
  return call.grant?.actor ?? '';
}

/** A number in the path; 404 when it is none. */
export function numberParam(call: Call, name: string): number {
  const value = Number(call.params[name]);
  if (!Number.isSafeInteger(value)) throw new Refusal(404, 'Not Found');
  return value;
}

export function param(call: Call, name: string): string {
  return call.params[name] ?? '';
}

/** A field of a JSON object; undefined when the value is no object or has no such field. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

function wrongType(name: string, value: unknown, expected: string): Refusal {
  return new Refusal(422, `Invalid request.\n\nFor 'properties/${name}', ${JSON.stringify(value)} is not ${expected}.`);
}

/** An optional text of the body; null when it is null. */
export function optionalText(body: unknown, name: string): string | null | undefined {
  const value = field(body, name);
  if (value === undefined || value === null || typeof value === 'string') return value;
  throw wrongType(name, value, 'a string');
}

/** A text that the body must have. */
export function requiredText(body: unknown, name: string): string {
  const value = optionalText(body, name);
  if (typeof value === 'string') return value;
  throw new Refusal(422, `Invalid request.\n\n"${name}" wasn't supplied.`);
}

export function optionalFlag(body: unknown, name: string): boolean | undefined {
  const value = field(body, name);
  if (value === undefined || typeof value === 'boolean') return value;
  throw wrongType(name, value, 'a boolean');
}

export function optionalNumber(body: unknown, name: string): number | undefined {
  const value = field(body, name);
  if (value === undefined || typeof value === 'number') return value;
  throw wrongType(name, value, 'an integer');
}

/** A list of the body; undefined when absent. */
export function optionalList(body: unknown, name: string): readonly unknown[] | undefined {
  const value = field(body, name);
  if (value === undefined || Array.isArray(value)) return value;
  throw wrongType(name, value, 'an array');
}

/** A list of texts of the body; undefined when absent. */
export function optionalTexts(body: unknown, name: string): readonly string[] | undefined {
  return optionalList(body, name)?.map((item) => {
    if (typeof item === 'string') return item;
    throw wrongType(name, item, 'a string');
  });
}

/** One of the words that the body's field may have. */
export function optionalWord<W extends string>(body: unknown, name: string, words: readonly W[]): W | undefined {
  const value = optionalText(body, name);
  if (value === undefined || value === null) return undefined;
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) throw wrongType(name, value, `a member of ${JSON.stringify(words)}`);
  return word;
}
