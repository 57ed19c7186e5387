import { describe, expect, test } from '@jest/globals';
import { QUERIES } from './graphql/queries.ts';
import { BOT, clientFor, refusalOf, withGitHub } from './world.ts';

const FIX = { 'src/cart.ts': 'export const total = 2;\n' };

describe('settings and states of the repository', () => {
  test('GitHub Actions may be kept from opening pull requests', () =>
    withGitHub({ actionsMayCreatePulls: false }, async (github, repo) => {
      await github.pushCommit({ branch: 'fix', files: FIX, message: 'fix' });
      const create = (login: string) =>
        clientFor(github, login).rest.pulls.create({ ...repo, head: 'fix', base: 'main', title: 'Fix' });
      expect(await refusalOf(create(BOT))).toEqual({
        status: 403,
        message: 'GitHub Actions is not permitted to create or approve pull requests.',
      });
      expect((await create('alice')).status).toBe(201);
    }));

  test('a locked thread takes comments from collaborators only', () =>
    withGitHub({}, async (github, repo) => {
      github.addUser('alice', { permission: 'write' });
      github.openIssue({ author: 'bob', title: 'x' });
      github.lockThread(1);
      const comment = (login: string) =>
        clientFor(github, login).rest.issues.createComment({ ...repo, issue_number: 1, body: 'y' });
      expect(await refusalOf(comment(BOT))).toEqual({
        status: 403,
        message: 'Unable to create comment because issue is locked.',
      });
      expect((await comment('alice')).status).toBe(201);
    }));

  test('so do the lines of a locked pull request’s diff, and a locked discussion', () =>
    withGitHub({}, async (github, repo) => {
      github.addUser('alice', { permission: 'write' });
      await github.openPull({ author: 'bob', head: 'fix', title: 'Fix', files: FIX });
      const { id } = await github.reviewComment({ author: 'bob', pull: 1, path: Object.keys(FIX)[0] ?? '', line: 1, body: 'x' });
      const talk = github.openDiscussion({ author: 'bob', title: 'x' });
      github.lockThread(1);
      github.lockThread(talk.number);
      const calls = (login: string) => {
        const { rest } = clientFor(github, login);
        return [
          rest.pulls.createReplyForReviewComment({ ...repo, pull_number: 1, comment_id: id, body: 'y' }),
          rest.pulls.createReview({ ...repo, pull_number: 1, event: 'COMMENT', body: 'y' }),
        ];
      };
      for (const call of calls(BOT)) {
        expect(await refusalOf(call)).toEqual({ status: 422, message: expect.stringContaining('lock prevents review') });
      }
      for (const call of calls('alice')) expect((await call).status).toBeLessThan(300);
      const say = (login: string) =>
        clientFor(github, login, { discussions: 'write' }).graphql(QUERIES.AddDiscussionComment, {
          discussionId: talk.nodeId,
          body: 'y',
        });
      await expect(say(BOT)).rejects.toThrow('Unable to create comment because discussion is locked.');
      await say('alice');
      expect(github.snapshot().discussionComments.map(({ author }) => author)).toEqual(['alice']);
    }));

  test('deleting its branch closes a pull request and keeps its commits', () =>
    withGitHub({}, async (github, repo) => {
      await github.openPull({ author: BOT, head: 'fix', title: 'Fix', files: FIX });
      const sha = github.snapshot().refs['refs/heads/fix'];
      await clientFor(github).rest.git.deleteRef({ ...repo, ref: 'heads/fix' });
      const { pulls, refs } = github.snapshot();
      expect([pulls[0]?.state, refs['refs/heads/fix'], refs['refs/pull/1/head']]).toEqual(['closed', undefined, sha]);
    }));

  test('a merge moves the base, closes the pull request and says so', () =>
    withGitHub({}, async (github, repo) => {
      await github.openPull({ author: 'alice', head: 'fix', title: 'Fix', files: FIX });
      const sha = await github.mergePull(1, 'octo-org');
      const { data } = await clientFor(github).rest.pulls.get({ ...repo, pull_number: 1 });
      expect([data.merged, data.state, github.snapshot().refs['refs/heads/main']]).toEqual([true, 'closed', sha]);
      expect(await github.git('show', 'main:src/cart.ts')).toBe('export const total = 2;');
    }));

  test('a conflict is shown and can’t be merged', () =>
    withGitHub({}, async (github, repo) => {
      await github.openPull({ author: 'alice', head: 'fix', title: 'Fix', files: FIX });
      await github.pushCommit({ branch: 'main', files: { 'src/cart.ts': 'other\n' }, message: 'other' });
      const { data } = await clientFor(github).rest.pulls.get({ ...repo, pull_number: 1 });
      expect([data.mergeable, data.mergeable_state]).toEqual([false, 'dirty']);
      await expect(github.mergePull(1, 'octo-org')).rejects.toThrow('merge-tree');
      expect(github.snapshot().pulls[0]?.state).toBe('open');
    }));

  test('settings change while it runs', () =>
    withGitHub({}, async (github, repo) => {
      await github.pushCommit({ branch: 'fix', files: FIX, message: 'fix' });
      github.configure({ private: true, draftsAllowed: false, protectedBranches: ['fix'] });
      const { rest } = clientFor(github);
      expect((await rest.repos.get(repo)).data.private).toBe(true);
      expect((await refusalOf(rest.git.deleteRef({ ...repo, ref: 'heads/fix' }))).status).toBe(422);
      expect((await refusalOf(rest.pulls.create({ ...repo, head: 'fix', base: 'main', title: 'x', draft: true }))).status).toBe(
        422,
      );
    }));
});

