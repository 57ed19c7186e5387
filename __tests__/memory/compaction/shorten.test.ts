// Texts and messages cut to a room: the bound holds, the ends stand, what has room is the same object.
import { describe, expect, test } from '@jest/globals';
import { shortenMessage, shortenText } from '../../../src/memory/compaction/shorten.ts';
import { argumentsOf, type Message, type Part, textPart } from '../../../src/schema/message.ts';
import { estimateMessage, estimateText } from '../../../src/schema/token-estimate.ts';
import { createRandom } from '../../tools/random.ts';
import { asks, call, origin, prose, randomHistory, says } from './histories.ts';

const image: Part = { type: 'image', mediaType: 'image/png', data: 'AAAA' };
const thinking = (tokens: number): Part => ({ type: 'opaque', origin, kind: 'thinking', value: prose(tokens) });

describe('shortenText', () => {
  test('what has room is not touched', () => {
    const text = prose(90);
    expect(shortenText(text, { tokens: 100 })).toBe(text);
    expect(shortenText('', { tokens: 0, characters: 0 })).toBe('');
  });

  test('says how much is left out, and that is true', () => {
    const shortened = shortenText('x'.repeat(10_000), { tokens: 100, headShare: 0.25 });
    const [, head, count, tail] = /^(x+)\n\[… (\d+) characters left out …\]\n(x+)$/.exec(shortened) ?? [];
    expect((head?.length ?? 0) + Number(count) + (tail?.length ?? 0)).toBe(10_000);
    expect((tail?.length ?? 0) / (head?.length ?? 1)).toBeGreaterThan(2);
  });

  test('whatever the text, it is as long as it may be and no longer, begins and ends as before, and no character is cut in two', () => {
    const random = createRandom(3);
    const pieces = ['word ', '修', '😀', '\u{20000}', '  \n', '42', '{"a":', '　', 'é', '\uD83D'];
    for (let count = 0; count < 300; count += 1) {
      const text = Array.from({ length: 200 + random.below(3_000) }, () => random.pick(pieces))
        .join('')
        .toWellFormed();
      const room = { tokens: 30 + random.below(400), characters: 100 + random.below(3_000), headShare: random.below(10) / 10 };
      const shortened = shortenText(text, room);
      expect(estimateText(shortened)).toBeLessThanOrEqual(room.tokens);
      expect(shortened.length).toBeLessThanOrEqual(room.characters);
      expect(shortened.isWellFormed()).toBe(true);
      const [head = '', tail = ''] = shortened.split(/\n\[… \d+ characters left out …\]\n/);
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
      const isFull = estimateText(shortened) > room.tokens * 0.7 - 20 || shortened.length > room.characters * 0.7 - 50;
      expect(isFull).toBe(true);
    }
  });
});

describe('shortenMessage', () => {
  test('any message fits its room, keeps its calls and stays itself when it has room', () => {
    for (let seed = 1; seed < 30; seed += 1) {
      for (const message of randomHistory(seed, { exchanges: 10, huge: 3_000, isSound: true })) {
        for (const tokens of [300, 1_000, 10_000]) {
          const shortened = shortenMessage(message, { tokens, opaqueTokens: tokens });
          expect(estimateMessage(shortened)).toBeLessThanOrEqual(tokens);
          if (estimateMessage(message) <= tokens) expect(shortened).toBe(message);
          expect(shortened.toolCalls?.map(({ id, name }) => [id, name])).toEqual(
            message.toolCalls?.map(({ id, name }) => [id, name]),
          );
        }
      }
    }
  });

  test('the largest texts give, small ones stay whole', () => {
    const message: Message = { role: 'user', content: [textPart('small'), textPart(prose(3_000)), textPart(prose(2_000, 2))] };
    const { content } = shortenMessage(message, { tokens: 1_000, opaqueTokens: 0 });
    expect(content[0]).toEqual(textPart('small'));
    const sizes = content.slice(1).map((part) => (part.type === 'text' ? estimateText(part.text) : 0));
    expect(sizes.every((size) => size > 450 && size < 500)).toBe(true);
  });

  test('arguments stay a JSON object of the same names, whatever is in them', () => {
    const values = [
      prose(2_000),
      '"\\\n\t'.repeat(2_000),
      [prose(2_000)],
      { deep: { text: prose(2_000) } },
      7,
      null,
      true,
      '修'.repeat(2_000),
    ];
    for (const value of values) {
      const given = call('c', 'some_tool', { path: 'a.ts', value, __proto__x: 1 });
      const shortened = shortenMessage(asks(given), { tokens: 400, opaqueTokens: 400 });
      const args = argumentsOf(shortened.toolCalls?.[0] ?? given);
      expect(Object.keys(args ?? {})).toEqual(['path', 'value', '__proto__x']);
      expect(args).toMatchObject({ path: 'a.ts', __proto__x: 1 });
      expect(estimateMessage(shortened)).toBeLessThanOrEqual(400);
    }
  });

  test('arguments that no cut can save, or that are broken, become an empty object, which is what is sent of broken ones', () => {
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_unused, index) => [`name_${index}`, index]));
    for (const args of [JSON.stringify(many), `{"path":"${prose(2_000)}`, `[${'1,'.repeat(3_000)}1]`]) {
      const shortened = shortenMessage(asks({ id: 'c', name: 'x', arguments: args }), { tokens: 300, opaqueTokens: 300 });
      expect(shortened.toolCalls).toEqual([{ id: 'c', name: 'x', arguments: '{}' }]);
    }
  });

  test('pictures that do not fit are named instead', () => {
    const { content } = shortenMessage({ role: 'user', content: [image, image, image] }, { tokens: 4_000, opaqueTokens: 4_000 });
    expect(content).toEqual([image, image, textPart('[a picture was left out of this view]')]);
  });

  test('a vendor’s block goes whole, and only when it is larger than its own room', () => {
    const message: Message = { ...says(prose(2_000)), content: [thinking(300), textPart(prose(2_000))] };
    const kept = shortenMessage(message, { tokens: 800, opaqueTokens: 400 });
    expect(kept.content[0]).toBe(message.content[0]);
    expect(estimateMessage(kept)).toBeLessThanOrEqual(800);
    expect(shortenMessage(message, { tokens: 800, opaqueTokens: 200 }).content.map((part) => part.type)).toEqual(['text']);
  });
});
