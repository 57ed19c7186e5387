// What the bench calls stable, tail and kept.
import { expect, test } from '@jest/globals';
import { simulatePrefixCache } from './simulate-openai.ts';
import { shareKept, splitRequest } from './split-request.ts';

const openai = (...messages: readonly object[]) => ({
  tools: [{ name: 't' }],
  messages: [{ role: 'system', content: 'S' }, ...messages],
});
const anthropic = (...messages: readonly object[]) => ({
  tools: [{ name: 't' }],
  system: [{ type: 'text', text: 'S' }],
  messages,
});

test('the tail is what the user says behind the newest results, marks are no part of the bytes', () => {
  const { stable, tail } = splitRequest(
    openai(
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: null },
      { role: 'tool', content: 'x' },
      { role: 'user', content: 'list' },
    ),
    'openai',
  );
  expect([stable.length, tail]).toEqual([5, ['{"role":"user","content":"list"}']]);
  const text = { type: 'text', text: 'list', cache_control: { type: 'ephemeral' } };
  const blocks = splitRequest(
    anthropic(
      { role: 'user', content: [{ type: 'text', text: 'Go' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }, text] },
    ),
    'anthropic',
  );
  expect([blocks.stable.length, blocks.tail]).toEqual([5, ['user:{"type":"text","text":"list"}']]);
});

test('of a first request the task is stable and what follows it is not', () => {
  const { stable, tail } = splitRequest(openai({ role: 'user', content: 'Go' }, { role: 'user', content: 'plan' }), 'openai');
  expect([stable.length, tail.length]).toEqual([3, 1]);
});

test('kept is what the next request begins with, to the byte', () => {
  expect(shareKept(['ab', 'cd'], ['ab', 'cd', 'ef'])).toBe(1);
  expect(shareKept(['ab', 'cd'], ['ab', 'cx', 'ef'])).toBe(0.8);
  expect(shareKept(['ab', 'cd'], ['xb', 'cd'])).toBe(0);
});

test('a server that caches prefixes reads them in steps, from the least that is worth it on', () => {
  const long = 'x'.repeat(4 * 1300);
  expect(simulatePrefixCache([long, `${long}y`, 'x'.repeat(4000), 'z'])).toEqual([
    { read: 0, all: 1300 },
    { read: 1280, all: 1301 },
    { read: 0, all: 1000 },
    { read: 0, all: 1 },
  ]);
});
