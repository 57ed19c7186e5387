import { describe, expect, test } from '@jest/globals';
import { readLog } from '../../../src/github/context/read-log.ts';

const esc = '\u001b';

/** The text in pieces of a size that divides no line well. */
async function* piecesOf(text: string, size = 7): AsyncIterable<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const at = (second: number) => `2026-01-02T03:04:${String(second).padStart(2, '0')}.1234567Z `;
const stamped = (lines: readonly string[], second = 5) => lines.map((line) => `${at(second)}${line}\n`).join('');
const read = (text: string, maxChars = 16_384) => readLog(piecesOf(text), null, maxChars);

describe('readLog', () => {
  test('gives the lines around a failure without times and colours, and the commands of the step', async () => {
    const lines = [
      '##[group]Run npm ci',
      `${esc}[36;1mnpm ci${esc}[0m`,
      `${esc}[36;1mnpm test -- --ci${esc}[0m`,
      'shell: /usr/bin/bash -e {0}',
      'env:',
      '  CI: true',
      '##[endgroup]',
      ...Array.from({ length: 200 }, (_none, index) => `ok ${index}`),
      `${esc}[31mnot ok 201 - adds prices${esc}[0m`,
      '  expected 3, got -1',
      ...Array.from({ length: 200 }, (_none, index) => `ok ${300 + index}`),
      '# fail 1',
      '##[error]Process completed with exit code 1.',
      'Post job cleanup.',
    ];
    const log = await read(`\ufeff${stamped(lines)}`);
    expect(log.commands).toEqual(['npm ci', 'npm test -- --ci']);
    expect(log.lines).toBe(lines.length);
    expect(log.text).toContain('ok 199\nnot ok 201 - adds prices\n  expected 3, got -1\nok 300');
    expect(log.text).toMatch(/\n…\n[\s\S]*# fail 1\n##\[error\]Process completed with exit code 1\./);
    expect(log.text).not.toContain('2026-01-02');
    expect(log.text).not.toContain(esc);
    expect(log.text).not.toContain('ok 100\n');
  });

  test('the commands are those of the step that failed, and an action has none', async () => {
    const step = (head: string, more: readonly string[]) => [`##[group]Run ${head}`, ...more, '##[endgroup]'];
    const lines = [
      ...step('actions/checkout@v4', ['with:', '  fetch-depth: 1']),
      ...step('npm run lint', ['shell: /usr/bin/bash -e {0}']),
      '##[error]Process completed with exit code 2.',
      ...step('npm run report', ['shell: /usr/bin/bash -e {0}']),
      'all fine',
    ];
    expect((await read(stamped(lines))).commands).toEqual(['npm run lint']);
    const action = [...step('some/action@v1', ['with:', '  a: b']), '##[error]It failed.'];
    expect((await read(stamped(action))).commands).toEqual([]);
  });

  test('where the times of the failed step are known, no other step is read', async () => {
    const text = stamped(['error: before'], 1) + stamped(['error: within'], 5) + stamped(['error: after'], 9);
    const from = Date.parse('2026-01-02T03:04:04Z');
    const log = await readLog(piecesOf(text), { from, to: from + 2_000 }, 1_000);
    expect(log.text).toBe('error: within');
  });

  test('a failure that another clock put outside the step’s times is found all the same', async () => {
    const text = stamped([
      '##[group]Run npm test',
      'shell: bash',
      '##[endgroup]',
      'not ok 1',
      '##[error]Process completed with exit code 1.',
    ]);
    const from = Date.parse('2026-01-02T05:00:00Z');
    const log = await readLog(piecesOf(text), { from, to: from + 2_000 }, 1_000);
    expect(log.text).toContain('not ok 1');
    expect(log.commands).toEqual(['npm test']);
  });

  test('words of failure in what went well are not looked at', async () => {
    const quiet = Array.from({ length: 300 }, (_none, index) => `${index}: 0 errors, no failures, # fail 0`);
    const log = await read(stamped([...quiet, 'done']));
    expect(log.text.split('\n')).toHaveLength(40);
  });

  test('B12 a line of 5 MB and a log of 100 MB take little memory and have an end', async () => {
    async function* huge(): AsyncIterable<Uint8Array> {
      const long = Buffer.alloc(65_536, 'x');
      for (let index = 0; index < 80; index += 1) yield long;
      yield Buffer.from('\nerror: the one that matters\n');
      const lines = Buffer.from('an ordinary line of a log that nobody reads\n'.repeat(1_489));
      for (let index = 0; index < 1_600; index += 1) yield lines;
      yield Buffer.from('##[error]Process completed with exit code 1.');
    }
    const before = process.memoryUsage().rss;
    const log = await readLog(huge(), null, 16_384);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1_024 * 1_024);
    expect(log.lines).toBe(2 + 1_600 * 1_489 + 1);
    expect(log.text).toContain('error: the one that matters');
    expect(log.text).toMatch(/exit code 1\.$/);
    expect(log.text.length).toBeLessThanOrEqual(16_384);
  });

  test.each([100, 1_000, 5_000])('what is shown has at most %d characters, its beginning and its end', async (maxChars) => {
    const lines = Array.from({ length: 2_000 }, (_none, index) => `error ${index} ${'é'.repeat(index % 90)}`);
    const log = await read(stamped(lines), maxChars);
    expect(log.text.length).toBeLessThanOrEqual(maxChars + '…\n'.length);
    expect(log.text).toContain('error 1999');
    expect(log.text.startsWith('error 0')).toBe(true);
  });

  test('nothing is nothing', async () => {
    expect(await read('')).toEqual({ text: '', commands: [], lines: 0 });
  });
});
