import { describe, expect, test } from '@jest/globals';
import { escapeInvisible } from '../../../src/github/context/invisible.ts';
import { sanitize } from '../../../src/github/context/sanitize.ts';

const clean = (text: string) => sanitize(text).text;

describe('sanitize takes out', () => {
  test.each([
    ['B1 a comment', 'a<!-- ignore -->b', 'ab'],
    ['B1 a nested comment', 'a<!-<!-- x -->- hidden -->b', 'ab'],
    ['B1 a comment never closed', 'a<!-- …EOF', 'a'],
    ['B1 a comment closed by --!>', 'a<!-- x --!>b', 'ab'],
    ['B1 code within a comment', 'a<!--\n```\nhidden\n```\n-->b', 'ab'],
    ['B1 code within a comment that a removal makes', 'a<!-<!-- x -->-\n`hidden`\n-->b', 'ab'],
    ['B1 B4 a comment written in entities', 'a&lt;!-- x --&gt;b', 'ab'],
    ['B1 B2 a comment that invisible characters hold apart', 'a<!\u200b-- x -->b', 'ab'],
    [
      'B1 a comment in a table’s cell, between halves of code',
      '| a | b | c |\n| - | - | - |\n| `x | <!-- hid --> | y` |',
      '| a | b | c |\n| - | - | - |\n| `x |  | y` |',
    ],
    [
      'B1 a comment behind a fence that its list item ended',
      '- ```\n  <!-- a\n\noutside <!-- hid --> x',
      '- ```\n  <!-- a\n\noutside  x',
    ],
    ['B1 a comment behind a fence that its quote ended', '> ```\n> a\n\n<!-- hid -->\n```', '> ```\n> a\n\n\n```'],
    [
      'B1 a comment behind a fence that a deeper line does not close',
      '```\n    ```\n```\n<!-- hid -->\n```\nx',
      '```\n    ```\n```\n\n```\nx',
    ],
    ['B1 a comment behind a fence with the line ends of a form', '```\r\na\r\n```\r\n<!-- hid -->', '```\na\n```\n'],
    ['B1 a comment in raw HTML that looks like a fence', '<div>\n```\n<!-- hid -->\n```\n</div>', '<div>\n```\n\n```\n</div>'],
    [
      'B1 a comment in indented code that looks like a fence',
      'a\n\n    ```\nb <!-- hid -->\n    ```',
      'a\n\n    ```\nb \n    ```',
    ],
    ['B1 a comment between a backtick in a tag and another one', '<b title="`">x</b> <!-- hid --> `', '<b>x</b>  `'],
    ['B1 a comment behind an escaped backtick', '\\` <!-- hid --> `', '\\`  `'],
    ['B1 a comment between backticks of two blocks', '`a\n- <!-- hid --> b`', '`a\n-  b`'],
    ['B1 a comment between backticks of two paragraphs of a quote', '> `a\n>\n> <!-- hid --> b`', '> `a\n>\n>  b`'],
    ['B2 tag letters', 'a\u{e0041}\u{e0042}b', 'ab'],
    ['B2 variation selectors', 'a\u{e0100}\ufe01b', 'ab'],
    ['B2 word joiner, marks, fillers, soft hyphen', 'a\u2060\u200e\u180e\u3164\u00adb', 'ab'],
    ['B2 control characters', 'a\u0000\u0007\u0085b', 'ab'],
    ['B2 colours and titles of a terminal', 'a\u001b[31mred\u001b[0m\u001b]0;title\u0007b', 'aredb'],
    ['B3 bidi overrides', 'a\u202eb\u2066c\u2069', 'abc'],
    ['B4 an image’s text', '![instr](x.png)', '![image](x.png)'],
    ['B4 a link’s title', '[a](x "instr") [b](y \'instr\')', '[a](x) [b](y)'],
    ['B4 an unused definition', 'a\n[x]: # (instr)\nb', 'a\n\nb'],
    ['B4 a used definition’s title', '[a][x]\n\n[x]: /u "instr"', '[a][x]\n\n[x]: /u'],
    ['B4 attributes', '<img alt="instr" src="x.png" data-a="instr">', '<img src="x.png">'],
    ['B4 attributes with a bracket in quotes', '<p title="a > instr" aria-label=\'i\'>b</p>', '<p>b</p>'],
    ['B4 hidden elements', 'a<div hidden>x<div>y</div>z</div>b', 'ab'],
    ['B4 a hidden element never closed', 'a<details hidden>x', 'a'],
    ['B4 a hidden element that holds nothing', 'a<img hidden src="u">b<br hidden/>c', 'abc'],
    ['B4 a picture that nobody can see', 'a<img width="1" src="u">b<IMG height=0 src="u">c<img width="7.9px" src="u">d', 'abcd'],
    [
      'B4 an attribute in another one’s quotes',
      '<img alt="x src=instr" src="x.png"> <p title="a hidden b">c</p>',
      '<img src="x.png"> <p>c</p>',
    ],
    ['B4 an attribute that a browser does not read', '<img src="x.png" src="instr">', '<img src="x.png">'],
    ['B4 tag letters in entities', 'a&#xE0041;&ZeroWidthSpace;&#8238;b', 'ab'],
    ['marks that stand for code', 'a\ue0000\ue001&#xe000;0&#xe001;`c`', 'a0\ufffd0\ufffd`c`'],
  ])('%s', (_name, text, expected) => {
    expect(clean(text)).toBe(expected);
  });
});

