// What a person reads before they say yes: all that matters is there, and nothing in a call can pass for our words or hide.
import { describe, expect, test } from '@jest/globals';
import { type Drawing, renderQuestion } from '../../src/cli/question.ts';
import type { ToolCall } from '../../src/schema/message.ts';

const reason = 'the rule "ask bash"';
const onScreen: Drawing = { columns: 80, redact: (text) => text };

function draw(name: string, given: object | string, drawing: Partial<Drawing> = {}) {
  const call: ToolCall = { id: 'c', name, arguments: typeof given === 'string' ? given : JSON.stringify(given) };
  return renderQuestion({ call, reason }, { ...onScreen, ...drawing });
}

/** The rows between the title and the reason. */
const rowsOf = ({ text }: { readonly text: string }) => text.trimEnd().split('\n').slice(1, -1);

describe('a call', () => {
  test.each<[string, string, object | string, readonly string[]]>([
    ['a command', 'bash', { command: 'npm test' }, ['│ $ npm test']],
    ['a command with its time', 'bash', { command: 'x', timeout_secs: 9 }, ['│ $ x', '│ timeout_secs: 9']],
    ['a script', 'bash', { command: 'cat <<E\nwhy: x\nE' }, ['│ $ cat <<E', '│   why: x', '│   E']],
    ['an edit', 'edit_file', { path: 'a.ts', old_string: 'a', new_string: 'b' }, ['│ path: a.ts', '│ - a', '│ + b']],
    [
      'an edit everywhere',
      'edit_file',
      { old_string: 'a', new_string: '', path: 'x', replace_all: true },
      ['│ path: x', '│ replace_all: true', '│ - a', '│ + '],
    ],
    [
      'an edit of one line among many, with what is around it',
      'edit_file',
      { path: 'x', old_string: '1\n2\n3\n4\n5\n6', new_string: '1\n2\n3\nfour\n5\n6' },
      ['│ path: x', '│   2', '│   3', '│ - 4', '│ + four', '│   5', '│   6'],
    ],
    [
      'an edit of two places far apart',
      'edit_file',
      { path: 'x', old_string: 'a\n1\n2\n3\n4\n5\n6\nb', new_string: 'A\n1\n2\n3\n4\n5\n6\nB' },
      ['│ path: x', '│ - a', '│ + A', '│   1', '│   2', '│ ⋮', '│   5', '│   6', '│ - b', '│ + B'],
    ],
    [
      'an edit that changes nothing',
      'edit_file',
      { path: 'x', old_string: 'a', new_string: 'a' },
      ['│ path: x', '│ - a', '│ + a'],
    ],
    ['an edit of a line end', 'edit_file', { old_string: 'a', new_string: 'a\n' }, ['│   a', '│ + ']],
    ['an edit without its half', 'edit_file', { path: 'x', new_string: 'a\nb' }, ['│ path: x', '│ new_string: a', '│   b']],
    ['a file', 'write_file', { path: 'x', content: 'a\n\nb\n' }, ['│ path: x', '│ + a', '│ + ', '│ + b']],
    ['an empty file', 'write_file', { path: 'x', content: '' }, ['│ path: x']],
    [
      'a task',
      'task',
      { agent: 'a', prompt: 'b\n- c', background: false },
      ['│ agent: a', '│ prompt: b', '│   - c', '│ background: false'],
    ],
    ['a value that is no text', 'mcp__x__y', { a: { b: [1, null] } }, ['│ a: {"b":[1,null]}']],
    ['old_string of another tool', 'mcp__x__y', { old_string: 'a', new_string: 'a' }, ['│ old_string: a', '│ new_string: a']],
    ['no arguments', 'mcp__x__y', {}, []],
    ['what is no JSON', 'bash', '{"command": "rm\nx', ['│ {"command": "rm', '│ x']],
    ['a list', 'bash', '["rm"]', ['│ ["rm"]']],
  ])('%s', (_name, tool, given, rows) => {
    expect(rowsOf(draw(tool, given))).toEqual(rows.map((row) => `  ${row}`));
  });

  test('has its tool and what is known of it above, and the rule that asks below', () => {
    expect(draw('bash', { command: 'x' }, { note: 'a new file' }).text).toBe(
      'harness9 asks before it runs bash (a new file):\n  │ $ x\n  why: the rule "ask bash"\n',
    );
  });
});

