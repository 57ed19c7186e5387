import { describe, expect, test } from '@jest/globals';
import { previewOf } from '../../../src/github/publish/preview.ts';
import type { Bundle } from '../../../src/schema/bundle.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { bundleOf, headSha, plan as planOfIssue } from '../plan-and-bundle.ts';

const dry: RunPlan = { ...planOfIssue, dryRun: true, comment: 'none' };
const fix: RunPlan = {
  ...dry,
  mode: 'fix',
  delivery: 'push_to_head',
  failedCheck: { kind: 'workflow_run', id: 5, attempt: 1, name: 'CI', headSha, passedBefore: false, base: 'passed' },
};
const preview = (plan: RunPlan, more: Partial<Bundle>) =>
  previewOf(plan, bundleOf(plan, more), 60_000, (text) => text.replaceAll('hunter2-hunter2', '***'));

describe('a dry run shows', () => {
  test('what a review found, each finding with its place, and no secret', () => {
    const finding = { side: 'RIGHT', startLine: null, suggestion: null, code: '' } as const;
    const comments = [
      { ...finding, path: 'src/cart.ts', line: 3, body: 'Rounds down.', suggestion: 'up();' },
      { ...finding, path: 'src/tax.ts', line: 9, startLine: 7, body: 'Prints hunter2-hunter2.' },
    ];
    const plan: RunPlan = { ...dry, mode: 'review', delivery: 'reply' };
    const shown = preview(plan, { changes: [], reply: 'Two things.', review: { verdict: 'comment', comments } });
    expect(shown.conclusion).toBe('success');
    expect(shown.preview?.push).toBeNull();
    expect(shown.preview?.reply).toContain('Two things.');
    expect(shown.preview?.reply).toContain(
      '#### Findings, each for its line\n\n**`src/cart.ts`, line 3**\n\nRounds down.\n\nInstead:\n\n```\nup();\n```\n\n**`src/tax.ts`, lines 7–9**\n\nPrints ***.',
    );
  });

  test('that a review found nothing is a review all the same', () => {
    const plan: RunPlan = { ...dry, mode: 'review', delivery: 'reply' };
    const shown = preview(plan, { changes: [], reply: 'All well.', review: { verdict: 'comment', comments: [] } });
    expect(shown.conclusion).toBe('success');
    expect(shown.preview?.reply).not.toContain('Findings');
  });

  test('that jobs would run again, and not beside a change', () => {
    const rerun = { reason: 'the registry did not answer.' };
    const shown = preview(fix, { changes: [], rerun });
    expect(shown.conclusion).toBe('success');
    expect(shown.preview?.reply).toContain('> The failed jobs would run again: the registry did not answer.');
    expect(preview(fix, { rerun }).preview?.reply).not.toContain('would run again');
  });

  test('that a change which is not shown to mend the check would not be pushed', () => {
    const { result } = bundleOf(fix);
    const failed = { ...result, error: { code: 'VERIFY_FAILED', message: 'npm test still fails' } };
    expect(preview(fix, { result: failed }).preview?.push).toBeNull();
    expect(preview(fix, { result: failed }).preview?.reply).toContain('<summary>The diff (');
    expect(preview(fix, {}).preview?.push).toEqual({ branch: fix.branchName, pullRequest: null });
  });
});
