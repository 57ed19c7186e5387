import { describe, expect, test } from '@jest/globals';
import { makeBundle } from '../../src/action/make-bundle.ts';
import { decideGate } from '../../src/github/event/decide-gate.ts';
import type { RunPlan } from '../../src/schema/gate.ts';
import {
  commentEvent,
  factsWith,
  outsiderInThread,
  ownPullWith,
  run,
  settingsWith,
  threadWith,
} from '../github/event/gate-fixtures.ts';
import { bundleOf } from '../github/plan-and-bundle.ts';

function planOn(thread: Parameters<typeof threadWith>[0]): RunPlan {
  const decision = decideGate(commentEvent(), factsWith({ thread: threadWith(thread) }), settingsWith(), run);
  if (decision.kind !== 'run') throw new Error(decision.skip.detail);
  return decision.plan;
}

function noticesOf(plan: RunPlan): readonly string[] {
  const { result } = bundleOf(plan);
  const level = { level: 'process', launcher: [], notice: 'A weak sandbox.' } as const;
  const collected = { changes: [], leftOut: [] };
  const work = { result: { ...result, notes: ['Left open.'] }, session: null, tools: { level, commands: [] }, collected };
  return makeBundle(plan, { ...work, merge: null, found: { review: null, rerun: null }, notices: ['Still running.'] }).notices;
}

const others = ['Left open.', 'Still running.'];

describe('the notices of a run', () => {
  test('are those of sandbox, engine and place', () => {
    expect(noticesOf(planOn({}))).toEqual(['A weak sandbox.', ...others]);
  });

  test('say nothing of the sandbox of commands where none may be run', () => {
    expect(noticesOf({ ...planOn({}), bash: 'denied' })).toEqual(others);
  });

  test('say first why no command was run where outsiders wrote, and what would help', () => {
    expect(noticesOf(planOn({ authors: outsiderInThread }))).toEqual([
      'No commands were run here, since the thread holds text by eve, who may not write here. The input `context: writers` leaves such text out.',
      ...others,
    ]);
  });

  test('promise no help from an input that has none', () => {
    expect(noticesOf(planOn({ ownPull: ownPullWith({ trust: 'mixed' }) }))).toEqual([
      'No commands were run here, since #2 was written by a run about text by people who may not write here.',
      ...others,
    ]);
  });
});