describe('the contents API, tags, search and logs', () => {
  test('a file is made, changed and deleted by one-file commits', () =>
    withGitHub({}, async (github, repo) => {
      const { rest } = clientFor(github);
      const file = { ...repo, path: 'docs/new file.md', message: 'docs' };
      const base64 = (text: string) => Buffer.from(text).toString('base64');
      const made = await rest.repos.createOrUpdateFileContents({ ...file, content: base64('one') });
      expect(await refusalOf(rest.repos.createOrUpdateFileContents({ ...file, content: base64('two') }))).toMatchObject({
        status: 422,
      });
      const stale = rest.repos.createOrUpdateFileContents({ ...file, content: base64('two'), sha: 'f'.repeat(40) });
      expect((await refusalOf(stale)).status).toBe(409);
      const sha = made.data.content?.sha ?? '';
      const changed = await rest.repos.createOrUpdateFileContents({ ...file, content: base64('two'), sha });
      expect([made.status, changed.status, await github.git('show', 'main:docs/new file.md')]).toEqual([201, 200, 'two']);
      await rest.repos.deleteFile({ ...file, sha: changed.data.content?.sha ?? '' });
      const root = await rest.repos.getContent({ ...repo, path: '' });
      expect(root.data).toMatchObject([{ name: '.github', type: 'dir' }, { name: 'README.md' }, { name: 'src' }]);
    }));

  test.each([
    ['a workflow file', '.github/workflows/evil.yml', 403],
    ['a path through .git', 'a/.git/config', 422],
  ])('%s is refused here too', (_name, path, status) =>
    withGitHub({}, async (github, repo) => {
      const content = Buffer.from('on: push').toString('base64');
      const call = clientFor(github).rest.repos.createOrUpdateFileContents({ ...repo, path, message: 'x', content });
      expect((await refusalOf(call)).status).toBe(status);
      expect(await github.git('rev-list', '--count', 'main')).toBe('1');
    }),
  );

  test('an annotated tag is made and pointed at', () =>
    withGitHub({}, async (github, repo) => {
      const { rest } = clientFor(github);
      const object = github.snapshot().refs['refs/heads/main'] ?? '';
      const tag = await rest.git.createTag({ ...repo, tag: 'v1', message: 'first', object, type: 'commit' });
      await rest.git.createRef({ ...repo, ref: 'refs/tags/v1', sha: tag.data.sha });
      expect((await rest.git.getRef({ ...repo, ref: 'tags/v1' })).data.object.type).toBe('tag');
      expect(await github.git('for-each-ref', '--format=%(contents:subject)', 'refs/tags')).toBe('first');
    }));

  test('the search finds by words and qualifiers', () =>
    withGitHub({}, async (github, repo) => {
      github.openIssue({ author: 'bob', title: 'Rounding in total()', labels: ['bug report'] });
      await github.openPull({ author: BOT, head: 'harness9/x', title: 'Fix rounding', files: FIX });
      const client = clientFor(github);
      const titles = async (q: string) => {
        const { data } = await client.rest.search.issuesAndPullRequests({ q: `repo:${repo.owner}/${repo.repo} ${q}` });
        return data.items.map((item) => item.title);
      };
      expect(await titles('rounding')).toEqual(['Fix rounding', 'Rounding in total()']);
      expect(await titles('is:pr is:open head:harness9/x author:app/github-actions')).toEqual(['Fix rounding']);
      expect(await titles('is:issue label:"bug report"')).toEqual(['Rounding in total()']);
      expect((await refusalOf(titles('nobody-knows:this'))).status).toBe(422);
    }));

  test('a job has its steps and its log', () =>
    withGitHub({}, async (github, repo) => {
      const headSha = github.snapshot().refs['refs/heads/main'] ?? '';
      const run = github.startRun({
        workflowPath: '.github/workflows/ci.yml',
        event: 'push',
        headBranch: 'main',
        headSha,
        actor: 'alice',
      });
      github.finishRun(run.id, 'failure', { log: 'not ok 1\n', steps: [{ name: 'npm test', conclusion: 'failure' }] });
      const { rest } = clientFor(github, BOT, { actions: 'write' });
      const job = await rest.actions.getJobForWorkflowRun({ ...repo, job_id: run.jobId });
      expect(job.data.steps?.map(({ name, conclusion }) => [name, conclusion])).toEqual([['npm test', 'failure']]);
      expect((await rest.actions.downloadJobLogsForWorkflowRun({ ...repo, job_id: run.jobId })).data).toBe('not ok 1\n');
      await rest.actions.reRunJobForWorkflowRun({ ...repo, job_id: run.jobId });
      expect(github.snapshot().runs[0]?.status).toBe('queued');
    }));
});
