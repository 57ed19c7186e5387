import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormatsModule from 'ajv-formats';
import type { SimulatedGitHub } from '../../../src/simulator/github/contract.ts';
import type { PayloadRefs } from '../../../src/simulator/github/payloads.ts';
import { clientFor, withGitHub } from './world.ts';

const schema = JSON.parse(readFileSync(createRequire(import.meta.url).resolve('@octokit/webhooks-schemas/schema.json'), 'utf8'));
const ajv = new Ajv({ strict: false, validateSchema: false });
addFormatsModule.default(ajv);
// Without the root, which is a choice of all events: it alone takes seconds to compile.
ajv.addSchema({ definitions: schema.definitions }, 'webhooks');

/** What is wrong with a payload; empty when it is as the schema says. GitHub’s discussions have labels since the schema was written. */
function problemsOf(definition: string, payload: unknown): readonly string[] {
  const validate = ajv.compile({ $ref: `webhooks#/definitions/${definition.replace('$', '%24')}` });
  if (validate(payload)) return [];
  const errors = (validate.errors ?? []).filter(
    ({ instancePath, params }) => instancePath !== '/discussion' || params.additionalProperty !== 'labels',
  );
  return errors.map((error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`);
}

async function scene(github: SimulatedGitHub) {
  github.addUser('alice', { permission: 'write' });
  const issue = github.openIssue({ author: 'bob', title: 'Rounding', body: 'It is off.', labels: ['harness9'] });
  github.assign({ issue: issue.number, login: 'alice', by: 'alice' });
  const comment = github.comment({ author: 'alice', issue: issue.number, body: '@harness9 fix' });
  const pull = await github.openPull({
    author: 'alice',
    head: 'fix',
    title: 'Fix',
    files: { 'src/cart.ts': 'export const total = 2;\n' },
  });
  const remark = await github.reviewComment({
    author: 'alice',
    pull: pull.number,
    path: 'src/cart.ts',
    line: 1,
    body: '@harness9 why',
  });
  const review = github.review({ author: 'octo-org', pull: pull.number, state: 'CHANGES_REQUESTED', body: 'no' });
  const headSha = github.snapshot().pulls[0]?.headSha ?? '';
  const run = github.startRun({
    workflowPath: '.github/workflows/ci.yml',
    event: 'push',
    headBranch: 'fix',
    headSha,
    actor: 'alice',
  });
  github.finishRun(run.id, 'failure');
  const talk = github.openDiscussion({ author: 'bob', title: 'How?', body: 'So?', labels: ['harness9'] });
  const said = github.commentDiscussion({ author: 'bob', discussion: talk.number, body: '@harness9 how' });
  const suite = github.checkSuite({
    app: 'other-ci',
    headSha,
    headBranch: 'fix',
    checks: [{ name: 'lint', conclusion: 'failure' }],
  });
  return {
    talk: talk.number,
    said: said.id,
    suite,
    issue: issue.number,
    comment: comment.id,
    pull: pull.number,
    remark: remark.id,
    review: review.id,
    run: run.id,
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;

describe('payloads', () => {
  const cases: readonly [string, string, (scene: Scene) => PayloadRefs][] = [
    ['issues', 'issues$opened', ({ issue }) => ({ issue })],
    ['issues', 'issues$labeled', ({ issue }) => ({ issue, label: 'harness9', sender: 'alice' })],
    ['issues', 'issues$assigned', ({ issue }) => ({ issue, assignee: 'alice', sender: 'alice' })],
    ['issue_comment', 'issue_comment$created', ({ comment }) => ({ comment })],
    ['pull_request', 'pull_request$opened', ({ pull }) => ({ pull })],
    ['pull_request', 'pull_request$labeled', ({ pull }) => ({ pull, label: 'harness9' })],
    ['pull_request_review', 'pull_request_review$submitted', ({ review }) => ({ review })],
    ['pull_request_review_comment', 'pull_request_review_comment$created', ({ remark }) => ({ comment: remark })],
    ['workflow_dispatch', 'workflow_dispatch$event', () => ({ inputs: { task: 'x' } })],
    ['workflow_run', 'workflow_run$completed', ({ run }) => ({ run })],
    ['pull_request', 'pull_request$assigned', ({ pull }) => ({ pull, assignee: 'alice' })],
    ['pull_request', 'pull_request$ready_for_review', ({ pull }) => ({ pull, action: 'ready_for_review' })],
    ['pull_request', 'pull_request$synchronize', ({ pull }) => ({ pull, before: '0'.repeat(40) })],
    ['pull_request', 'pull_request$review_requested', ({ pull }) => ({ pull, reviewer: 'alice' })],
    ['discussion', 'discussion$created', ({ talk }) => ({ discussion: talk })],
    ['discussion', 'discussion$labeled', ({ talk }) => ({ discussion: talk, label: 'harness9' })],
    ['discussion_comment', 'discussion_comment$created', ({ said }) => ({ comment: said, installation: 1 })],
    ['check_suite', 'check_suite$completed', ({ suite }) => ({ checkSuite: suite })],
    ['check_suite', 'check_suite$completed', ({ run }) => ({ checkSuite: run })],
    ['push', 'push$event', () => ({ ref: 'refs/heads/fix' })],
  ];

  test.each(cases)('%s is as the schema of %s says', (name, definition, refs) =>
    withGitHub({}, async (github) => {
      const payload = github.payload(name, refs(await scene(github)));
      expect(problemsOf(definition, payload)).toEqual([]);
    }),
  );

  test('a payload holds the same objects as REST', () =>
    withGitHub({}, async (github, repo) => {
      const { comment, pull } = await scene(github);
      const { rest } = clientFor(github);
      const [issue, restComment, restPull] = await Promise.all([
        rest.issues.listForRepo({ ...repo, state: 'all' }),
        rest.issues.getComment({ ...repo, comment_id: comment }),
        rest.pulls.get({ ...repo, pull_number: pull }),
      ]);
      expect(github.payload('issue_comment', { comment })).toMatchObject({
        action: 'created',
        issue: issue.data.find(({ number }) => number === 1),
        comment: restComment.data,
        sender: { login: 'alice' },
        repository: { full_name: 'octo-org/shop' },
      });
      expect(github.payload('pull_request', { pull, action: 'synchronize' })).toMatchObject({
        action: 'synchronize',
        pull_request: restPull.data,
      });
    }));

  test('a fork that is gone is null', () =>
    withGitHub({}, async (github) => {
      const { number } = await github.openPull({ author: 'eve', fork: 'eve/shop', head: 'main', title: 'x', files: { a: '1' } });
      github.deleteUser('eve');
      expect(github.payload('pull_request', { pull: number })).toMatchObject({ pull_request: { head: { repo: null } } });
    }));

  test('a schedule has its line and the repository', () =>
    withGitHub({}, async (github) => {
      expect(github.payload('schedule', { schedule: '0 6 * * *' })).toMatchObject({
        schedule: '0 6 * * *',
        repository: { full_name: 'octo-org/shop' },
      });
    }));

  test('an event that is not known, and one about nothing, say so', () =>
    withGitHub({}, async (github) => {
      expect(() => github.payload('gollum')).toThrow('no payload is known for the event gollum');
      expect(() => github.payload('issue_comment', { comment: 7 })).toThrow('the payload needs a comment, not 7');
    }));
});
