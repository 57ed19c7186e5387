import { expect, test } from '@jest/globals';
import { argumentsOf } from '../../src/schema/message.ts';

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
