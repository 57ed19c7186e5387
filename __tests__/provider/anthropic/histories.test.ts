// Whatever a history holds: repaired, converted and marked it is a request that the strict server takes, and grows by what is new only.
import { expect, test } from '@jest/globals';
import { repairHistory } from '../../../src/engine/repair-history.ts';
import { markCache } from '../../../src/provider/anthropic/cache-marks.ts';
import { callPlace } from '../../../src/provider/anthropic/call-place.ts';
import { convertMessages, convertSystem } from '../../../src/provider/anthropic/convert-messages.ts';
import { convertTools } from '../../../src/provider/anthropic/convert-tools.ts';
import { finishReasonSchema, type Message, type Origin, type Part } from '../../../src/schema/message.ts';
import { randomText } from '../../contracts/random-messages.ts';
import { createRandom, type Random } from '../../tools/random.ts';
import { assistant, readFile, result, system, user } from '../calling.ts';
import { checkAnthropicOrder } from './strict-order.ts';

const origin: Origin = { provider: 'anthropic', endpoint: 'https://api.example', model: 'm' };
const other: Origin = { ...origin, model: 'n' };

/** The request as the provider writes it. */
function bodyOf(messages: readonly Message[], tailStart = messages.length) {
  const parts = { system: convertSystem(messages), tools: convertTools([readFile]), turns: convertMessages(messages, origin) };
  return JSON.parse(JSON.stringify(markCache(parts, tailStart)));
}

function blocksOf(messages: readonly Message[]): readonly unknown[] {
  return JSON.parse(JSON.stringify(bodyOf(messages)), (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  ).messages.flatMap((message: { content: unknown[] }) => message.content);
}

function thought(text: string, from = origin): Part {
  return { type: 'opaque', origin: from, kind: 'thinking', value: { type: 'thinking', thinking: text, signature: 's' } };
}

function randomPart(random: Random): Part {
  switch (random.below(6)) {
    case 0:
      return thought(randomText(random).toWellFormed(), random.pick([origin, other]));
    case 1:
      return { type: 'opaque', origin, kind: 'redacted_thinking', value: { type: 'redacted_thinking', data: 'd' } };
    case 2:
      return callPlace(random.below(3), random.pick([origin, other]));
    default:
      return { type: 'text', text: randomText(random) };
  }
}

/** Ids and names as other vendors, cut answers and confused models leave them. */
const ids = ['a', 'a.b', 'a:b', 'a_b', '', 'ü', 'x'.repeat(80), `${'x'.repeat(80)}y`];

function randomMessage(random: Random): Message {
  const content = Array.from({ length: random.below(4) }, () => randomPart(random));
  const texts = content.filter((part) => part.type === 'text');
  switch (random.below(4)) {
    case 0:
      return {
        role: 'user',
        content:
          random.below(2) === 0
            ? texts
            : [...texts, { type: 'image', mediaType: random.pick(['image/png', 'image/bmp']), data: 'AAAA' }],
      };
    case 1:
      return { role: 'user', content: texts, toolCallId: random.pick(ids), isError: random.below(2) === 0 };
    default:
      return {
        role: 'assistant',
        content,
        toolCalls: Array.from({ length: random.below(4) }, () => ({
          id: random.pick(ids),
          name: random.pick(['read_file', 'no.such tool', '', 'n'.repeat(200)]),
          arguments: random.pick([
            '{}',
            '',
            '{"path":',
            '[1]',
            'null',
            '{"a":"\\ud83d"}',
            '{"\\udc4d":["\ud83d"]}',
            JSON.stringify({ path: randomText(random) }),
          ]),
        })),
        finishReason: random.pick(finishReasonSchema.options.filter((reason) => reason !== 'pause')),
      };
  }
}

test('random histories, repaired, are requests that nobody refuses', () => {
  for (let seed = 0; seed < 1500; seed += 1) {
    const random = createRandom(seed);
    const messages = [system('S'), user('Go'), ...Array.from({ length: random.below(12) }, () => randomMessage(random))];
    const repaired = repairHistory(messages);
    const body = bodyOf(repaired, 1 + random.below(repaired.length));
    try {
      checkAnthropicOrder(body);
    } catch (cause) {
      throw new Error(`seed ${seed}: ${JSON.stringify(body)}`, { cause });
    }
  }
});

test('a history that grows changes nothing of what was sent, up to its newest user turn', () => {
  for (let seed = 0; seed < 300; seed += 1) {
    const random = createRandom(seed);
    const messages = repairHistory([system('S'), user('Go'), ...Array.from({ length: 12 }, () => randomMessage(random))]);
    const ends = [...messages.keys()].filter((at) => messages[at]?.role === 'assistant');
    for (const end of ends) {
      const [before, after] = [blocksOf(messages.slice(0, end)), blocksOf(messages)];
      expect(after.slice(0, before.length)).toEqual(before);
    }
  }
});

test('thinking between calls goes back between them; where it does not go back, the calls follow the text', () => {
  const message: Message = {
    ...assistant('', ['a', 'read_file', '{}'], ['b', 'read_file', '{}'], ['c', 'read_file', '{}']),
    content: [
      thought('one'),
      callPlace(0, origin),
      thought('two'),
      { type: 'text', text: 'And' },
      callPlace(1, origin),
      thought('three'),
    ],
  };
  const history = JSON.parse(JSON.stringify([user('Go'), message, ...['a', 'b', 'c'].map((id) => result(id, id))]));
  const inShort = (blocks: readonly unknown[]): unknown =>
    blocks.map((block) => Object(block).thinking ?? Object(block).id ?? Object(block).text).slice(1, -3);
  expect(inShort(blocksOf(history))).toEqual(['one', 'a', 'two', 'And', 'b', 'three', 'c']);
  const elsewhere = convertMessages(history, other).flatMap(({ blocks }) => blocks.map(({ block }) => block));
  expect(inShort(elsewhere)).toEqual(['And', 'a', 'b', 'c']);
  const { toolCalls: _calls, ...callless } = message;
  expect(inShort(blocksOf([user('Go'), callless, user('x'), user('y'), user('z')]))).toEqual(['one', 'two', 'And']);
});

test('ids that become the same stay apart, and call and result stay together', () => {
  const calls = ids.map((id) => [id, 'read_file', '{}'] as const);
  const blocks = blocksOf([user('Go'), assistant('', ...calls), ...ids.map((id) => result(id, `of ${id}`))]);
  const called = blocks.flatMap((block) => Object(block).id ?? []);
  expect(new Set(called).size).toBe(ids.length);
  expect(blocks.filter((block) => Object(block).type === 'tool_result')).toEqual(
    ids.map((id, at) => ({ type: 'tool_result', tool_use_id: called[at], content: `of ${id}` })),
  );
});
