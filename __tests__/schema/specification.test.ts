// The specification's rows on the shape of a message: what is one, what is none, and that nothing is lost on the way through JSON.
import { describe, expect, test } from '@jest/globals';
import { messageSchema, toolCallSchema, toolResultSchema } from '../../src/schema/message.ts';

const call = { id: 'call_1', name: 'bash', arguments: '{"command": "ls"' };
const content = [{ type: 'text', text: 'Hello' }];

describe('a message', () => {
  test.each(['system', 'user', 'assistant'])('[spec 3.2 Message.Role] may be by the %s', (role) => {
    expect(messageSchema.parse({ role, content })).toEqual({ role, content });
  });

  test.each([undefined, null, '', 'tool', 'User', 1])('[spec 3.2 Message.Role] is none by %p', (role) => {
    expect(messageSchema.safeParse({ role, content }).success).toBe(false);
  });

  test.each([[[]], [content], [[...content, { type: 'image', mediaType: 'image/png', data: 'AAAA' }]]])(
    '[spec 3.2 Message.Content] may say %j',
    (said) => {
      expect(messageSchema.parse({ role: 'user', content: said })).toEqual({ role: 'user', content: said });
    },
  );

  test.each([[undefined], ['Hello'], [[{ type: 'text' }]], [[{ type: 'audio', text: 'x' }]], [[null]]])(
    '[spec 3.2 Message.Content] cannot say %j',
    (said) => {
      expect(messageSchema.safeParse({ role: 'user', content: said }).success).toBe(false);
    },
  );

  test('[spec 3.2 Message.ToolCalls] [spec 3.2 Message.ToolCallID] keeps its calls, or the call that it answers, through JSON', () => {
    for (const message of [
      { role: 'assistant', content: [], toolCalls: [call, { ...call, id: 'call_2' }], finishReason: 'tool_calls' },
      { role: 'user', content, toolCallId: 'call_1', isError: true },
    ]) {
      expect(messageSchema.parse(JSON.parse(JSON.stringify(message)))).toStrictEqual(message);
    }
  });
});

describe.each([
  ['a call', toolCallSchema, call],
  ['a result', toolResultSchema, { toolCallId: 'call_1', output: content, isError: false }],
])(
  '[spec 3.2 ToolCall.ID] [spec 3.2 ToolCall.Name] [spec 3.2 ToolCall.Arguments] [spec 3.2 ToolResult.ToolCallID] [spec 3.2 ToolResult.Output] [spec 3.2 ToolResult.IsError] %s',
  (_, schema, whole) => {
    test('comes through JSON to the letter, arguments that are no JSON included', () => {
      expect(schema.parse(JSON.parse(JSON.stringify(whole)))).toStrictEqual(whole);
    });

    test.each(Object.keys(whole))('is none without its %s', (field) => {
      expect(schema.safeParse({ ...whole, [field]: undefined }).success).toBe(false);
    });
  },
);
