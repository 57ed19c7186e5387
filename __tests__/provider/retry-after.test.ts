// How long a server asks to be left alone, in every form in which servers say so.
import { expect, test } from '@jest/globals';
import { parseWait } from '../../src/provider/retry-after.ts';

/** Our clock is an hour behind the server's: a date must not be read against it where the answer has its own. */
const ours = Date.UTC(2026, 0, 5, 9, 0, 0);
const theirs = 'Mon, 05 Jan 2026 10:00:00 GMT';
const theirsMs = Date.parse(theirs);

function waitOf(headers: Readonly<Record<string, string>>, text = '', isRateLimit = true): number | undefined {
  return parseWait({ headers: new Headers(headers), text, isRateLimit }, ours);
}

test.each([
  ['2', 2000],
  ['0', 0],
  ['1.5', 1500],
  ['0.0001', 1],
  ['1.1', 1100],
  [' 7 ', 7000],
  ['Mon, 05 Jan 2026 10:00:03 GMT', 3000],
  ['Monday, 05-Jan-26 10:00:03 GMT', 3000],
  ['Mon Jan  5 10:00:03 2026', 3000],
  ['2026-01-05T10:00:03Z', 3000],
  ['2026-01-05T11:00:03+01:00', 3000],
  ['Mon, 05 Jan 2026 09:00:00 GMT', 0],
  ['Wed, 31 Dec 1969 23:59:59 GMT', 0],
])('G2-29 Retry-After %s is a wait of %d ms', (value, ms) => {
  expect(waitOf({ 'retry-after': value, date: theirs })).toBe(ms);
});

test('G2-29 a date is read against our clock where the answer has none', () => {
  expect(waitOf({ 'retry-after': 'Mon, 05 Jan 2026 09:00:04 GMT' })).toBe(4000);
  expect(waitOf({ 'retry-after': 'Mon, 05 Jan 2026 09:00:04 GMT', date: 'whenever' })).toBe(4000);
});

test.each(['0x10', '-5', '-1.5', '1e3', 'soon', 'soon 5', 'May 5', '', '2 s', '1,5', 'Infinity', 'NaN', '5; 6', '9'.repeat(16)])(
  'G2-29 Retry-After %j is nothing to go by, and nothing else is asked',
  (value) => {
    expect(waitOf({ 'retry-after': value, date: theirs, 'x-ratelimit-reset': '9' }, 'try again in 9s')).toBeUndefined();
  },
);

test('G2-29 retry-after-ms comes first, rounded up', () => {
  expect(waitOf({ 'retry-after-ms': '1500', 'retry-after': '2' })).toBe(1500);
  expect(waitOf({ 'retry-after-ms': '20.3', 'retry-after': '2' })).toBe(21);
  for (const value of ['0x10', '-1', 'soon']) expect(waitOf({ 'retry-after-ms': value, 'retry-after': '2' })).toBe(2000);
});

test.each([
  ['1s', 1000],
  ['6m0s', 360_000],
  ['20ms', 20],
  ['7.66s', 7660],
  ['2m59.56s', 179_560],
  ['1h2m3s', 3_723_000],
  ['150µs', 1],
  ['12', 12_000],
  ['0', 0],
  [String(theirsMs / 1000 + 30), 30_000],
  [String(theirsMs + 1500), 1500],
  [String(theirsMs / 1000 - 30), 0],
  ['2026-01-05T10:00:45Z', 45_000],
  ['2026-01-05T09:59:00Z', 0],
  ['later', undefined],
  ['-1', undefined],
  ['0x10', undefined],
])('a limit that is reset at %s', (value, ms) => {
  for (const name of [
    'x-ratelimit-reset',
    'x-ratelimit-reset-tokens',
    'x-ratelimit-reset-requests',
    'anthropic-ratelimit-requests-reset',
    'anthropic-ratelimit-input-tokens-reset',
  ]) {
    expect(waitOf({ [name]: value, date: theirs })).toBe(ms);
  }
});

test('of several limits the one that is used up decides', () => {
  const limits = { 'x-ratelimit-reset-requests': '6m0s', 'x-ratelimit-reset-tokens': '2s' };
  expect(waitOf({ ...limits, 'x-ratelimit-remaining-requests': '99', 'x-ratelimit-remaining-tokens': '0' })).toBe(2000);
  expect(waitOf({ ...limits, 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-remaining-tokens': '0' })).toBe(360_000);
  expect(waitOf({ ...limits, 'x-ratelimit-remaining-requests': '9', 'x-ratelimit-remaining-tokens': '9' })).toBeUndefined();
  expect(waitOf(limits)).toBe(360_000);
});

test('when a limit is reset says nothing about other faults, nor where Retry-After stands', () => {
  expect(waitOf({ 'x-ratelimit-reset': '30' }, '', false)).toBeUndefined();
  expect(waitOf({ 'x-ratelimit-reset': '30', 'retry-after': '1' })).toBe(1000);
});

test.each([
  ['Rate limit reached. Please try again in 2.5s. Visit https://x.example', 2500],
  ['Please try again in 20ms.', 20],
  ['please retry in 20ms', 20],
  ['Please try again in 7m12.345s. Need more tokens?', 432_345],
  ['Please try again in 1h12m', 4_320_000],
  ['Please retry after 26 seconds.', 26_000],
  ['please try again after 1 seconds', 1000],
  ['Try again in about 2 minutes and 5 seconds', 125_000],
  ['wait for 3 minutes', 180_000],
  ['{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"17s"}]}}', 17_000],
  ['{"retryDelay": "17.5s"}', 17_500],
  ['try again later', undefined],
  ['try again in a moment', undefined],
  ['try again in 5 tokens', undefined],
  ['try again in -5s', undefined],
  ['try again in 0x10s', undefined],
  ['retry 5 seconds', undefined],
])('G2-29 words: %s', (text, ms) => {
  expect(waitOf({}, text)).toBe(ms);
  expect(parseWait({ headers: undefined, text, isRateLimit: false }, ours)).toBe(ms);
});

test('what was said of this request comes before what is said of the limits', () => {
  expect(waitOf({ 'x-ratelimit-reset-tokens': '6m0s' }, 'Please try again in 2.5s')).toBe(2500);
});

test('a text without end is read to its end', () => {
  expect(waitOf({}, `try again in ${'1s '.repeat(100_000)}x`)).toBeGreaterThan(0);
  expect(waitOf({}, `try again in ${'1'.repeat(300_000)}`)).toBeUndefined();
  expect(waitOf({}, 'try again in '.repeat(50_000))).toBeUndefined();
});
