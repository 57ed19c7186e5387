// Which value a message is. What could be two values is none.
import { describe, expect, test } from '@jest/globals';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { findJson } from '../../src/output/find-json.ts';

const find = (message: string) => findJson(message, (text) => fromMarkdown(text));
const block = (text: string, language = 'json', fence = '```'): string => `${fence}${language}\n${text}\n${fence}`;

describe('the value of a message is', () => {
  test.each<[string, string, unknown]>([
    ['all of it', '{"a":1}', { a: 1 }],
    ['all of it, with white space and a byte order mark around it', '\uFEFF \n{"a":1}\r\n', { a: 1 }],
    ['a text, a number, null, where that is all', '"yes"', 'yes'],
    ['', '42', 42],
    ['', 'null', null],
    ['a block that is all', block('{"a":1}'), { a: 1 }],
    ['a block between words', `Here it is:\n\n${block('{"a":1}')}\n\nTell me [more](x).`, { a: 1 }],
    ['a block without a language', `So:\n${block('[1]', '')}`, [1]],
    ['a block of another fence', `So:\n${block('{"a":"```"}', 'JSON', '~~~')}`, { a: '```' }],
    ['a longer fence', `So:\n${block('{"a":"```"}', 'json', '`````')}`, { a: '```' }],
    ['a block in a list', `- first\n\n  ${block('{"a":1}').replaceAll('\n', '\n  ')}\n`, { a: 1 }],
    ['a block beside code of other languages', `${block('f({})', 'js')}\n\n${block('{"a":1}')}\n\n${block('42', '')}`, { a: 1 }],
    ['a block that no fence closes', '```json\n{"a":1}', { a: 1 }],
    ['a block with a scalar, when it is said to be JSON', `Here:\n${block('true')}`, true],
    ['the one value in words', 'The result is {"a":[1,{"b":2}]}. That is all.', { a: [1, { b: 2 }] }],
    ['the one value in a code span', 'The result: `{"a":1}`', { a: 1 }],
    ['quotes and brackets in its own texts', 'So: {"a":"}]\\"{["} ok', { a: '}]"{[' }],
    ['its own, with a name that objects have', '{"__proto__":1,"constructor":2}', JSON.parse('{"__proto__":1,"constructor":2}')],
  ])('%s', (_, message, value) => {
    expect(find(message)).toEqual({ value });
  });
});

describe('there is none in', () => {
  test.each<[string, string, RegExp]>([
    ['nothing', ' \n', /^it is empty$/],
    ['words', 'All is well.', /^it is no JSON: /],
    ['two blocks', `${block('{"a":1}')}\n\nor\n\n${block('{"a":2}')}`, /^it has 2 blocks of JSON/],
    ['two blocks that say the same', `${block('{"a":1}')}\n${block('{"a":1}')}`, /^it has 2 blocks/],
    [
      'a block that is one by its words and one by its form',
      `${block('{"a":1}')}\n\n${block('{"a":2}', '')}`,
      /^it has 2 blocks/,
    ],
    ['a broken block beside a good one', `${block('{"a":')}\n\n${block('{"a":2}')}`, /^it has 2 blocks/],
    ['a broken block', `Here: \n${block('{"a":1,}')}`, /^it is no JSON: /],
    ['two values in words', 'Either {"a":1} or {"a":2}.', /^it is no JSON: /],
    ['two values after each other', '{"a":1}\n{"a":2}', /^it is no JSON: /],
    ['a value and a link', 'See [this](x): {"a":1}', /^it is no JSON: /],
    ['a value and a check box', '- [ ] open\n\n{"a":1}', /^it is no JSON: /],
    ['a cut value', '{"a":1', /^it is no JSON: /],
    ['a value in words, and one that was cut off', '{"a":1}\n{"a":', /^it is no JSON: /],
    ['a number in words', 'It is 42.', /^it is no JSON: /],
    ['JavaScript', "{a: 'b'}", /^it is no JSON: /],
    ['a deep value', `${'['.repeat(65)}${']'.repeat(65)}`, /^it nests deeper than 64 levels$/],
  ])('%s', (_, message, problem) => {
    expect(find(message)).toEqual({ problem: expect.stringMatching(problem) });
  });
});

test('whatever a value is, in whatever it is wrapped, it is found or there is none: never another one', () => {
  const values: readonly unknown[] = [
    {},
    [],
    { a: '[x](y) ```' },
    [[{ b: '{"c":1}' }]],
    { 'a\n': '\\"}' },
    [1, 'two', null, { d: [] }],
  ];
  const wraps: readonly ((json: string) => string)[] = [
    (json) => json,
    (json) => `Result: ${json}`,
    (json) => `${json}\nDone (all of it).`,
    (json) => block(json),
    (json) => `Words [1].\n\n${block(json, 'json', '``````')}\n\nWords {2}.`,
    (json) => `> ${json}`,
    (json) => `Here is one [x] and ${json} and {y}`,
    (json) => `${json} ${json}`,
  ];
  for (const value of values) {
    for (const json of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
      for (const wrap of wraps) {
        const found = find(wrap(json));
        if ('value' in found) expect(found.value).toEqual(value);
      }
    }
  }
});
