// What a run cost, in the places where people and scripts look: reply, progress comment, summary, outputs.
import { describe, expect, test } from '@jest/globals';
import { nothingDelivered } from '../../../src/github/publish/delivery.ts';
import { outputsOf } from '../../../src/github/publish/outputs.ts';
import { renderEnding } from '../../../src/github/publish/render-ending.ts';
import { renderFooter } from '../../../src/github/publish/render-footer.ts';
import { reduceProgress, renderProgress, startProgress } from '../../../src/github/publish/render-progress.ts';
import { renderSummary } from '../../../src/github/publish/render-summary.ts';
import type { Bundle } from '../../../src/schema/bundle.ts';
import type { Cost } from '../../../src/schema/cost.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import type { EngineEvent } from '../../../src/schema/run.ts';
import { bundleOf, nothingPublished, plan } from '../plan-and-bundle.ts';

const delivery = nothingDelivered({ leftOut: [] });
const costing = (cost: Cost | undefined, more: Partial<Bundle['result']> = {}): Bundle => {
  const bundle = bundleOf(plan);
  return { ...bundle, result: { ...bundle.result, ...(cost === undefined ? {} : { cost }), ...more } };
};

describe.each<[string, Cost | undefined, { footer: string; summary: string | undefined; output: string }]>([
  ['known', { usd: 0.0601, unpricedModels: [] }, { footer: ' · $0.06', summary: '$0.06', output: '0.060100' }],
  ['nothing', { usd: 0, unpricedModels: [] }, { footer: '', summary: undefined, output: '0.000000' }],
  [
    'not known',
    { usd: 0, unpricedModels: ['gpt-nine'] },
    { footer: '', summary: 'not known, no price for gpt-nine', output: '' },
  ],
  [
    'known in part',
    { usd: 2, unpricedModels: ['gpt-nine'] },
    { footer: ' · more than $2.00', summary: 'more than $2.00, no price for gpt-nine', output: '' },
  ],
  ['nobody’s business', undefined, { footer: '', summary: undefined, output: '' }],
])('a cost that is %s', (_name, cost, expected) => {
  test('in the line under the reply', () => {
    const line = renderFooter(plan, costing(cost), { delivery, elapsedMs: 1000 });
    expect(line.endsWith(`tokens (82 % cached)${expected.footer}`)).toBe(true);
  });

  test('in the job summary', () => {
    const row = renderSummary(plan, costing(cost), nothingPublished)
      .split('\n')
      .find((line) => line.startsWith('| cost |'));
    expect(row).toBe(expected.summary === undefined ? undefined : `| cost | ${expected.summary} |`);
  });

  test('in the outputs', () => {
    expect(outputsOf(plan, costing(cost), nothingPublished).cost_usd).toBe(expected.output);
  });
});

describe('the progress comment', () => {
  const update = (turn: number, cost?: Cost): EngineEvent => {
    return { type: 'token_update', turn, data: { kind: 'estimated', tokens: 100, contextWindow: 1000, ...(cost && { cost }) } };
  };

  test('says what the run has cost so far', () => {
    const state = reduceProgress(startProgress, update(7, { usd: 0.04, unpricedModels: [] }));
    expect(renderProgress(state, { plan, elapsedMs: 72_000 }).split('\n').at(-1)).toBe(
      'Thinking… · turn 7 of 50 · 1 m 12 s · $0.04',
    );
  });

  test('has no news in what reads the same, and says nothing of what nobody knows', () => {
    const state = reduceProgress(startProgress, update(1, { usd: 0.041, unpricedModels: [] }));
    expect(reduceProgress(state, update(1, { usd: 0.0414, unpricedModels: [] }))).toBe(state);
    expect(reduceProgress(state, update(1))).toBe(state);
    const unknown = reduceProgress(startProgress, update(1, { usd: 0, unpricedModels: ['x'] }));
    expect(renderProgress(unknown, { plan, elapsedMs: 1000 }).split('\n').at(-1)).toBe('Thinking… · turn 1 of 50 · 1 s');
  });
});

describe('an end by a budget names the input that set it', () => {
  const limited: RunPlan = { ...plan, limits: { ...plan.limits, maxTokensTotal: 9000, maxCostUsd: 0.5 } };

  test.each([
    ['tokens', 'the budget of 9,000 tokens (max_tokens_total)'],
    ['usd', 'the budget of $0.50 (max_cost_usd)'],
  ] as const)('%s', (budget, words) => {
    const bundle = costing(undefined, { stopReason: 'budget', budget });
    expect(renderEnding(limited, bundle, delivery)).toContain(`**Stopped at ${words}.**`);
  });
});
