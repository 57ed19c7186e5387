// How long a server asks to be left alone: every form in which servers say so, as milliseconds. Pure; obeys nothing.

/** An answer that says no. `text`: its words, and its whole body where that is known. */
export interface Refused {
  readonly headers: Headers | undefined;
  readonly text: string;
  /** Whether it was refused for its rate: when a limit is filled up again says nothing about other faults. */
  readonly isRateLimit: boolean;
}

/**
 * Milliseconds, rounded up; 0 for a time that has passed; undefined where nothing is said, or nothing that can be read. What is meant for this
 * request comes before what is said of the limits in general. A date is read against the answer's own clock, else against `nowMs`.
 */
export function parseWait({ headers, text, isRateLimit }: Refused, nowMs: number): number | undefined {
  const dateMs = parseInstant(headers?.get('date')?.trim() ?? '') ?? nowMs;
  const inMs = parseNumber(headers?.get('retry-after-ms'));
  if (inMs !== undefined) return Math.ceil(inMs);
  const asked = headers?.get('retry-after') ?? null;
  if (asked !== null) return parseSecondsOrDate(asked.trim(), dateMs);
  const said = parseWords(text);
  if (said !== undefined || !isRateLimit || headers === undefined) return said;
  return parseResets(headers, dateMs);
}

function parseSecondsOrDate(value: string, dateMs: number): number | undefined {
  const seconds = parseNumber(value);
  if (seconds !== undefined) return inWholeMs(seconds * 1000);
  const until = parseInstant(value);
  return until === undefined ? undefined : Math.max(0, until - dateMs);
}

/** Not hexadecimal, not negative, not in powers of ten: what a server would not mean is no number. */
function parseNumber(value: string | null | undefined): number | undefined {
  return value !== null && value !== undefined && /^\s*\d{1,15}(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

/** The sum of decimal fractions is a hair's breadth off. */
function inWholeMs(ms: number): number {
  return Math.ceil(Number(ms.toFixed(3)));
}

const rfc3339 = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/i;
/** The three forms of RFC 9110, §5.6.7; the last of them names no zone. */
const httpDate = /^(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?,? [\w -]*\d\d:\d\d:\d\d( GMT| \d{4})$/i;

/** A point in time, in milliseconds since 1970. `Date.parse` alone takes nearly any word for one. */
function parseInstant(value: string): number | undefined {
  if (!rfc3339.test(value) && !httpDate.test(value)) return undefined;
  const at = Date.parse(/\d:\d\d \d{4}$/.test(value) ? `${value} GMT` : value);
  return Number.isNaN(at) ? undefined : at;
}

/** Milliseconds of a unit, by how it begins: of two that begin alike the longer stands first. */
const units: readonly (readonly [string, number])[] = [
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['ms', 1],
  ['milli', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
];

const amount = String.raw`\d{1,12}(?:\.\d+)?`;
const unit = '(?:ns|us|µs|ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)';
const steps = new RegExp(`(${amount})\\s*(${unit})(?![a-zµ])`, 'gi');
const duration = new RegExp(`^(?:${amount}${unit})+$`, 'i');
/** "Please try again in 1m26.4s", "retry after 10 seconds", "retry in 2 minutes and 5 seconds". */
const words = new RegExp(
  `\\b(?:(?:try|retry)(?:ing)?(?: again| your request)? (?:in|after)|wait(?: for)?) (?:about )?((?:${amount}\\s*${unit}(?![a-zµ])(?:,? and |, |\\s)?)+)`,
  'i',
);
/** Google's RetryInfo: `"retryDelay": "17s"`. */
const retryDelay = new RegExp(`"retryDelay"\\s*:\\s*"(${amount}s)"`);

function parseWords(text: string): number | undefined {
  const said = retryDelay.exec(text)?.[1] ?? words.exec(text)?.[1];
  return said === undefined ? undefined : sumOfSteps(said);
}

function sumOfSteps(text: string): number {
  const parts = [...text.matchAll(steps)].map(([, number = '', name = '']) => Number(number) * msOfUnit(name.toLowerCase()));
  return inWholeMs(parts.reduce((sum, ms) => sum + ms, 0));
}

function msOfUnit(name: string): number {
  return units.find(([begin]) => name.startsWith(begin))?.[1] ?? 0;
}

const resetName = /^(?:x-|anthropic-)?ratelimit-(?:[a-z-]+-)?reset(?:-[a-z-]+)?$/;

/** The latest of the limits that are used up; where it is not said which one is, of all that may be. */
function parseResets(headers: Headers, dateMs: number): number | undefined {
  const limits = [...headers].flatMap(([name, value]) => {
    const waitMs = resetName.test(name) ? parseReset(value.trim(), dateMs) : undefined;
    const left = headers.get(name.replace('reset', 'remaining'));
    return waitMs === undefined ? [] : [{ waitMs, left: parseNumber(left) }];
  });
  const usedUp = limits.filter(({ left }) => left === 0);
  const candidates = usedUp.length > 0 ? usedUp : limits.filter(({ left }) => left === undefined);
  return candidates.length === 0 ? undefined : Math.max(...candidates.map(({ waitMs }) => waitMs));
}

/** Smaller numbers count from now, larger ones from 1970. */
const leastEpochSeconds = 1e9;
const leastEpochMs = 1e11;

function parseReset(value: string, dateMs: number): number | undefined {
  if (duration.test(value)) return sumOfSteps(value);
  const number = parseNumber(value);
  if (number !== undefined && number < leastEpochSeconds) return inWholeMs(number * 1000);
  const until = number === undefined ? parseInstant(value) : number < leastEpochMs ? number * 1000 : number;
  return until === undefined ? undefined : Math.max(0, Math.ceil(until - dateMs));
}
