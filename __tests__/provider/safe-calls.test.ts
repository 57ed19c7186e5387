// What goes back of a call: whole characters and whole JSON, whatever the model wrote.
import { expect, test } from '@jest/globals';
import { safeArguments, safeId, safeName } from '../../src/provider/safe-calls.ts';

test.each([
  ['{"a": 1.0, "b":"\\u00e9"}', '{"a": 1.0, "b":"\\u00e9"}'],
  ['{"a":"\\ud83d\\udc4d"}', '{"a":"👍"}'],
  ['{"a":"x\\ud83d"}', '{"a":"x\ufffd"}'],
  ['{"\\udc4d":[{"\ud83d":"\ud83d"}]}', '{"\ufffd":[{"\ufffd":"\ufffd"}]}'],
  ['{"a":"cut', '{}'],
  ['["no object"]', '{}'],
  ['', '{}'],
  ['{ }', '{}'],
])('the arguments %j go back as %j, as a text and as an object (G2-31, G3-15)', (given, text) => {
  const safe = safeArguments({ arguments: given });
  expect(safe).toEqual({ text, input: JSON.parse(text) });
  expect(safe.text.isWellFormed()).toBe(true);
});

test.each([
  ['read_file', 'read_file'],
  ['functions.read file', 'functions_read_file'],
  ['é ü', '_'],
  ['', 'unnamed'],
  ['n'.repeat(100), 'n'.repeat(64)],
])('the name %j goes back as %j', (given, name) => {
  expect(safeName(given)).toBe(name);
});

test('an id that fits stays, any other becomes one of its own', () => {
  expect(safeId('functions.read:0')).toBe('functions.read:0');
  const others = ['é', 'x'.repeat(41), ''].map(safeId);
  for (const id of others) expect(id).toMatch(/^call_[0-9a-f]{24}$/);
  expect(new Set(others).size).toBe(3);
});
