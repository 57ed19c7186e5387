// What keeps its name from run to run.
import { expect, test } from '@jest/globals';
import { decideGate } from '../../../src/github/event/decide-gate.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import type { GitHubEvent } from '../../../src/schema/github-event.ts';
import { dispatchEvent, factsWith, run, scheduleEvent, settingsWith } from './gate-fixtures.ts';

test('a schedule keeps its branch and session from run to run, other runs do not keep their branch', () => {
  const planIn = (event: GitHubEvent, id: number) => {
    const decision = decideGate(event, factsWith({ thread: null }), settingsWith({ prompt: 'Tidy.' }), { ...run, id });
    return (decision as { plan: RunPlan }).plan;
  };
  expect(planIn(scheduleEvent(), 1).branchName).toBe(planIn(scheduleEvent(), 2).branchName);
  expect(planIn(scheduleEvent(), 1).threadKey).toBe(planIn(scheduleEvent(), 2).threadKey);
  expect(planIn(dispatchEvent(), 1).branchName).not.toBe(planIn(dispatchEvent(), 2).branchName);
});