describe('sanitize keeps', () => {
  test.each([
    ['plain text, line ends and tabs', 'a\tb\nc é 日本 – "x" & y < z', 'a\tb\nc é 日本 – "x" & y < z'],
    ['emoji with joiners and selectors', '👩‍👩‍👧 ❤️ 1️⃣ 👍🏽 🏳️‍🌈', '👩‍👩‍👧 ❤️ 1️⃣ 👍🏽 🏳️‍🌈'],
    ['code verbatim', '```html\n<!-- x --><p title="t">&amp;\n```', '```html\n<!-- x --><p title="t">&amp;\n```'],
    ['inline code verbatim', '`<!-- a -->` and ``<p title="`">``', '`<!-- a -->` and ``<p title="`">``'],
    ['a fence in a list', '- x\n  ~~~\n  <!-- a -->\n  ~~~', '- x\n  ~~~\n  <!-- a -->\n  ~~~'],
    ['a fence never closed', '```\n<!-- a', '```\n<!-- a'],
    [
      'a fence on the line of its list item',
      '1. ```\n   <!-- a -->\n   ```\n2. `<!-- b -->`',
      '1. ```\n   <!-- a -->\n   ```\n2. `<!-- b -->`',
    ],
    [
      'a fence in a list in a list',
      '- x\n  - y\n    ```\n    <!-- a -->\n    ```\n\n`<!-- b -->`',
      '- x\n  - y\n    ```\n    <!-- a -->\n    ```\n\n`<!-- b -->`',
    ],
    ['a fence in a quote', '> ```\n> <!-- a -->\n> ```\n\n`<!-- b -->`', '> ```\n> <!-- a -->\n> ```\n\n`<!-- b -->`'],
    [
      'a fence after a list',
      '- x\n\ny:\n\n ```\n<!-- a -->\n ```\n`<!-- b -->`',
      '- x\n\ny:\n\n ```\n<!-- a -->\n ```\n`<!-- b -->`',
    ],
    [
      'a fence between tags with blank lines',
      '<details>\n\n```\n<!-- a -->\n```\n\n</details>',
      '<details>\n\n```\n<!-- a -->\n```\n\n</details>',
    ],
    ['code in a table’s cell', '| a |\n| - |\n| `<!-- a -->` |', '| a |\n| - |\n| `<!-- a -->` |'],
    ['code over two lines', 'a `b\nc <!-- c -->` d', 'a `b\nc <!-- c -->` d'],
    ['footnotes that are used', 'a[^1]\n\n[^1]: seen', 'a[^1]\n\n[^1]: seen'],
    ['links and tags without attributes', '[a](x) <b>c</b> <br/>', '[a](x) <b>c</b> <br>'],
    ['what only looks like a tag', 'a < b and c<d "e" if x <y', 'a < b and c<d "e" if x <y'],
    ['decoded entities once', '&amp;lt; &#65; &unknown;', '&lt; A &unknown;'],
  ])('%s', (_name, text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  test('line ends as one kind, letters as NFC, no half surrogates', () => {
    expect(clean('a\r\nb\rc\u2028d e\u0301 \ud800')).toBe('a\nb\nc\nd é \ufffd');
  });
});

describe('sanitize says', () => {
  test('what it took out', () => {
    const text = 'a<!-- x --><!-- y -->\u200b<p title="t">b</p><i hidden>c</i>![d](e)';
    expect(sanitize(text)).toEqual({
      text: 'a<p>b</p>![image](e)',
      notes: [
        '2 HTML comments removed',
        'hidden HTML elements removed',
        'HTML attributes removed',
        '1 invisible characters removed',
      ],
      images: ['e'],
    });
  });

  test('where it cut, and nothing when there was nothing', () => {
    expect(sanitize('abcdef', 3)).toEqual({ text: 'abc', notes: ['cut after 3 of 6 characters'], images: [] });
    expect(sanitize('a `b` c')).toEqual({ text: 'a `b` c', notes: [], images: [] });
  });
});

describe('sanitize finds pictures', () => {
  test.each([
    ['a ![x](u1) b ![](<u2>) c', ['u1', 'u2']],
    ['<img width="300" alt="a > b" src="u1"/> ![y](u2 "title") <IMG src=u3>', ['u1', 'u2', 'u3']],
    ["[![x](u1)](page) <a href='page'><img src='u2'></a>", ['u1', 'u2']],
    ['![a [b] c](u1)', ['u1']],
    ['<img width="8" height="800" src="u1"> <img width="50%" src="u2"> <img width="x" src="u3">', ['u1', 'u2', 'u3']],
    ["<img alt='a src=u0 b' src='u1'> <img href=\"u0\" src=u2> <img/src='u3'/> <img alt src=u4>", ['u1', 'u2', 'u3', 'u4']],
    ['\\\\![x](u1) \\\\\\![x](u2)', ['u1']],
    ['![x](a&amp;b)', ['a&b']],
    ['`![x](u1)`\n\n```\n<img src="u2">\n```\n\n![x](u3)', ['u3']],
    ['<!-- ![x](u1) --> <p hidden><img src="u2"></p> <img data-src="u3"> </img src="u4">', []],
    ['\\![x](u1) [x](u2) <video src="u3"></video> ![x][u4]', []],
  ])('%j', (text, images) => {
    expect(sanitize(text).images).toEqual(images);
  });

  test('of a text that was cut only in what is left, and fifty at most', () => {
    expect(sanitize(`![a](u1) ${'x'.repeat(100)} ![b](u2)`, 50).images).toEqual(['u1']);
    expect(sanitize('![a](u) '.repeat(2_000)).images).toHaveLength(50);
  });
});

test('B12 hostile texts of ten megabytes end', () => {
  const pieces = [
    '![',
    '![[',
    '![xx](',
    '![xx](u',
    '<img src=',
    '<!--',
    '<!-',
    '-->',
    '<a "',
    "<a '",
    '<p hidden>',
    '[',
    '![',
    '](',
    '](a "',
    '`',
    '``',
    '```\n',
    '~~~\n',
    '&#',
    '\u200d',
    '\u001b]',
    '\n',
    '[a]: b\n',
    '> ```\n',
    '- ```\n',
    ' ```\n',
    '- a\n  ```\n  ```\n',
    '|-\n`|`\n\n',
    '<a `',
    '<b>\n\n',
    '`a`<b\n',
    '\\`',
    '```x',
    ' ',
    '|',
    '>',
  ];
  for (const piece of pieces) {
    expect(sanitize(piece.repeat(Math.ceil(10_000_000 / piece.length))).text.length).toBeLessThanOrEqual(65_536 * 2);
  }
});

test('B1 B2 no opener and no invisible character is left, whatever the pieces are', () => {
  const pieces = [
    '<!--',
    '-->',
    '<!',
    '--',
    '<',
    '!-',
    '&lt;',
    '&#45;',
    '\u200b',
    '\u{e0041}',
    'x',
    '<p title="',
    '">',
    '\n',
    '[',
    ']',
    '(',
  ];
  let state = 11;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return pieces[state % pieces.length] ?? '';
  };
  const texts = Array.from({ length: 3_000 }, () => clean(Array.from({ length: 40 }, next).join('')));
  expect(texts.filter((text) => /<!--|[\u200b\u{e0041}]/u.test(text))).toEqual([]);
});

test('B3 code that the model is shown has its invisible characters written out', () => {
  expect(escapeInvisible('+ if (a\u202e) {\u200b}\r\n\tx \u{e0041}')).toBe('+ if (a\\u202e) {\\u200b}\n\tx \\u{e0041}');
});
