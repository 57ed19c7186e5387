// How many pictures go into one request, by what is recorded of servers and models.
import { describe, expect, test } from '@jest/globals';
import { isTextModel, pictureLimitsOf } from '../../src/provider/picture-facts.ts';
import { picturesBeyond } from '../../src/provider/picture-limits.ts';
import { createPictureGate } from '../../src/provider/pictures.ts';
import { type Message, textOf } from '../../src/schema/message.ts';
import type { ModelRequest } from '../../src/schema/model-call.ts';
import { realPng } from '../schema/real-pictures.ts';
import { createRandom } from '../tools/random.ts';
import { requestOf } from './calling.ts';

const connectionOf = (provider: string, identity: string, model = 'm') => ({
  model,
  vendor: { provider, keyVariable: '', urlVariable: '', defaultBaseUrl: '', endings: [] },
  endpoint: { identity, host: '', query: '' },
});
const shown = (...data: readonly string[]): Message => ({
  role: 'user',
  content: [
    { type: 'text', text: 'see:' },
    ...data.map((one) => ({ type: 'image', mediaType: 'image/png', data: one }) as const),
  ],
});
const limits = { count: 4, chars: 100, crowd: Number.POSITIVE_INFINITY };
const beyond = (data: readonly string[], within = limits) => [...picturesBeyond(requestOf([shown(...data)]), within)];
const small = (count: number) => Array.from({ length: count }, () => 'AAAA');

describe('pictures of one request', () => {
  test('are all there as long as they fit', () => {
    expect([beyond([]), beyond(small(4)), beyond(['A'.repeat(100)])]).toEqual([[], [], []]);
  });

  test('make room for half as many as there may be, oldest first, when there is one too many', () => {
    const three = [0, 1, 2];
    expect([5, 6, 7, 8].map((count) => beyond(small(count)))).toEqual([three, three, three, [0, 1, 2, 3, 4, 5]]);
  });

  test('make room by weight as well; the newest stays where it alone fits', () => {
    expect(beyond(['A'.repeat(40), 'A'.repeat(40), 'A'.repeat(40)])).toEqual([0, 1]);
    expect(beyond(['A'.repeat(40), 'A'.repeat(90)])).toEqual([0]);
    expect(beyond(['A'.repeat(40), 'A'.repeat(101), 'A'.repeat(8)])).toEqual([0, 1]);
  });

  test('of a crowd none is large', () => {
    const large = realPng(2_001, 1).toString('base64');
    const within = { count: 100, chars: 1e9, crowd: 4 };
    expect(beyond([large, ...small(3)], within)).toEqual([]);
    expect(beyond([large, ...small(4)], within)).toEqual([0]);
    expect(beyond(small(9), within)).toEqual([]);
    expect(beyond([...small(4), large], within)).toEqual([0, 1, 2]);
  });

  test('what is left out of a history is left out of every continuation, and seldom more', () => {
    const random = createRandom(3);
    for (let round = 0; round < 10; round += 1) {
      const within = { count: 2 + random.below(20), chars: 200 + random.below(2_000), crowd: 1e9 };
      const data = Array.from({ length: 150 }, () => 'A'.repeat(4 + random.below(100)));
      let before = 0;
      let changes = 0;
      for (let end = 1; end <= data.length; end += 1) {
        const left = beyond(data.slice(0, end), within);
        expect(left).toEqual([...left.keys()]);
        expect(left.length).toBeGreaterThanOrEqual(before);
        const kept = data.slice(left.length, end);
        expect(kept.length).toBeLessThanOrEqual(within.count);
        expect(kept.join('').length).toBeLessThanOrEqual(within.chars);
        if (left.length > before) changes += 1;
        before = left.length;
      }
      // Half of the room comes in again before it changes.
      const least = Math.max(1, Math.floor(Math.min(within.count / 2, within.chars / 2 / 104)));
      expect(changes).toBeLessThanOrEqual(Math.ceil(data.length / least) + 1);
    }
  });
});