describe('arguments that would fool the reader', () => {
  test.each<[string, string, string]>([
    ['steers the screen', 'a\x1b[2J\x1b[1;1H\x9b0m\x07\b\x7f', 'a\\x1b[2J\\x1b[1;1H\\x9b0m\\x07\\x08\\x7f'],
    ['goes back on its line', 'rm x\r$ ls', 'rm x\\x0d$ ls'],
    ['turns the direction around', 'a\u202e\u2066\u200f\u061cb', 'a\\u202e\\u2066\\u200f\\u061cb'],
    [
      'has letters that are not seen',
      'a\u200b\u00ad\u2060\ufeff\u3164\u115f\u2800b',
      'a\\u200b\\xad\\u2060\\ufeff\\u3164\\u115f\\u2800b',
    ],
    ['has blanks of another kind', 'a\u00a0\u2003\u3000b', 'a\\xa0\\u2003\\u3000b'],
    ['has tags and variants', 'a\u{e0041}\ufe0fb', 'a\\u{e0041}\\ufe0fb'],
    ['breaks lines in other ways', 'a\u2028b\u2029c\u0085d\x0be', 'a\\u2028b\\u2029c\\x85d\\x0be'],
    ['has half a character', 'a\ud800b', 'a\\ud800b'],
  ])('what %s is written out', (_name, command, shown) => {
    expect(rowsOf(draw('bash', { command }))).toEqual([`  │ $ ${shown}`]);
    expect(rowsOf(draw('mcp__x__y', { [command]: 1 }))).toEqual([`  │ ${shown}: 1`]);
    expect(draw(command, {}).text).toContain(`harness9 asks before it runs ${shown}:\n`);
  });

  test('what is only another script stays readable', () => {
    const command = 'echo "grüße, 日本語 👍 שלום"\t# done';
    expect(rowsOf(draw('bash', { command }))).toEqual([`  │ $ ${command}`]);
  });

  test('a text that looks like the end of our question stands behind the bar', () => {
    const command = 'rm -rf x\n  why: nothing\n  [y]es, [n]o\n  > y\n  → allowed';
    for (const row of rowsOf(draw('bash', { command }))) expect(row).toMatch(/^ {2}│ /);
  });

  test('a line is broken by us, so that the terminal does not put its rest where our words stand', () => {
    const command = `ls${' '.repeat(74)}why: harmless${' '.repeat(65)}; rm -rf x`;
    expect(rowsOf(draw('bash', { command }))).toEqual([
      `  │ $ ls${' '.repeat(71)}`,
      `  ┆ ${' '.repeat(3)}why: harmless${' '.repeat(59)}`,
      `  ┆ ${' '.repeat(6)}; rm -rf x`,
    ]);
  });

  test.each([
    [undefined, 79],
    [0, 79],
    [10, 79],
    [20, 19],
    [200, 199],
  ])('with a screen of %p columns no row is wider than %p', (columns, widest) => {
    const rows = rowsOf(draw('bash', { command: 'x'.repeat(1000) }, { columns, isWhole: true }));
    expect(Math.max(...rows.map((row) => row.length))).toBe(widest);
  });

  test('a name or a reason that is long, or has lines, cannot begin a row and says how long it is', () => {
    const name = `a\n${' '.repeat(45)}why: harmless`;
    const { text } = renderQuestion({ call: { id: 'c', name, arguments: '{}' }, reason: 'y'.repeat(500) }, onScreen);
    expect(text.split('\n')).toEqual([
      `harness9 asks before it runs a${' '.repeat(45)}`,
      '  ┆  why: harmless:',
      `  why: ${'y'.repeat(70)}`,
      ...Array.from({ length: 4 }, () => `  ┆ ${'y'.repeat(75)}`),
      `  ┆ ${'y'.repeat(30)}… (100 more characters)`,
      '',
    ]);
  });

  test('secrets are not shown, also where JSON hides them', () => {
    const redact = (text: string) => text.replaceAll('k"ey', '***');
    expect(draw('mcp__x__y', '{"a":"k\\u0022ey","k\\u0022ey":1}', { redact }).text).not.toContain('ey"');
    const edit = draw('edit_file', { path: 'x', old_string: 'k"ey', new_string: 'b' }, { redact });
    expect(rowsOf(edit)).toEqual(['  │ path: x', '  │ - ***', '  │ + b']);
  });
});

