import { describe, expect, test } from '@jest/globals';
import { validateBundle } from '../../../src/github/change/validate-bundle.ts';
import type { Review, ReviewComment } from '../../../src/schema/bundle.ts';
import { bundleOf, plan } from '../plan-and-bundle.ts';

const remark: ReviewComment = {
  path: 'a.ts',
  side: 'RIGHT',
  startLine: null,
  line: 3,
  body: 'Why?',
  suggestion: null,
  code: 'x',
};
const scan = (text: string) => ({ exact: text.includes('hunter2'), pattern: null });

function codeOf(review: Partial<Review>, more: Partial<typeof plan> = {}): string | null {
  const of = { ...plan, mode: 'review' as const, ...more };
  const made = bundleOf(of, { changes: [], review: { verdict: 'comment', comments: [remark], ...review } });
  const validated = validateBundle(of, made, scan);
  return validated.kind === 'refusal' ? validated.code : null;
}

describe('a review in a bundle', () => {
  test('is let through where the plan asks for one', () => {
    expect(codeOf({})).toBeNull();
    expect(codeOf({}, { mode: 'act' })).toBe('plan_mismatch');
  });

  test('has a verdict only where the workflow lets it', () => {
    expect(codeOf({ verdict: 'approve' })).toBe('plan_mismatch');
    expect(codeOf({ verdict: 'request_changes' })).toBe('plan_mismatch');
    expect(codeOf({ verdict: 'approve' }, { mayApprove: true })).toBeNull();
  });

  test.each([
    ['a path out of the repository', { path: '../x' }, 'path'],
    ['lines the wrong way round', { startLine: 3 }, 'schema'],
    ['a suggestion for what is gone', { side: 'LEFT', suggestion: 'x' }, 'schema'],
    ['nothing to say', { body: ' ' }, 'schema'],
    ['more than GitHub takes', { body: 'x'.repeat(50_000) }, 'size'],
    ['a secret that would be committed at a click', { suggestion: 'key = hunter2' }, 'secret'],
  ] as const)('is refused with %s', (_name, more, code) => {
    expect(codeOf({ comments: [{ ...remark, ...more }] })).toBe(code);
  });

  test('is refused with more comments than anybody reads', () => {
    expect(codeOf({ comments: Array.from({ length: 51 }, () => remark) })).toBe('size');
  });

  test('jobs run again for a failed check only', () => {
    const validated = validateBundle(plan, bundleOf(plan, { rerun: { reason: 'x' } }), scan);
    expect(validated).toMatchObject({ kind: 'refusal', code: 'plan_mismatch' });
  });
});
