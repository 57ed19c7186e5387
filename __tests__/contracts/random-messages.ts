// Messages with everything that a message can have, the same in every run of a test.
import type { Message, Origin, Part } from '../../src/schema/message.ts';
import { finishReasonSchema } from '../../src/schema/message.ts';
import type { Random } from '../tools/random.ts';

/** Pieces that file formats, databases and terminals stumble over. */
const pieces = [
  ...['word', ' ', '\n', '\r\n', '\t', '\0', '\u001b[31m', '\u2028', '\ufeff', '"', '\\', "'", '%', '_', '{"a":1}'],
  ...['修复登录', 'größer', '한국어', 'שלום', '👩‍👩‍👧', 'e\u0301', '\ud83d', '\udc4d', '\uffff', '<script>', '-- ', '*'],
] as const;

const origin: Origin = { provider: 'anthropic', endpoint: 'https://api.example/v1', model: 'm-1' };

export function randomText(random: Random): string {
  return Array.from({ length: random.below(8) }, () => random.pick(pieces)).join('');
}

/** One of any kind that is stored. */
export function randomMessage(random: Random): Message {
  const content = Array.from({ length: random.below(4) }, () => randomPart(random));
  switch (random.below(3)) {
    case 0:
      return { role: 'user', content };
    case 1:
      return { role: 'user', content, toolCallId: `call_${random.below(9)}`, isError: random.below(2) === 0 };
    default:
      return {
        role: 'assistant',
        content,
        toolCalls: Array.from({ length: random.below(3) }, () => ({
          id: randomText(random),
          name: 'bash',
          arguments: randomText(random),
        })),
        finishReason: random.pick(finishReasonSchema.options),
        origin,
        usage: { inputTokens: random.below(1e6), outputTokens: 0.5, cacheReadTokens: 0, cacheWriteTokens: 1, reasoningTokens: 2 },
      };
  }
}

function randomPart(random: Random): Part {
  switch (random.below(3)) {
    case 0:
      return { type: 'text', text: randomText(random) };
    case 1:
      return { type: 'image', mediaType: 'image/png', data: Buffer.from(randomText(random)).toString('base64') };
    default:
      // Not in the order of the alphabet: a vendor's block goes back as it came.
      return {
        type: 'opaque',
        origin,
        kind: 'thinking',
        value: { type: 'thinking', signature: randomText(random), a: [null, { z: 1, b: true }] },
      };
  }
}
