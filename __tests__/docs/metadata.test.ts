// action.yml says what the parser takes and what the outputs hold: where a description lists values, these are all of them.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { parseInputs } from '../../src/action/inputs.ts';
import { messageOf } from '../../src/schema/error.ts';
import { trustSchema } from '../../src/schema/gate.ts';
import { conclusionSchema, outcomeSchema } from '../../src/schema/outcome.ts';

const described = z.record(z.string(), z.object({ description: z.string(), default: z.string().optional() }));
const action = z
  .object({ inputs: described, outputs: described })
  .parse(parse(readFileSync(path.join(import.meta.dirname, '../../action.yml'), 'utf8')));

/** What the parser says that it takes where it is given nonsense; null for an input that takes more than a few words. */
function choicesOf(input: string): readonly string[] | null {
  try {
    parseInputs({ INPUT_GITHUB_TOKEN: 'ghs_token', [`INPUT_${input.toUpperCase()}`]: 'no such word' });
  } catch (error) {
    const [, list] = new RegExp(`input \`${input}\`: "no such word", expected one of (.*)`).exec(messageOf(error)) ?? [];
    return list?.split(', ') ?? null;
  }
  return null;
}

function inBackticks(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
}

const withChoices = Object.keys(action.inputs).flatMap((input) => {
  const choices = choicesOf(input);
  return choices === null ? [] : [{ input, choices }];
});

describe('an input that takes one of a few words', () => {
  test('is found', () => {
    expect(withChoices.length).toBeGreaterThan(12);
  });

  test.each(withChoices)('$input lists them all, and no other', ({ input, choices }) => {
    const { description = '', default: fallback = '' } = action.inputs[input] ?? {};
    if (fallback !== '') expect(choices).toContain(fallback);
    // Yes or no needs no list.
    if (choices.includes('true')) return;
    const listed = new Set(inBackticks(description).filter((word) => !Object.hasOwn(action.inputs, word)));
    expect([...listed].toSorted()).toEqual(choices.toSorted());
  });
});

test.each([
  ['conclusion', conclusionSchema.options],
  ['trust', trustSchema.options],
  ['pull_request_operation', outcomeSchema.shape.pullRequest.unwrap().shape.operation.options],
] as const)('the output %s lists all that it may hold, and no other', (output, values) => {
  expect(inBackticks(action.outputs[output]?.description ?? '').toSorted()).toEqual([...values].toSorted());
});
