// What is wrong with a value, in words: where, what is expected, what is there. Pure.
import type { ErrorObject } from 'ajv';
import { oneLine } from '../schema/one-line.ts';

const maxSeenChars = 60;
const maxWhereChars = 120;
const maxNames = 8;

/** One clause; what it quotes passes `redact` before it is cut. */
export function describeProblem(error: ErrorObject, redact: (text: string) => string): string {
  const where = error.instancePath === '' ? 'at the top' : `at ${oneLine(redact(error.instancePath), maxWhereChars)}`;
  return `${where}: ${error.message ?? error.keyword}${renderDetail(error, redact)}, seen ${renderSeen(error.data, redact)}`;
}

/** What the words of the checker leave out. */
function renderDetail({ keyword, params }: ErrorObject, redact: (text: string) => string): string {
  const quote = (value: unknown): string => oneLine(redact(JSON.stringify(value) ?? ''), maxSeenChars);
  switch (keyword) {
    case 'enum':
      return ` (${listed(params.allowedValues, quote)})`;
    case 'const':
      return ` (${quote(params.allowedValue)})`;
    case 'additionalProperties':
      return ` (${quote(params.additionalProperty)})`;
    case 'unevaluatedProperties':
      return ` (${quote(params.unevaluatedProperty)})`;
    default:
      return '';
  }
}

function renderSeen(value: unknown, redact: (text: string) => string): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) {
    return `an object with ${listed(Object.keys(value), (name) => oneLine(redact(String(name)), maxSeenChars)) || 'nothing'}`;
  }
  return oneLine(redact(JSON.stringify(value) ?? 'nothing'), maxSeenChars);
}

function listed(values: unknown, render: (value: unknown) => string): string {
  if (!Array.isArray(values)) return '';
  const more = values.length - maxNames;
  return [...values.slice(0, maxNames).map(render), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
