// Final answers and mere intents in nine languages: none of the first is ever asked about, each of the second once.
import { describe, expect, test } from '@jest/globals';
import { noStreaks, readAnswer } from '../../src/engine/answer.ts';
import type { ToolDefinition } from '../../src/schema/message.ts';
import { answers, intents } from './last-words.ts';
import { modes, setScene } from './scene.ts';
import { says } from './scripted-model.ts';

const tool = (name: string, effect: ToolDefinition['effect']): ToolDefinition => ({
  name,
  description: name,
  inputSchema: {},
  place: 'host',
  effect,
});
const reads = tool('read_file', 'read');
const all = [tool('bash', 'execute'), tool('edit_file', 'write'), reads];

const kindOf = (text: string, offered: readonly ToolDefinition[]): string =>
  readAnswer(says(text), undefined, noStreaks, { tools: all, offered }).kind;
const rowsOf = (texts: typeof answers): [string, string][] =>
  Object.entries(texts).flatMap(([language, some]) => some.map((text): [string, string] => [language, text]));

describe('G6-03', () => {
  test.each(rowsOf(answers))('in %s this is an answer: %j', (_language, text) => {
    expect([kindOf(text, all), kindOf(`${text}\n`, all), kindOf(text, [reads])]).toEqual(['final', 'final', 'final']);
  });

  test.each(rowsOf(intents))('in %s this is none: %j', (_language, text) => {
    expect([kindOf(text, all), kindOf(`Okay.\n\n${text}`, all), kindOf(text, [])]).toEqual(['again', 'again', 'final']);
  });
});

describe.each(modes)('%s', (mode) => {
  test.each([
    ['a plan, where nothing can be changed', "I'll add the locale to the cache key and update its test.", ['completed', 1]],
    ['an intent to look, where looking is possible', 'Let me look at the tests first.', ['completed', 2]],
  ])('in plan mode it is %s', async (_name, text, expected) => {
    const { play } = setScene(mode, [{ answer: says(text) }, { answer: says('1. Change a.ts.') }], { planMode: 'plan' });
    const { stopReason, turns } = await play();
    expect([stopReason, turns]).toEqual(expected);
  });
});
