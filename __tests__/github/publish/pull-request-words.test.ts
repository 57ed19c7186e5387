// The words of a pull request's body about where it comes from and why it is not finished.
import { describe, expect, test } from '@jest/globals';
import { renderPullRequestBody } from '../../../src/github/publish/render-pull-request.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import type { RunResult } from '../../../src/schema/run.ts';
import { bundleOf, plan } from '../plan-and-bundle.ts';

const bodyOf = (of: RunPlan, result: Partial<RunResult> = {}) => {
  const bundle = bundleOf(of);
  return renderPullRequestBody(of, { ...bundle, result: { ...bundle.result, ...result } }, { leftOut: [], notes: [] });
};
const scheduled: RunPlan = { ...plan, event: { kind: 'schedule', action: '' }, thread: null, channel: null };

describe('where a pull request comes from', () => {
  test.each<readonly [string, RunPlan, string]>([
    ['a comment', plan, 'Requested by @mona in #12 · [run]'],
    ['a dispatch', { ...scheduled, event: { kind: 'workflow_dispatch', action: '' } }, 'Requested by @mona · [run]'],
    ['a schedule, which calls nobody', scheduled, 'On the schedule of `.github/workflows/harness9.yml` · [run]'],
  ])('%s', (_what, of, words) => {
    expect(bodyOf(of)).toContain(`\n${words}(${of.run.url})`);
    expect(bodyOf(of).includes('@mona')).toBe(of.event.kind !== 'schedule');
  });
});

describe('what is not finished', () => {
  test.each<readonly [RunResult['stopReason'], string]>([
    ['max_turns', 'at its limit of turns'],
    ['timeout', 'at its time limit'],
    ['budget', 'at its budget'],
    ['repetition', 'because it repeated itself'],
    ['cancelled', 'when it was cancelled'],
    ['error', 'on a fault'],
  ])('by %s says so in words, and how to go on', (stopReason, words) => {
    const line = `**Not finished**: the run stopped ${words}.`;
    expect(bodyOf(plan, { stopReason })).toContain(`\n${line} To go on, comment \`@harness9 continue\` in #12.\n`);
    expect(bodyOf(scheduled, { stopReason })).toContain(`\n${line}\n`);
  });

  test.each(['PROVIDER_AUTH', 'MODEL_REFUSED'])('by %s is not gone on with by a comment', (code) => {
    const body = bodyOf(plan, { stopReason: 'error', error: { code, message: 'no' } });
    expect(body).toContain('**Not finished**: the run stopped on a fault.\n');
    expect(body).not.toContain('To go on');
  });
});
