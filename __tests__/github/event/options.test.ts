// What the options of one comment may change of a plan, and what is said when they may not.
import { describe, expect, test } from '@jest/globals';
import { decideGate } from '../../../src/github/event/decide-gate.ts';
import type { GateSettings } from '../../../src/schema/settings.ts';
import { commentEvent, factsWith, noticeOf, outsider, run, settingsWith } from './gate-fixtures.ts';

const models = ['openai/gpt-5', 'anthropic/claude-sonnet', 'router/meta/llama'];

function decide(words: string, settings: Partial<GateSettings> = {}) {
  return decideGate(commentEvent(`@harness9 fix it ${words}`), factsWith(), settingsWith({ models, ...settings }), run);
}

function planOf(words: string, settings: Partial<GateSettings> = {}) {
  const decision = decide(words, settings);
  if (decision.kind === 'skip') throw new Error(decision.skip.detail);
  return decision.plan;
}

describe('the options of a comment', () => {
  test.each([
    ['--budget 2', 5, 2],
    ['--budget 9', 5, 5],
    ['--budget 9', null, 9],
    ['', 5, 5],
    ['', null, null],
  ])('%j under the ceiling %p spends at most %p', (words, maxCostUsd, expected) => {
    expect(planOf(words, { maxCostUsd }).limits.maxCostUsd).toBe(expected);
  });

  test.each([
    ['--model gpt-5', 'openai/gpt-5'],
    ['--model anthropic/claude-sonnet', 'anthropic/claude-sonnet'],
    ['--model meta/llama', 'router/meta/llama'],
    ['', null],
  ])('%j is the model %p of those that the workflow names', (words, model) => {
    expect(planOf(words).model).toBe(model);
  });

  test.each([
    ['--model gpt', /^`--model gpt` is not offered here; the workflow offers `openai\/gpt-5`, `anthropic\/claude-sonnet`, /],
    ['--model OPENAI/gpt-5', /^`--model OPENAI\/gpt-5` is not offered here/],
    [
      '--max-turns no',
      /^`--max-turns no` needs a whole number of model calls from 1, as in `--max-turns 20`\. Write an option in `code` /,
    ],
    ['--budget x --model gpt', /^`--budget x` needs US dollars.* `--model gpt` is not offered here/],
  ])('%j starts nothing, and one notice says why', (words, detail) => {
    expect(decide(words)).toEqual({
      kind: 'skip',
      skip: {
        version: 1,
        reason: 'bad_option',
        conclusion: 'denied',
        detail: expect.stringMatching(detail),
        notice: noticeOf(12),
      },
    });
  });

  test('where the workflow names no model, none is to be chosen', () => {
    expect(decide('--model gpt-5', { models: [] })).toMatchObject({
      skip: { reason: 'bad_option', detail: expect.stringContaining('names no model to choose from') },
    });
  });

  test('A1 who may not ask hears nothing of it', () => {
    const event = commentEvent('@harness9 fix it --model x', { sender: outsider });
    const decision = decideGate(event, factsWith({ requester: { kind: 'known', permission: 'read' } }), settingsWith(), run);
    expect(decision).toMatchObject({ skip: { reason: 'no_permission', notice: null } });
  });
});
