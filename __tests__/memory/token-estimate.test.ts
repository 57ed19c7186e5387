// The estimate against what tokenizers are known to make of such texts; exact numbers are pinned only where the rule is ours.
import { describe, expect, test } from '@jest/globals';
import { estimateText, estimateTokens } from '../../src/memory/token-estimate.ts';
import { type Message, type ToolDefinition, textPart } from '../../src/schema/message.ts';

const user = (text: string): Message => ({ role: 'user', content: [textPart(text)] });
const tool: ToolDefinition = {
  name: 'bash',
  description: 'Runs a command.',
  inputSchema: { type: 'object', properties: { command: { type: 'string' } } },
  place: 'host',
  effect: 'execute',
};

describe('estimateTokens', () => {
  test.each([
    ['', 0],
    ['abcdefgh', 2],
    ['我今天想去北京', 7],
    ['こんにちは', 5],
    ['안녕하세요', 5],
    ['，。', 2],
    ['Привет', 3],
    ['我 fix', 2],
  ])('%j is %d tokens', (text, tokens) => {
    expect(estimateText(text)).toBe(tokens);
  });

  test('a Chinese history is not taken for a fourth of its size', () => {
    expect(estimateTokens([user('修'.repeat(1000))], [])).toBe(1004);
    expect(estimateTokens([user('a'.repeat(1000))], [])).toBe(254);
  });

  test('counts calls, their arguments and the schemas of the tools', () => {
    const call: Message = { role: 'assistant', content: [], toolCalls: [{ id: 'c', name: 'bash', arguments: 'x'.repeat(400) }] };
    expect(estimateTokens([call], [])).toBe(4 + 8 + 1 + 100);
    expect(estimateTokens([], [tool])).toBe(Math.ceil(8 + 1 + 15 / 4 + JSON.stringify(tool.inputSchema).length / 4));
  });

  test('a picture costs the same whatever its bytes', () => {
    const image = (bytes: number): Message => ({
      role: 'user',
      content: [{ type: 'image', mediaType: 'image/png', data: 'A'.repeat(bytes) }],
    });
    expect(estimateTokens([image(10)], [])).toBe(estimateTokens([image(4_000_000)], []));
  });

  test('an opaque block counts by its value', () => {
    const origin = { provider: 'p', endpoint: 'e', model: 'm' };
    const message: Message = {
      role: 'assistant',
      content: [{ type: 'opaque', origin, kind: 'thinking', value: 'x'.repeat(398) }],
    };
    expect(estimateTokens([message], [])).toBe(104);
  });
});
