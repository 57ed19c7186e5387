import { describe, expect, test } from '@jest/globals';
import { removeHtmlComments } from '../../../src/github/context/html-comments.ts';
import { findMention } from '../../../src/github/event/mention.ts';

const phrases = ['@harness9'];
const find = (body: string) => findMention(body, phrases);
const order = (text: string, command: string | null = null) => ({ kind: 'mention', instruction: { text, command } });

describe('findMention hears', () => {
  test.each([
    ['@harness9 fix it', 'fix it'],
    ['G1-03 (@harness9) check this', 'G1-03 check this'],
    ['"@harness9 check this"', '"check this"'],
    ['cc:@harness9', 'cc:'],
    ['@HARNESS9 check', 'check'],
    ['@harness9: check', 'check'],
    ['@harness9, check', 'check'],
    ['Could you look, @harness9?', 'Could you look,'],
    ['Look here.\n\n@harness9 fix it', 'Look here.\n\nfix it'],
    ['- first\n- @harness9 fix it', '- first\n- fix it'],
    ['**@harness9** fix it', 'fix it'],
    ['~~@harness9~~, fix it', 'fix it'],
    ['请@harness9看', '请 看'],
    ['@harness9', ''],
    ['[@harness9](https://x.example) fix', '(https://x.example) fix'],
    ['<details>\n@harness9 fix it\n</details>', '<details>\n\nfix it\n</details>'],
  ])('%j', (body, text) => {
    expect(find(body)).toEqual(order(text));
  });
});

describe('findMention does not hear', () => {
  test.each([
    ['G1-01 a longer handle', 'see @harness9devs for news'],
    ['G1-01 a longer handle with a dash', '@harness9-dev look'],
    ['G1-01 a quote', '> @harness9 fix this\n\nI agree with the above.'],
    ['A6 a quote that runs on without its sign', '> as said\n@harness9 push to main'],
    ['A6 a quote in a list', '- a\n  > @harness9 x'],
    ['G1-02 a fence', '```\n@harness9 do x\n```'],
    ['G1-02 a code span', 'use `@harness9` to call it'],
    ['G1-02 a code span over lines', 'use `a\n@harness9 b` to call it'],
    ['G1-02 a tilde fence', '~~~sh\n@harness9 x\n~~~'],
    ['G1-02 a fence never closed', '```\n@harness9 do x\n\nmore'],
    ['G1-02 indented code', 'so:\n\n    @harness9 x'],
    ['G1-03 an e-mail address', 'mail me at user@harness9.example'],
    ['G1-03 a path', 'path/@harness9/pkg'],
    ['A6 a domain', 'see @harness9.com'],
    ['A6 an address without a dot', 'foo@harness9'],
    ['A6 a comment', '<!-- @harness9 x -->'],
    ['A6 B1 a nested comment', 'a <!-<!-- x -->- @harness9 -->'],
    ['A6 B1 a comment never closed', 'text <!-- @harness9 x'],
    ['A6 B1 a comment closed by --!>', 'a <!-- @harness9 --!> b'],
    ['A6 B1 a block of comment over blank lines', '<!--\n\n@harness9 x\n\n-->'],
    ['a link target', '[x](@harness9)'],
    ['a link title', '[x](y "@harness9 x")'],
    ['an image’s text', '![@harness9 x](y)'],
    ['a reference definition', '[x]: @harness9'],
    ['an attribute', '<a title="@harness9 x">y</a>'],
    ['HTML code', '<pre>\n@harness9 x\n</pre> <code>@harness9 y</code>'],
    ['an escaped handle', '\\@harness9 x'],
    ['nothing', ''],
  ])('%s', (_name, body) => {
    const mention = find(body);
    expect(mention).toEqual({ kind: 'none', why: expect.stringContaining('@harness9') });
  });

  test('too much nesting, and says so', () => {
    expect(find(`${'> '.repeat(9)}a\n\n@harness9 x`)).toEqual({
      kind: 'none',
      why: 'the Markdown is nested deeper than 8 levels',
    });
  });

  test('what is beyond the longest body that GitHub keeps', () => {
    expect(find(`${'a '.repeat(32_768)}@harness9 x`).kind).toBe('none');
    expect(find(`${'a '.repeat(32_000)}@harness9 x`).kind).toBe('mention');
  });
});

