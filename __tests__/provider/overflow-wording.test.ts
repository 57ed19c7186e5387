import { expect, test } from '@jest/globals';
import { isOverflow } from '../../src/provider/overflow-wording.ts';

test.each([
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  'Your input exceeds the context window of this model. Please adjust your input and try again.',
  "the request exceeds the model's maximum context",
  'the request exceeds the available context size, try increasing it',
  'Requested tokens (9000) exceed context window of 8192',
  'prompt is too long: 210000 tokens > 200000 maximum',
  'input length and `max_tokens` exceed context limit: input length 190000 exceeds 200000',
])('G2-20 a refusal for length is known by its words: %s', (words) => {
  for (const status of [400, 413, 422, 500, undefined]) expect(isOverflow(status, words)).toBe(true);
  for (const status of [401, 404, 429, 503, 529]) expect(isOverflow(status, words)).toBe(false);
});

test.each(['rate limit exceeded for the context of this organisation', 'max_tokens exceeds the limit of the model', 'weird'])(
  'other refusals are none: %s',
  (words) => {
    expect(isOverflow(400, words)).toBe(false);
  },
);