describe('what is recorded', () => {
  test.each([
    ['anthropic', 'https://api.anthropic.com', { count: 100, chars: 24 * 1024 * 1024, crowd: 20 }],
    ['openai', 'https://api.openai.com/v1', { count: 100, chars: 32 * 1024 * 1024, crowd: Number.POSITIVE_INFINITY }],
    ['openai', 'https://api.groq.com/openai/v1', { count: 5, chars: 3.5 * 1024 * 1024, crowd: Number.POSITIVE_INFINITY }],
    ['openai', 'https://api.openai.com.evil.example/v1', { count: 20, chars: 16 * 1024 * 1024, crowd: Number.POSITIVE_INFINITY }],
    ['openai', 'http://localhost:11434/v1', { count: 20, chars: 16 * 1024 * 1024, crowd: Number.POSITIVE_INFINITY }],
  ])('of the server of %s at %s', (provider, identity, expected) => {
    expect(pictureLimitsOf(connectionOf(provider, identity))).toEqual(expected);
  });

  test.each([
    'gpt-3.5-turbo',
    'gpt-4',
    'gpt-4-0613',
    'openai/gpt-oss-120b',
    'o3-mini',
    'o1-mini-2024-09-12',
    'claude-2.1',
    'deepseek-chat',
    'deepseek/deepseek-r1',
    'deepseek-v3.1',
    'moonshotai/kimi-k2-0905-preview',
    'kimi-k2',
    'qwen3-coder-plus',
    'qwen/qwen-2.5-coder-32b-instruct',
    'z-ai/glm-4.6',
    'glm-4.5-air',
    'codestral-latest',
    'meta-llama/Llama-3.3-70B-Instruct',
  ])('%s sees no pictures', (model) => {
    expect(isTextModel(model)).toBe(true);
  });

  test.each([
    'gpt-4o',
    'gpt-4-turbo',
    'gpt-4.1',
    'gpt-5.1-codex',
    'o3',
    'o4-mini',
    'o1',
    'claude-sonnet-4-20250514',
    'claude-3-5-haiku-latest',
    'deepseek-v4-flash',
    'deepseek-vl2',
    'kimi-k2.5',
    'qwen3-vl-plus',
    'glm-4.5v',
    'glm-4.6v',
    'meta-llama/llama-3.2-11b-vision-instruct',
    'meta-llama/llama-4-scout',
    'pixtral-large',
    'my-deployment',
    '',
  ])('%s may see them', (model) => {
    expect(isTextModel(model)).toBe(false);
  });
});

describe('the gate', () => {
  const request = requestOf([shown('AAAA'), { ...shown('BBBB'), toolCallId: 'c' }]);
  const texts = ({ messages }: ModelRequest) => messages.map(({ content }) => textOf(content));

  test('is closed for a model that sees none, and says so where there was something to see', () => {
    const gate = createPictureGate(connectionOf('openai', 'https://x/v1', 'gpt-3.5-turbo'));
    const line = 'see:[a picture; left out: this model sees none]';
    expect(texts(gate.admit(request))).toEqual([line, line]);
    expect(gate.notesOn(request)).toEqual(['Pictures were left out of what gpt-3.5-turbo was shown: this model sees none.']);
    expect(gate.notesOn(requestOf([shown()]))).toEqual([]);
  });

  test('is open for the others until it is closed; the same bytes go through it each time', () => {
    const gate = createPictureGate(connectionOf('anthropic', 'https://x', 'claude'));
    expect(gate.admit(request)).toEqual(request);
    expect(gate.notesOn(request)).toEqual([]);
    gate.close();
    expect(texts(gate.admit(request))[0]).toBe('see:[a picture; left out: refused by the model’s server]');
    expect(gate.notesOn(request)).toEqual(['Pictures were left out of what claude was shown: refused by the model’s server.']);
  });

  test('leaves a line where newer pictures take the room', () => {
    const gate = createPictureGate(connectionOf('openai', 'https://api.groq.com/v1'));
    const [first, , , , , last] = texts(gate.admit(requestOf(Array.from({ length: 6 }, () => shown('AAAA')))));
    expect([first, last]).toEqual([
      'see:[a picture; left out: newer ones take the room that a request has for pictures]',
      'see:',
    ]);
  });
});
