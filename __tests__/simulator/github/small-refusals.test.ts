import { describe, expect, test } from '@jest/globals';
import { BOT, withGitHub } from './world.ts';

const ALL = {
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  actions: 'write',
  checks: 'write',
  statuses: 'write',
} as const;
const NO_SHA = 'f'.repeat(40);

type Row = readonly [what: string, method: string, path: string, body: unknown, status: number, message: string];

// In the scene of the test below: #1 is an issue with the label `bug`, #2 a pull request by the bot from `fix`.
const ROWS: readonly Row[] = [
  ['a title of 257 characters', 'POST', '/issues', { title: 'x'.repeat(257) }, 422, 'Validation Failed'],
  ['an issue without a title', 'POST', '/issues', {}, 422, 'Invalid request.\n\n"title" wasn\'t supplied.'],
  [
    'a body of another type',
    'POST',
    '/issues/1/comments',
    { body: 5 },
    422,
    "Invalid request.\n\nFor 'properties/body', 5 is not a string.",
  ],
  ['a label that is there', 'POST', '/labels', { name: 'BUG' }, 422, 'Validation Failed'],
  ['a label that is nowhere', 'GET', '/labels/none', undefined, 404, 'Not Found'],
  ['taking off a label that is not on', 'DELETE', '/issues/1/labels/none', undefined, 404, 'Not Found'],
  ['a reaction that is none', 'POST', '/issues/1/reactions', { content: 'wave' }, 422, 'Invalid request.'],
  ['a reaction without content', 'POST', '/issues/1/reactions', {}, 422, 'Validation Failed'],
  ['taking back no reaction', 'DELETE', '/issues/1/reactions/7', undefined, 404, 'Not Found'],
  ['a number that is none', 'GET', '/issues/one', undefined, 404, 'Not Found'],
  ['an issue as a pull request', 'GET', '/pulls/1', undefined, 404, 'Not Found'],
  [
    'a ref outside of refs/',
    'POST',
    '/git/refs',
    { ref: 'heads/x', sha: NO_SHA },
    422,
    "Reference name must start with 'refs/heads/'",
  ],
  [
    'a pull request ref',
    'POST',
    '/git/refs',
    { ref: 'refs/pull/9/head', sha: NO_SHA },
    422,
    "Reference name must start with 'refs/heads/'",
  ],
  ['deleting no ref', 'DELETE', '/git/refs/heads/none', undefined, 422, 'Reference does not exist'],
  ['deleting a pull request’s ref', 'DELETE', '/git/refs/pull/2/head', undefined, 422, 'Reference does not exist'],
  ['deleting the default branch', 'DELETE', '/git/refs/heads/main', undefined, 422, 'Cannot delete the default branch'],
  ['a tree of nothing', 'POST', '/git/trees', { tree: [] }, 422, 'Invalid tree info'],
  ['a base tree that is not there', 'POST', '/git/trees', { base_tree: NO_SHA, tree: [{ path: 'a' }] }, 404, 'Not Found'],
  ['a base that is not there', 'PATCH', '/pulls/2', { base: 'none' }, 422, 'Validation Failed'],
  ['a state that is none', 'PATCH', '/pulls/2', { state: 'merged' }, 422, 'Invalid request.'],
  ['the author as reviewer', 'POST', '/pulls/2/requested_reviewers', { reviewers: [BOT] }, 422, 'Review'],
  ['a team as reviewer', 'POST', '/pulls/2/requested_reviewers', { team_reviewers: ['x'] }, 422, 'Could not resolve'],
  ['a reply to no comment', 'POST', '/pulls/2/comments/7/replies', { body: 'x' }, 404, 'Not Found'],
  [
    'a comment on a file that is not in the diff',
    'POST',
    '/pulls/2/comments',
    remark({ path: 'README.md' }),
    422,
    'Validation Failed',
  ],
  ['a comment on a line that is not in the diff', 'POST', '/pulls/2/comments', remark({ line: 50 }), 422, 'Validation Failed'],
  ['a review without a text', 'POST', '/pulls/2/reviews', { event: 'COMMENT' }, 422, 'Unprocessable Entity'],
  [
    'changes asked for of oneself',
    'POST',
    '/pulls/2/reviews',
    { event: 'REQUEST_CHANGES', body: 'x' },
    422,
    'Unprocessable Entity',
  ],
  ['a check of no commit', 'POST', '/check-runs', { name: 'x', head_sha: NO_SHA }, 422, `No commit found for SHA: ${NO_SHA}`],
  ['a status without a state', 'POST', '/statuses/main', {}, 422, 'Validation Failed'],
  ['no run', 'GET', '/actions/runs/7', undefined, 404, 'Not Found'],
  ['the artifacts of no run', 'GET', '/actions/runs/7/artifacts', undefined, 404, 'Not Found'],
  ['no workflow', 'GET', '/actions/workflows/none.yml', undefined, 404, 'Not Found'],
  ['an event without a type', 'POST', '/dispatches', {}, 422, 'Invalid request.'],
  ['the installation without an app', 'GET', '/installation', undefined, 401, 'A JSON web token could not be decoded'],
];

function remark(change: { path?: string; line?: number }) {
  return { body: 'x', commit_id: NO_SHA, path: 'src/cart.ts', line: 1, ...change };
}

describe('GitHub refuses', () => {
  test.each(ROWS)('%s', (...row) =>
    withGitHub({}, async (github, repo) => {
      const [, method, path, body, status, message] = row;
      github.openIssue({ author: 'bob', title: 'x', labels: ['bug'] });
      await github.openPull({ author: BOT, head: 'fix', title: 'Fix', files: { 'src/cart.ts': 'export const total = 2;\n' } });
      const before = github.snapshot();
      const answer = await fetch(`${github.apiUrl}/repos/${repo.owner}/${repo.repo}${path}`, {
        method,
        headers: { authorization: `Bearer ${github.issueToken(BOT, ALL)}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      expect([answer.status, JSON.parse(await answer.text()).message]).toEqual([status, expect.stringContaining(message)]);
      expect(github.snapshot()).toEqual(before);
    }),
  );
});
