// Whether checks start on what we push is a matter of the account, never of the event that started the run.
import { expect, test } from '@jest/globals';
import { renderCiNote, renderPullRequestBody } from '../../../src/github/publish/render-pull-request.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { bundleOf, plan } from '../plan-and-bundle.ts';

const bodyBy = (self: RunPlan['self'], changes: Partial<RunPlan> = {}) => {
  const of = { ...plan, self, ...changes };
  return renderPullRequestBody(of, bundleOf(of), { leftOut: [], notes: [] });
};

test.each([
  ['a person', 'mona'],
  ['an app', 'fixer[bot]'],
])('G1-32 by the token of %s checks start, and nothing is said', (_who, login) => {
  const self = { login, id: 5 };
  expect(renderCiNote({ self })).toBe('');
  expect(bodyBy(self)).not.toContain('Checks');
});

test.each<[string, Partial<RunPlan>]>([
  ['a comment', {}],
  ['a failed check', { mode: 'fix', trigger: { ...plan.trigger, kind: 'failure', target: null } }],
  ['a schedule', { trigger: { ...plan.trigger, kind: 'prompt', target: null }, thread: null }],
])(
  'G1-32 by the workflow’s own token they do not, after %s; the note names what to close, and every way out',
  (_what, changes) => {
    const body = bodyBy({ login: 'github-actions[bot]', id: 900 }, changes);
    for (const words of ['Close and reopen', '`app_id`', '`app_private_key`', '`github_token`']) expect(body).toContain(words);
  },
);
