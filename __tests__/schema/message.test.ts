import { expect, test } from '@jest/globals';
import { argumentsOf, isComment, messageSchema, noticeOf, textOf, textPart } from '../../src/schema/message.ts';

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

test('a notice is no comment of the user, also when it was stored and read again; its texts stand apart', () => {
  const notice = noticeOf('one', 'two');
  expect(textOf(notice.content)).toBe('one\n\ntwo');
  expect([notice, messageSchema.parse(JSON.parse(JSON.stringify(notice)))].map(isComment)).toEqual([false, false]);
  expect(isComment({ role: 'user', content: [textPart('one')] })).toBe(true);
});
