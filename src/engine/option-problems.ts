// What is wrong with the options that an embedder gave, in words: unknown names, numbers out of bounds, ports that lack a function. Pure.
import { isRecord } from '../schema/record.ts';

/** What an option must be: `accepts` it, and `expected` says so in words. */
export interface OptionKind {
  readonly accepts: (value: unknown) => boolean;
  readonly expected: string;
}

/** 0 = none, or no limit. */
export const wholeNumber: OptionKind = {
  accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  expected: 'a whole number of 0 or more',
};

/** 0 = no limit. */
export const amount: OptionKind = {
  accepts: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
  expected: 'a number of 0 or more',
};

export const functionKind: OptionKind = { accepts: (value) => typeof value === 'function', expected: 'a function' };

/** An object with these functions. */
export function portWith(...methods: readonly string[]): OptionKind {
  return {
    accepts: (value) => isRecord(value) && methods.every((method) => typeof value[method] === 'function'),
    expected: `an object with the functions ${methods.join(', ')}`,
  };
}

/** One of these words. */
export function oneOf(words: readonly string[]): OptionKind {
  return { accepts: (value) => words.some((word) => word === value), expected: `one of ${words.join(', ')}` };
}

/** One text for each problem: the option, the value seen, what is expected. */
export function findOptionProblems(options: unknown, kinds: Readonly<Record<string, OptionKind>>): readonly string[] {
  if (!isRecord(options)) return [`the options are ${describeValue(options)}, expected an object`];
  return Object.entries(options).flatMap(([name, value]) => {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) return [`"${name}" is no option (there are ${Object.keys(kinds).join(', ')})`];
    return value === undefined ? [] : findProblem(name, value, kind);
  });
}

/** What is wrong with one value that had to be given; nothing when it is as it must be. */
export function findProblem(name: string, value: unknown, kind: OptionKind): readonly string[] {
  return kind.accepts(value) ? [] : [`${name} is ${describeValue(value)}, expected ${kind.expected}`];
}

function describeValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || typeof value !== 'object') return String(value);
  return Array.isArray(value) ? 'a list' : `an object with ${Object.keys(value).join(', ') || 'nothing'}`;
}