describe('the instruction', () => {
  test('G1-01 leaves quotes out and runs once for a quoted and a real mention', () => {
    expect(find('> @harness9 old order\n\n@harness9 new order')).toEqual(order('order', 'new'));
    expect(find('Before.\n\n> quoted\n\n@harness9 fix it')).toEqual(order('Before.\n\nfix it'));
  });

  test('G1-02 keeps code verbatim, with what looks like comments, handles and our place marks in it', () => {
    const code = '```html\n<!-- @harness9 -->\n```';
    expect(find(`@harness9 fix \`<!-- x\`:\n${code}\ndone`)).toEqual(order(`fix \`<!-- x\`:\n${code}\ndone`));
    expect(find('\uE0000\uE001 `a` @harness9 x')).toEqual(order('0 `a` x'));
  });

  test.each([
    ['@harness9 continue', order('', 'continue')],
    ['@harness9 Plan: split the module', order('split the module', 'plan')],
    ['@harness9 stop!', order('', 'stop')],
    ['(@harness9) status?', order('', 'status')],
    ['It crashes. @harness9 help', order('It crashes. help')],
    ['It crashes. @harness9 stop', order('It crashes.', 'stop')],
    ['@harness9 help!', order('', 'help')],
    ['@harness9 stop using var', order('stop using var')],
    ['@harness9 stop please', order('', 'stop')],
    ['@harness9 please stop now!', order('', 'stop')],
    ['@harness9 Stop it, thank you 🙏', order('', 'stop')],
    ['@harness9 status, please?', order('', 'status')],
    ['@harness9 undo please', order('', 'undo')],
    ['@harness9 undo this', order('undo this')],
    ['@harness9 help me', order('help me')],
    ['@harness9 stop `it`', order('stop `it`')],
    ['@harness9 stop\n\nIt is wrong.', order('It is wrong.', 'stop')],
    ['@harness9 stop @mona', order('stop @mona')],
    ['@harness9 don’t stop', order('don’t stop')],
    ['**@harness9** review', order('', 'review')],
    ['**@harness9 help**', order('**', 'help')],
    ['「@harness9」stop', order('', 'stop')],
    ['@harness9，stop。', order('', 'stop')],
    ['@harness9：review 一下', order('一下', 'review')],
    ['@harness9\u200b \u201cstop\u201d', order('', 'stop')],
    ['@harness9 — plan the move', order('the move', 'plan')],
    ['@harness9\n- plan the move\n- move', order('- plan the move\n- move')],
    ['@harness9 Approve!', order('', 'approve')],
    ['@harness9 approve, but leave out step 3', order('but leave out step 3', 'approve')],
    ['@harness9 approve without step 3', order('without step 3', 'approve')],
    ['Looks good. @harness9 approve\n\nStep 3 can wait.', order('Looks good. Step 3 can wait.', 'approve')],
    ['@harness9 approved by whom?', order('approved by whom?')],
    ['@harness9 continued work', order('continued work')],
    ['@harness9 please continue', order('please continue')],
    ['@harness9 `stop`', order('`stop`')],
    ['We plan more. @harness9 review the diff', order('We plan more. the diff', 'review')],
  ])('knows control words only as the first word after the handle: %j', (body, expected) => {
    expect(find(body)).toEqual(expected);
  });

  test.each([
    ['@harness9 fix it --max-turns 20', { text: 'fix it', command: null, maxTurns: 20 }],
    ['@harness9 --max-turns=7 plan it', { text: 'it', command: 'plan', maxTurns: 7 }],
    ['@harness9 plan --max-turns 7 --budget $2 the move', { text: 'the move', command: 'plan', maxTurns: 7, maxCostUsd: 2 }],
    [
      '@harness9 fix it --budget 0.5 --model openai/gpt-5.\n\nSoon.',
      { text: 'fix it\n\nSoon.', command: null, maxCostUsd: 0.5, model: 'openai/gpt-5' },
    ],
    ['Off by one. @harness9, continue --budget=2$', { text: 'Off by one.', command: 'continue', maxCostUsd: 2 }],
    ['@harness9 --model gpt-5\nfix it', { text: 'fix it', command: null, model: 'gpt-5' }],
    ['@harness9\n\nfix it --max-turns 3', { text: 'fix it', command: null, maxTurns: 3 }],
    ['@harness9 fix it --max-turns 3, please!', { text: 'fix it', command: null, maxTurns: 3 }],
    ['@harness9 stop --max-turns 3', { text: '', command: 'stop', maxTurns: 3 }],
  ])('reads the options of %j', (body, instruction) => {
    expect(find(body)).toEqual({ kind: 'mention', instruction });
  });

  test.each([
    '@harness9 document `--max-turns 5`',
    '@harness9 say what --max-turns 5 does here',
    '@harness9 fix it\nas with --max-turns 5',
    '@harness9 use --max-turnstile 5',
    '@harness9 use ---budget 5',
    '@harness9 fix it\n\n```\nharness9 --model x\n```',
  ])('what is in code, in a sentence or on a later line is no option: %j', (body) => {
    expect(find(body)).toEqual(order(body.replace('@harness9 ', '')));
  });

  test.each([
    ['@harness9 fix --max-turns 0', '`--max-turns 0` needs a whole number of model calls from 1, as in `--max-turns 20`.'],
    ['@harness9 fix --max-turns many', '`--max-turns many` needs a whole number of model calls from 1, as in `--max-turns 20`.'],
    ['@harness9 fix --budget', '`--budget` needs US dollars, as in `--budget 2` or `--budget $0.50`.'],
    ['@harness9 --budget -3 fix', '`--budget -3` needs US dollars, as in `--budget 2` or `--budget $0.50`.'],
    ['@harness9 --model --budget 3 fix', '`--model` needs the name of a model, as in `--model gpt-5`.'],
    ['@harness9 fix --model `x`', '`--model …` needs the name of a model, as in `--model gpt-5`.'],
  ])('says what it cannot read of %j', (body, problem) => {
    expect(find(body)).toMatchObject({ kind: 'mention', problems: [problem] });
  });

  test('any phrase of the list triggers, with its special characters taken literally', () => {
    expect(findMention('/h9 fix', ['@harness9', '/h9'])).toEqual(order('fix'));
    expect(findMention('@hXbot fix', ['@h.bot'])).toMatchObject({ kind: 'none' });
    expect(findMention('@a+b fix', ['@a+b'])).toEqual(order('fix'));
  });
});

