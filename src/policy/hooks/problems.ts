// What zod found wrong with a value from outside, as lines for people: the place, the value seen, what is expected. Pure.
import { closest, distance } from 'fastest-levenshtein';
import type { core } from 'zod';
import { oneLine } from '../../schema/one-line.ts';
import { isRecord } from '../../schema/record.ts';

const maxSeenChars = 80;

/**
 * One line for each issue with `value`. The schema's messages say what is expected (`a number above 0`); `namesAt` lists the names that
 * a mapping at a place may have.
 */
export function describeProblems(
  issues: readonly core.$ZodIssue[],
  value: unknown,
  namesAt: (path: readonly PropertyKey[]) => readonly string[],
): readonly string[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => describeUnknown([...issue.path, key], namesAt(issue.path)));
    }
    if (issue.code === 'invalid_key') {
      return [`${renderPlace(issue.path)}a name that cannot be used, expected ${issue.issues[0]?.message ?? 'another one'}`];
    }
    const seen = describeValue(issue.path.reduce<unknown>(memberOf, value));
    return [`${renderPlace(issue.path)}${seen}, expected ${issue.message}`];
  });
}

function describeUnknown(path: readonly PropertyKey[], names: readonly string[]): string {
  const near = nearestName(String(path.at(-1)), names);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return `${renderPlace(path)}an unknown name, expected ${names.length === 0 ? 'nothing here' : `one of ${names.join(', ')}`}${hint}`;
}

/** The name that is meant, whatever its case and however its words are joined. */
function nearestName(name: string, names: readonly string[]): string | undefined {
  const folded = names.map(fold);
  const near = folded.length === 0 ? undefined : closest(fold(name), folded);
  const isNear = near !== undefined && distance(fold(name), near) <= Math.max(1, Math.floor(near.length / 3));
  return isNear ? names[folded.indexOf(near)] : undefined;
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '');
}

/** `PreToolUse[0].timeout_secs: `; nothing at the top. */
function renderPlace(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '';
  const steps = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${oneLine(String(key), maxSeenChars)}`));
  return `${steps.join('').replace(/^\./, '')}: `;
}

function memberOf(value: unknown, key: PropertyKey): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isRecord(value) ? value[String(key)] : undefined;
}

function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string') return JSON.stringify(oneLine(value, maxSeenChars));
  if (Array.isArray(value)) return 'a list';
  if (!isRecord(value)) return oneLine(String(value), maxSeenChars);
  const names = Object.keys(value);
  return names.length === 0 ? 'an empty mapping' : oneLine(`a mapping of ${names.join(', ')}`, maxSeenChars);
}