describe('a call that is long', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);

  test('shows its beginning, its end, and how much is between', () => {
    const question = draw('bash', { command: lines.join('\n') });
    expect(question.isCut).toBe(true);
    const rows = rowsOf(question);
    expect(rows).toHaveLength(33);
    expect(rows.slice(23, 26)).toEqual(['  │   line 23', '  … 68 rows (612 characters) are not shown …', '  │   line 92']);
  });

  test('of one line is cut as well, and its end is seen', () => {
    const question = draw('bash', { command: `echo ${'x'.repeat(100_000)}; rm -rf y` });
    expect(question.text.length).toBeLessThan(4000);
    expect(question.text).toContain('; rm -rf y\n');
    expect(question.text).toMatch(/\n {2}… \d+ rows \(\d{5} characters\) are not shown …\n {2}┆ x/);
  });

  test('is cut in each argument, so that none hides the others', () => {
    const long = lines.join('\n');
    const { text } = draw('edit_file', {
      old_string: long,
      path: 'src/a.ts',
      new_string: lines.map((line) => `${line}!`).join('\n'),
    });
    expect(text).toContain('│ path: src/a.ts\n');
    expect(text).toContain('│ + line 99!\n');
  });

  test('with very many arguments says how many are left out', () => {
    const question = draw('mcp__x__y', Object.fromEntries(lines.map((line) => [line, 1])));
    expect(question.isCut).toBe(true);
    expect(rowsOf(question)).toHaveLength(21);
    expect(rowsOf(question).at(-1)).toBe('  … 80 more arguments');
  });

  test('is shown whole when that is wished', () => {
    const question = draw('bash', { command: lines.join('\n') }, { isWhole: true });
    expect(question.isCut).toBe(false);
    expect(rowsOf(question)).toHaveLength(100);
    const many = draw('mcp__x__y', Object.fromEntries(lines.map((line) => [line, 1])), { isWhole: true });
    expect(rowsOf(many)).toHaveLength(100);
  });

  test('whose texts take long to compare is shown without comparing them', () => {
    const many = (mark: string) => Array.from({ length: 20_000 }, (_, index) => `${mark}${(index * 7919) % 20_011}`).join('\n');
    const question = draw('edit_file', { old_string: many('a'), new_string: many('b') });
    expect(question.text).toMatch(/│ - a0\n/);
    expect(question.text).toMatch(/│ \+ b\d+\n/);
  });
});

/** A small generator with a seed, so that a failure can be played again. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const hostile = [
  ...[
    '\n',
    '\n\n',
    '\r',
    '\t',
    ' ',
    ' '.repeat(90),
    '\x1b[2K',
    '\x1b]0;x\x07',
    '\u202e',
    '\u2067',
    '\u200b',
    '\ufe0f',
    '\u{e0020}',
  ],
  ...[
    '  why: ok',
    '  > ',
    '[y]es',
    '  → allowed',
    '  │ ',
    '  ┆ ',
    '  … 3 rows',
    'harness9 asks before it runs ls:',
    '日本',
    '👩‍💻',
    '\ud83d',
  ],
  ...['x'.repeat(200), 'rm -rf /', '"', '\\', '\u2028', '\u0085', 'é', 'e\u0301', '::error::', '##['],
];

/** Those of the pieces above that nobody sees, or that steer. */
const unseen = '\r\x1b\x07\u202e\u2067\u200b\u200d\ufe0f\u{e0020}\ud83d\u2028\u0085';

function writtenOut(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.length > 4 ? `{${code}}` : code}`;
}

test('whatever a call holds, each of its rows has a bar and fits the screen, and together they are the call with the unseen written out', () => {
  for (let seed = 1; seed <= 400; seed += 1) {
    const random = randomNumbers(seed);
    const command = Array.from({ length: random(12) }, () => hostile[random(hostile.length)]).join('');
    const columns = 50 + random(100);
    const { text } = draw('bash', { command }, { columns, isWhole: true });
    const rows = rowsOf({ text });
    for (const row of rows) {
      const width = [...row].reduce((sum, character) => sum + (character === '\t' ? 8 : /[ -~│┆]/.test(character) ? 1 : 2), 0);
      expect({ seed, row, fits: /^ {2}[│┆] /.test(row) && width < columns }).toEqual({ seed, row, fits: true });
    }
    const expected = [...command].map((character) => (unseen.includes(character) ? writtenOut(character) : character)).join('');
    const lines = expected.split('\n').map((line, index) => `  │ ${index === 0 ? '$' : ' '} ${line}`);
    expect({ seed, rows: rows.join('\n').replaceAll('\n  ┆ ', '') }).toEqual({ seed, rows: lines.join('\n') });
  }
});
