// How a mistake in the configuration is told: where, what was seen, what is expected. Never shows what may be secret.
import { distance } from 'fastest-levenshtein';
import { Harness9Error } from '../schema/error.ts';
import { oneLine } from '../schema/one-line.ts';
import { isRecord } from '../schema/record.ts';

export interface ConfigProblem {
  /** `mcpServers.github.url` */
  readonly place: string;
  readonly seen: string;
  readonly expected: string;
}

const maxSeenChars = 80;
const maxPlaceChars = 120;

/** A value in a few words; its text only where `isOpen`, since arguments, variables and headers are where people put keys. */
export function describeValue(value: unknown, isOpen: boolean): string {
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isRecord(value)) return 'an object';
  if (typeof value === 'string' && value === '') return 'an empty text';
  if (isOpen || value === null) return oneLine(JSON.stringify(value), maxSeenChars);
  return typeof value === 'string' ? `a text of ${value.length} characters` : `a ${typeof value}`;
}

/** What in a list or map of texts is no text, each at its place; YAML reads 8080 and yes as a number and a truth. */
export function itemProblems(value: unknown, place: string, isOpen: boolean): readonly ConfigProblem[] {
  const items = Array.isArray(value)
    ? value.map((item, index): [string, unknown] => [`${place}[${index}]`, item])
    : isRecord(value)
      ? Object.entries(value).map(([name, item]): [string, unknown] => [`${place}.${name}`, item])
      : [];
  return items
    .filter(([, item]) => typeof item !== 'string')
    .map(([at, item]) => ({ place: at, seen: describeValue(item, isOpen), expected: 'a text, in quotes' }));
}

/** Further away a suggestion is a guess that helps nobody. */
const maxNearDistance = 4;

/** ` (did you mean "url"?)`, or nothing. */
export function nearestOf(name: string, known: readonly string[]): string {
  const near = known.filter((candidate) => isNear(name, candidate)).sort((a, b) => distance(name, a) - distance(name, b));
  return near[0] === undefined ? '' : ` (did you mean "${near[0]}"?)`;
}

/** `timeout` is nearer to `timeout_secs` than its letters say. */
function isNear(name: string, candidate: string): boolean {
  const isPart = name.length > 3 && candidate.startsWith(name.toLowerCase());
  return isPart || distance(name.toLowerCase(), candidate) <= Math.min(maxNearDistance, candidate.length / 2);
}

/** Throws one error with all of them; none, and nothing happens. */
export function throwConfigProblems(source: string, problems: readonly ConfigProblem[]): void {
  if (problems.length === 0) return;
  const lines = problems.map(
    ({ place, seen, expected }) => `${source}: ${oneLine(place, maxPlaceChars)} is ${seen}, expected ${expected}`,
  );
  throw new Harness9Error({
    code: 'MCP_CONFIG',
    message: lines.join('\n'),
    hint: 'Correct the configuration of MCP servers: { "mcpServers": { "name": { "command": …, "args": […] } or { "url": …, "headers": {…} } } }.',
  });
}
