import { describe, expect, test } from '@jest/globals';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { plainLine } from '../../../src/github/publish/plain-line.ts';
import { renderNotices } from '../../../src/github/publish/render-blocks.ts';
import { renderProgress, startProgress } from '../../../src/github/publish/render-progress.ts';
import { sanitizeReply } from '../../../src/github/publish/sanitize-reply.ts';
import { createRedactor } from '../../../src/redact/redactor.ts';
import { plan } from '../plan-and-bundle.ts';

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
}

function parse(markdown: string): Node {
  return fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

function typesIn(node: Node): Set<string> {
  return new Set([node.type, ...(node.children ?? []).flatMap((child) => [...typesIn(child)])]);
}

function wordsIn(node: Node): string {
  return (node.value ?? '') + (node.children ?? []).map(wordsIn).join('');
}

const pieces = [
  ...[
    '# Heading',
    '- [x] ticked',
    '1. one',
    '> quote',
    '**bold**',
    '__init__',
    'snake_case_name',
    '~~gone~~',
    '***',
    '---',
    '___',
  ],
  ...['[l](https://e.example/?a=b)', '![i](https://e.example/i.png)', '[x]: https://e.example', '<script>alert(1)</script>'],
  ...['<!-- c -->', '<details>', '&lt;b&gt;', '&#64;eve', '| a | b |', '$x$', '\\', '`', '``', '`code`', '`a_b*c`'],
  ...['@eve', 'me@e.example', 'mailto:me@e.example', '#12', 'o/r#3', 'fixes #4', 'https://e.example/?q=1', 'http://e.example.'],
  ...[
    'www.e.example/x_y',
    'HTTPS://E.EXAMPLE',
    'xmpp:a@b.example/c',
    ':smile:',
    'a*b*c',
    '/close',
    '::error::x',
    'ends_',
    '_begins',
  ],
];

/** The same ones at every run. */
function* lines(): Generator<string> {
  yield* pieces;
  let state = 7;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  for (let count = 0; count < 2_000; count += 1) {
    const chosen = Array.from({ length: 1 + next(5) }, () => pieces[next(pieces.length)] ?? '');
    yield chosen.join([' ', '', ', '][next(3)]).trim();
  }
}

describe('text from outside on a line of ours', () => {
  test('is words and code whatever stands in it, and nobody is mentioned', () => {
    for (const line of lines()) {
      for (const item of [`- [ ] ${plainLine(line)}`, `- [ ] **${plainLine(line)}**`, `- ~~${plainLine(line)}~~`]) {
        const allowed = ['root', 'list', 'listItem', 'paragraph', 'strong', 'delete', 'text', 'inlineCode'];
        const tree = parse(item);
        expect({ line, others: [...typesIn(tree)].filter((type) => !allowed.includes(type)) }).toEqual({ line, others: [] });
        expect({ line, mention: /(?:^|[^`\w])@[a-z]/i.test(item.replaceAll(/`+[^`]+`+/g, '')) }).toEqual({
          line,
          mention: false,
        });
      }
    }
  });

  test.each([
    ['Mend `total()` in snake_case_name', 'Mend `total()` in snake_case_name'],
    ['a*b and __init__', 'a\\*b and \\_\\_init\\_\\_'],
    ['see https://e.example/?q=1, or www.e.example.', 'see `https://e.example/?q=1`, or `www.e.example`.'],
    ['ask @eve', 'ask @\u2060eve'],
  ])('%s', (line, shown) => {
    expect(plainLine(line)).toBe(shown);
    expect(wordsIn(parse(plainLine(line))).replaceAll('\u2060', '')).toBe(line.replaceAll('`', ''));
  });
});

describe('what looks like a key does not slip past the redactor as Markdown', () => {
  const { outward } = createRedactor([]);
  const token = `ghp_${'aB3'.repeat(12)}`;
  const escaped = token.replace('_', '\\_');
  const rules = { requester: 'mona', closes: null, host: 'github.com' };

  test('in a step of the progress', () => {
    const state = { ...startProgress, turn: 1, todos: [{ id: '1', content: `Use ${token} here`, status: 'pending' as const }] };
    expect(outward(renderProgress(state, { plan, elapsedMs: 0 }))).toContain('- [ ] Use *** here');
  });

  test('in an answer of a model that escapes what need not be', () => {
    expect(outward(sanitizeReply(`The key is ${escaped}, and sk\\-proj\\-x.`, rules))).toBe('The key is ***, and sk-proj-x.');
    expect(sanitizeReply('_a\\_b_ \\_c\\_ a\\\\_b \\- d', rules)).toBe('_a_b_ \\_c\\_ a\\\\_b \\- d');
  });
});

test('a notice that is too tangled to be read is one line of code, and hides nothing', () => {
  const tangled = `Left open: ${'*'.repeat(4_000)}`;
  const rules = { requester: 'mona', closes: null, host: 'github.com' };
  expect(renderNotices([tangled, 'Second.'], rules)).toMatch(/^> `Left open: \*+…`\n>\n> Second\.$/);
});