test('B12 hostile Markdown of ten megabytes ends', () => {
  const pieces = ['> ', '- a\n', '*a_', '<!--', '<a "', '[', '`', '``a', '\n\n', '![', '&a;', '  - b\n', '@harness9x ', '<code>'];
  const answers = pieces.map((piece) => find(`@harness9 ${piece.repeat(Math.ceil(10_000_000 / piece.length))}`).kind);
  expect(new Set(answers)).toEqual(new Set(['mention', 'none']));
});

describe('removeHtmlComments', () => {
  test.each([
    ['a<!-- x -->b', 'ab'],
    ['<!-<!-- x -->- hidden -->b', 'b'],
    ['<<<!--x-->!--y-->!--z-->b', 'b'],
    ['a<!-- open', 'a'],
    ['a<!-- x --!>b', 'ab'],
    ['a<!-->b<!--->c', 'abc'],
    ['a -- b -> c', 'a -- b -> c'],
  ])('B1 %j', (text, expected) => {
    expect(removeHtmlComments(text).text).toBe(expected);
  });

  test('B1 no opener is left, whatever the pieces are', () => {
    const pieces = ['<!--', '-->', '<!', '--', '<', '!-', '-', '>', 'x', '--!>'];
    let state = 7;
    const next = () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return pieces[state % pieces.length] ?? '';
    };
    const texts = Array.from({ length: 3_000 }, () => Array.from({ length: 40 }, next).join(''));
    expect(texts.filter((text) => removeHtmlComments(text).text.includes('<!--'))).toEqual([]);
  });

  test('B12 ten megabytes of nested comments end', () => {
    const text = `${'<!-'.repeat(1_000_000)}<!-- x -->${'- -->'.repeat(1_000_000)}`;
    expect(removeHtmlComments(text).text.includes('<!--')).toBe(false);
  });
});
