import { describe, expect, test } from '@jest/globals';
import { redactModel } from '../../src/compose/redacted-model.ts';
import type { LLMProvider } from '../../src/engine/ports.ts';
import { createRedactor } from '../../src/redact/redactor.ts';
import type { Message, Part } from '../../src/schema/message.ts';
import { textPart } from '../../src/schema/message.ts';

const secret = 'a-secret-of-the-run-0123';
const origin = { provider: 'anthropic', endpoint: 'h', model: 'm' };
const thinking = (value: string): Part => ({
  type: 'opaque',
  origin,
  kind: 'thinking',
  value: { thinking: value, signature: 's' },
});
const message: Message = {
  role: 'assistant',
  content: [thinking('harmless'), thinking(`it is ${secret}`), textPart(`The key is ${secret}.`)],
  toolCalls: [{ id: 'a', name: 'bash', arguments: JSON.stringify({ command: `echo ${secret}` }) }],
  finishDetail: `The key is ${secret}.`,
};
const provider: LLMProvider = {
  generate: async () => ({ message, usage: undefined }),
  async *generateStream() {
    yield { type: 'done', message, usage: undefined };
  },
};
const redacted: Message = {
  role: 'assistant',
  content: [textPart('The key is ***.')],
  toolCalls: [{ id: 'a', name: 'bash', arguments: '{"command":"echo ***"}' }],
  finishDetail: 'The key is ***.',
};
const request = { messages: [], tools: [], toolChoice: 'auto', tailStart: 0 } as const;
const context = { signal: new AbortController().signal, run: {} };

describe('a redacted model', () => {
  const model = redactModel(provider, createRedactor([secret]));

  test('has no registered secret in texts and arguments, and of an answer with one in its thinking no thinking is left', async () => {
    expect(await model.generate(request, context)).toEqual({ message: redacted, usage: undefined });
  });

  test('leaves thinking without one as it is', async () => {
    const harmless: Message = { role: 'assistant', content: [thinking('harmless'), textPart('Hello')] };
    const other = redactModel(
      { ...provider, generate: async () => ({ message: harmless, usage: undefined }) },
      createRedactor([secret]),
    );
    expect(await other.generate(request, context)).toEqual({ message: harmless, usage: undefined });
  });

  test('streams the same message', async () => {
    const chunks = [];
    for await (const chunk of model.generateStream(request, context)) chunks.push(chunk);
    expect(chunks).toEqual([{ type: 'done', message: redacted, usage: undefined }]);
  });
});
