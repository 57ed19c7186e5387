// What is wrong with the options that an embedder gave, in words: unknown names, numbers out of bounds, ports that lack a function. Pure.
import { isRecord } from '../schema/record.ts';

/** What an option must be: a number, or an object with these functions; an empty list: a function itself. */
export type OptionKind = 'number' | readonly string[];

/** One text for each problem: the option, the value seen, what is expected. */
export function findOptionProblems(options: unknown, kinds: Readonly<Record<string, OptionKind>>): readonly string[] {
  if (!isRecord(options)) return [`the options are ${describeValue(options)}, expected an object`];
  return Object.entries(options).flatMap(([name, value]) => {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) return [`"${name}" is no option (there are ${Object.keys(kinds).join(', ')})`];
    const expected = value === undefined ? undefined : missingIn(value, kind);
    return expected === undefined ? [] : [`${name} is ${describeValue(value)}, expected ${expected}`];
  });
}

/** What is expected, when `value` is not that. */
function missingIn(value: unknown, kind: OptionKind): string | undefined {
  if (kind === 'number') {
    return Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : 'a whole number of 0 or more';
  }
  if (kind.length === 0) return typeof value === 'function' ? undefined : 'a function';
  const hasAll = isRecord(value) && kind.every((method) => typeof value[method] === 'function');
  return hasAll ? undefined : `an object with the functions ${kind.join(', ')}`;
}

function describeValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || typeof value !== 'object') return String(value);
  return Array.isArray(value) ? 'a list' : `an object with ${Object.keys(value).join(', ') || 'nothing'}`;
}
