import { expect, test } from '@jest/globals';
import { argumentsOf, isComment, messageFromRun, messageSchema, textOf, textPart } from '../../src/schema/message.ts';

test.each<[string, unknown]>([
  ['{"command":"ls"}', { command: 'ls' }],
  ['{}', {}],
  ['', undefined],
  ['{"command":', undefined],
  ['null', undefined],
  ['[1]', undefined],
  ['"ls"', undefined],
])('the arguments %j of a call are %j', (text, expected) => {
  expect(argumentsOf({ arguments: text })).toEqual(expected);
});

test('what the run says itself is no comment of the user, also when it was stored and read again; its texts stand apart', () => {
  const own = messageFromRun('one', 'two');
  expect(textOf(own.content)).toBe('one\n\ntwo');
  expect([own, messageSchema.parse(JSON.parse(JSON.stringify(own)))].map(isComment)).toEqual([false, false]);
  expect(isComment({ role: 'user', content: [textPart('one')] })).toBe(true);
});
