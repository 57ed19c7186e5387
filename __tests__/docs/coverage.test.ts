// Owns the proof that the page of specification rows is checked: every kind of fault is planted, and all of them are told at once.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const script = path.resolve(import.meta.dirname, '../../.github/scripts/coverage.ts');
// Written so, since a tag in this file that is in no test's name would be a problem itself.
const tag = (id: string): string => `[${'spec'} ${id}]`;

const rows = `
- section: '1'
  table: Things
  rows:
    - { row: one, says: The first. }
    - { row: '[two]', says: 'Has | a bar.' }
    - { row: three, says: Differs., left: a difference }
    - { row: four, says: As the first., see: ['1 one'] }
- section: '2'
  table: More
  prefix: 2 more
  rows:
    - { row: five, says: The fifth. }
`;
const decision = '| specification | here | why |\n| --- | --- | --- |\n| a difference | b | c |\n';
const tests = `import { describe, it, test } from '@jest/globals';
describe('a group ${tag('1 one')}', () => {
  test(\`\${'x'} | ${tag('1 [two]')} of a template\`, () => {});
});
it.each([
  ['a row'],
  ['${tag('2 more five')} of a table'],
])('%s', () => {});
`;

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'harness9-coverage-'));
  await plant({
    '.github/specification-rows.yaml': rows,
    '.github/decisions/0008-where-we-leave-the-specification.md': decision,
    '__tests__/a.test.ts': tests,
  });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function plant(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(dir, name)), { recursive: true });
    await writeFile(path.join(dir, name), text);
  }
}

function run(...args: readonly string[]): Promise<{ readonly failed: boolean; readonly problems: readonly string[] }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd: dir }, (error, _, stderr) =>
      resolve({ failed: error !== null, problems: stderr.split('\n').filter((line) => line !== '') }),
    );
  });
}

describe('the page of the specification', () => {
  test('is written from rows and names, and is in step then', async () => {
    expect(await run()).toEqual({ failed: false, problems: [] });
    const page = await readFile(path.join(dir, '.github/COVERAGE.md'), 'utf8');
    expect(
      page.split('\n\n').slice(2).join('\n\n'),
    ).toBe(`Rows: 5. With tests of their own: 3 (3 tests). The same as others: 1. Different on purpose: 1, most of them with a test of what happens here.

## 1 Things

| row | says | held by |
| --- | --- | --- |
| one | The first. | [a group](../__tests__/a.test.ts) |
| \\[two\\] | Has \\| a bar. | [… \\| of a template](../__tests__/a.test.ts) |
| three | Differs. | differs: [a difference](decisions/0008-where-we-leave-the-specification.md) |
| four | As the first. | as [1 one](#1-things) |

## 2 More

| row | says | held by |
| --- | --- | --- |
| five | The fifth. | [of a table](../__tests__/a.test.ts) |
`);
    expect(await run('--check')).toEqual({ failed: false, problems: [] });
  });

  test('is out of step when a test has another name, and not when it has moved', async () => {
    await run();
    await plant({ '__tests__/a.test.ts': `\n${tests}` });
    expect(await run('--check')).toEqual({ failed: false, problems: [] });
    await plant({ '__tests__/a.test.ts': tests.replace('of a table', 'of another table') });
    expect(await run('--check')).toEqual({
      failed: true,
      problems: ['.github/COVERAGE.md is out of step with rows and tests; run `npm run docs`'],
    });
  });

  test('tells every fault of rows and names at once', async () => {
    await plant({
      '.github/specification-rows.yaml': `${rows}
    - { row: five, says: Again. }
    - { row: six, says: Nobody tests it. }
    - { row: seven, says: Not known there., left: another difference }
    - { row: eight, says: As nothing., see: ['1 nine', '1 four'] }
`,
      '__tests__/b.test.ts': `// ${tag('1 one')} in a comment
test.skip('${tag('2 more six')} that does not run', () => {});
test('${tag('1 typo')} of a row', () => {});
`,
    });
    const page = '.github/specification-rows.yaml';
    expect(await run('--check')).toEqual({
      failed: true,
      problems: [
        `__tests__/b.test.ts: ${tag('1 one')} stands outside of the name of a test that runs`,
        `__tests__/b.test.ts: ${tag('2 more six')} stands outside of the name of a test that runs`,
        `${page}: two rows are called "2 more five"`,
        `${page}: "2 more six" has neither a test nor a deliberate difference; name a test "… ${tag('2 more six')}"`,
        `${page}: "another difference" is no row of .github/decisions/0008-where-we-leave-the-specification.md`,
        `${page}: "2 more eight" sees "1 nine", which is no row with tests of its own`,
        `${page}: "2 more eight" sees "1 four", which is no row with tests of its own`,
        `__tests__/b.test.ts:3: ${tag('1 typo')} names no row of ${page}`,
        '.github/COVERAGE.md is out of step with rows and tests; run `npm run docs`',
      ],
    });
  });
});
