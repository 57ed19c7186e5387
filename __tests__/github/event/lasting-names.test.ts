// What keeps its name from run to run.
import { expect, test } from '@jest/globals';
import { decideGate } from '../../../src/github/event/decide-gate.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import type { GitHubEvent } from '../../../src/schema/github-event.ts';
import { dispatchEvent, factsWith, run, scheduleEvent, settingsWith } from './gate-fixtures.ts';

function planIn(event: GitHubEvent, id: number, identity = run): RunPlan {
  const decision = decideGate(event, factsWith({ thread: null }), settingsWith({ prompt: 'Tidy.' }), { ...identity, id });
  return (decision as { plan: RunPlan }).plan;
}

test('a schedule keeps its branch and session from run to run, other runs do not keep their branch', () => {
  expect(planIn(scheduleEvent(), 1).branchName).toBe(planIn(scheduleEvent(), 2).branchName);
  expect(planIn(scheduleEvent(), 1).threadKey).toBe(planIn(scheduleEvent(), 2).threadKey);
  expect(planIn(dispatchEvent(), 1).branchName).not.toBe(planIn(dispatchEvent(), 2).branchName);
});

test('a workflow that a person starts with nothing filled in has the branch of its schedule; with a task of their own it has its own', () => {
  const bare = dispatchEvent(undefined, false);
  expect(planIn(bare, 1).branchName).toBe(planIn(scheduleEvent(), 2).branchName);
  expect(planIn(bare, 1).threadKey).toBe(planIn(scheduleEvent(), 2).threadKey);
  const elsewhere = { ...run, ref: 'refs/heads/topic' };
  expect(planIn(bare, 1, elsewhere).branchName).not.toBe(planIn(bare, 1).branchName);
  expect(planIn(dispatchEvent(), 1).branchName).not.toBe(planIn(bare, 1).branchName);
});
