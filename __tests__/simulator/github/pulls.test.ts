import { describe, expect, test } from '@jest/globals';
import { BOT, clientFor, refusalOf, withGitHub } from './world.ts';

const FIX = { 'src/cart.ts': 'export const total = 2;\n' };

describe('pull requests', () => {
  test('a pull request is opened from a branch, as a draft, with its numbers and its ref', () =>
    withGitHub({}, async (github, repo) => {
      const head = await github.pushCommit({ branch: 'fix', files: FIX, message: 'fix' });
      const { data } = await clientFor(github).rest.pulls.create({
        ...repo,
        head: 'fix',
        base: 'main',
        title: 'Fix rounding',
        body: 'Fixes #1',
        draft: true,
      });
      expect([data.number, data.commits, data.additions, data.deletions, data.changed_files]).toEqual([1, 1, 1, 1, 1]);
      expect(github.snapshot().refs['refs/pull/1/head']).toBe(head);
      expect(github.snapshot().pulls).toEqual([
        {
          number: 1,
          author: BOT,
          title: 'Fix rounding',
          body: 'Fixes #1',
          state: 'open',
          labels: [],
          assignees: [],
          reactions: [],
          head: 'fix',
          headSha: head,
          fork: null,
          base: 'main',
          draft: true,
          requestedReviewers: [],
        },
      ]);
    }));

  test('it follows its branch, and its files, commits, diff and patch are git’s', () =>
    withGitHub({}, async (github, repo) => {
      await github.openPull({ author: 'alice', head: 'fix', title: 'Fix', files: FIX });
      const head = await github.pushCommit({
        branch: 'fix',
        files: { 'src/cart.ts': null, 'src/basket.ts': 'export const total = 2;\n', 'logo.png': new Uint8Array([0, 1, 2]) },
        message: 'rename',
      });
      const { rest } = clientFor(github);
      const pull = { ...repo, pull_number: 1 };
      expect((await rest.pulls.get(pull)).data.head.sha).toBe(head);
      expect(github.snapshot().refs['refs/pull/1/head']).toBe(head);
      const files = (await rest.pulls.listFiles(pull)).data;
      expect(
        files.map(({ filename, status, patch, previous_filename }) => ({ filename, status, patch, previous_filename })),
      ).toEqual([
        { filename: 'logo.png', status: 'added', patch: undefined, previous_filename: undefined },
        {
          filename: 'src/basket.ts',
          status: 'added',
          patch: '@@ -0,0 +1 @@\n+export const total = 2;',
          previous_filename: undefined,
        },
        {
          filename: 'src/cart.ts',
          status: 'removed',
          patch: '@@ -1 +0,0 @@\n-export const total = 1;',
          previous_filename: undefined,
        },
      ]);
      expect((await rest.pulls.listCommits(pull)).data.map((commit) => commit.commit.message)).toEqual(['Fix', 'rename']);
      const diff = await rest.pulls.get({ ...pull, mediaType: { format: 'diff' } });
      expect(String(diff.data)).toContain('-export const total = 1;');
      const patch = await rest.pulls.get({ ...pull, mediaType: { format: 'patch' } });
      expect(String(patch.data)).toContain('Subject: [PATCH 2/2] rename');
    }));

  test('a rename keeps its old name', () =>
    withGitHub({}, async (github, repo) => {
      const files = { 'src/cart.ts': null, 'src/basket.ts': 'export const total = 1;\n' };
      await github.openPull({ author: 'alice', head: 'fix', title: 'Rename', files });
      const [file] = (await clientFor(github).rest.pulls.listFiles({ ...repo, pull_number: 1 })).data;
      expect([file?.status, file?.filename, file?.previous_filename, file?.changes]).toEqual([
        'renamed',
        'src/basket.ts',
        'src/cart.ts',
        0,
      ]);
    }));

  test('a fork’s commits are under its pull request only', () =>
    withGitHub({}, async (github, repo) => {
      await github.openPull({ author: 'eve', fork: 'eve/shop', head: 'patch-1', title: 'Mine', files: FIX });
      const head = await github.pushToFork({ pull: 1, files: { 'more.txt': 'x' }, message: 'more' });
      const { data } = await clientFor(github).rest.pulls.get({ ...repo, pull_number: 1 });
      expect([data.head.repo?.full_name, data.head.label, data.base.repo.full_name]).toEqual([
        'eve/shop',
        'eve:patch-1',
        'octo-org/shop',
      ]);
      expect([data.head.repo?.fork, data.head.sha, data.commits]).toEqual([true, head, 2]);
      expect(Object.keys(github.snapshot().refs)).toEqual(['refs/heads/main', 'refs/pull/1/head']);
    }));

  test('lists filter by head, base and state', () =>
    withGitHub({}, async (github, repo) => {
      await github.openPull({ author: 'alice', head: 'one', title: 'One', files: { a: '1' } });
      await github.openPull({ author: 'alice', head: 'two', title: 'Two', files: { b: '1' } });
      const { rest } = clientFor(github);
      await rest.pulls.update({ ...repo, pull_number: 1, state: 'closed', title: 'One!' });
      const titles = async (query: { head?: string; base?: string; state?: 'open' | 'closed' | 'all' }) =>
        (await rest.pulls.list({ ...repo, ...query })).data.map((pull) => pull.title);
      expect(await titles({})).toEqual(['Two']);
      expect(await titles({ state: 'all' })).toEqual(['Two', 'One!']);
      expect(await titles({ state: 'all', head: 'octo-org:one' })).toEqual(['One!']);
      expect(await titles({ base: 'other' })).toEqual([]);
      const sha = github.snapshot().refs['refs/heads/two'] ?? '';
      const ofCommit = await rest.repos.listPullRequestsAssociatedWithCommit({ ...repo, commit_sha: sha });
      expect(ofCommit.data.map((pull) => pull.title)).toEqual(['Two']);
    }));

  test('reviewers are asked for when they are collaborators', () =>
    withGitHub({}, async (github, repo) => {
      github.addUser('alice', { permission: 'write' });
      github.addUser('eve');
      await github.openPull({ author: 'bob', head: 'fix', title: 'Fix', files: FIX });
      const { rest } = clientFor(github);
      const pull = { ...repo, pull_number: 1 };
      expect((await refusalOf(rest.pulls.requestReviewers({ ...pull, reviewers: ['eve'] }))).status).toBe(422);
      await rest.pulls.requestReviewers({ ...pull, reviewers: ['alice'] });
      expect(github.snapshot().pulls[0]?.requestedReviewers).toEqual(['alice']);
      await rest.pulls.removeRequestedReviewers({ ...pull, reviewers: ['alice'] });
      expect(github.snapshot().pulls[0]?.requestedReviewers).toEqual([]);
    }));
});

describe('reviews', () => {
  test('comments stand on lines of the diff, are answered, and get reactions', () =>
    withGitHub({}, async (github, repo) => {
      await github.openPull({ author: 'alice', head: 'fix', title: 'Fix', files: FIX });
      const { id } = await github.reviewComment({
        author: 'alice',
        pull: 1,
        path: 'src/cart.ts',
        line: 1,
        body: '@harness9 why?',
      });
      const { rest } = clientFor(github);
      const pull = { ...repo, pull_number: 1 };
      const reply = await rest.pulls.createReplyForReviewComment({ ...pull, comment_id: id, body: 'because' });
      await rest.reactions.createForPullRequestReviewComment({ ...repo, comment_id: id, content: 'eyes' });
      await rest.pulls.updateReviewComment({ ...repo, comment_id: reply.data.id, body: 'because of tax' });
      expect([reply.data.in_reply_to_id, reply.data.path, reply.data.line]).toEqual([id, 'src/cart.ts', 1]);
      const comments = (await rest.pulls.listReviewComments(pull)).data;
      expect(comments.map((comment) => [comment.user.login, comment.body, comment.diff_hunk])).toEqual([
        ['alice', '@harness9 why?', '@@ -1 +1 @@\n-export const total = 1;\n+export const total = 2;'],
        [BOT, 'because of tax', '@@ -1 +1 @@\n-export const total = 1;\n+export const total = 2;'],
      ]);
      await rest.pulls.deleteReviewComment({ ...repo, comment_id: reply.data.id });
      expect(github.snapshot().reviewComments.map((comment) => comment.reactions)).toEqual([[{ user: BOT, content: 'eyes' }]]);
    }));

  test('a review brings its comments, and one wrong place refuses it whole', () =>
    withGitHub({}, async (github, repo) => {
      await github.openPull({ author: 'alice', head: 'fix', title: 'Fix', files: FIX });
      const { rest } = clientFor(github);
      const review = { ...repo, pull_number: 1, event: 'COMMENT', body: 'two remarks' } as const;
      const good = { path: 'src/cart.ts', line: 1, body: 'nice' };
      const bad = { path: 'src/cart.ts', line: 99, body: 'nowhere' };
      expect((await refusalOf(rest.pulls.createReview({ ...review, comments: [good, bad] }))).status).toBe(422);
      expect([github.snapshot().reviews, github.snapshot().reviewComments]).toEqual([[], []]);
      const made = await rest.pulls.createReview({ ...review, comments: [good] });
      expect((await rest.pulls.listCommentsForReview({ ...repo, pull_number: 1, review_id: made.data.id })).data).toHaveLength(1);
      expect(github.snapshot().reviews).toEqual([{ pull: 1, author: BOT, state: 'COMMENTED', body: 'two remarks' }]);
      const timeline = await rest.issues.listEventsForTimeline({ ...repo, issue_number: 1 });
      expect(timeline.data.map((item) => item.event)).toEqual(['committed', 'reviewed']);
    }));

  test('nobody approves an own pull request', () =>
    withGitHub({}, async (github, repo) => {
      await github.openPull({ author: BOT, head: 'fix', title: 'Fix', files: FIX });
      const refusal = await refusalOf(clientFor(github).rest.pulls.createReview({ ...repo, pull_number: 1, event: 'APPROVE' }));
      expect(refusal).toMatchObject({ status: 422, message: expect.stringContaining('Can not approve your own pull request') });
    }));
});

describe('refusals of pull requests', () => {
  test('refuse a head or base that is not there, a second one, no commits, and drafts where there are none', () =>
    withGitHub({ draftsAllowed: false }, async (github, repo) => {
      await github.pushCommit({ branch: 'fix', files: FIX, message: 'fix' });
      await github.git('update-ref', 'refs/heads/same', 'refs/heads/main');
      const { rest } = clientFor(github);
      const create = (head: string, rest_ = {}) => rest.pulls.create({ ...repo, head, base: 'main', title: 'T', ...rest_ });
      expect(await refusalOf(create('none'))).toMatchObject({
        status: 422,
        message: expect.stringContaining('"field":"head","code":"invalid"'),
      });
      expect(await refusalOf(create('fix', { base: 'none' }))).toMatchObject({
        status: 422,
        message: expect.stringContaining('"field":"base","code":"invalid"'),
      });
      expect(await refusalOf(create('same'))).toMatchObject({
        status: 422,
        message: expect.stringContaining('No commits between main and same'),
      });
      expect(await refusalOf(create('fix', { draft: true }))).toEqual({
        status: 422,
        message: 'Draft pull requests are not supported in this repository.',
      });
      await create('fix');
      expect(await refusalOf(create('fix'))).toMatchObject({
        status: 422,
        message: expect.stringContaining('A pull request already exists for octo-org:fix.'),
      });
      expect(github.snapshot().pulls).toHaveLength(1);
    }));

  test.each([
    ['301 files', Object.fromEntries(Array.from({ length: 301 }, (_, index) => [`f${index}`, 'x\n'])), 'files (300)'],
    ['20,001 lines', { long: 'x\n'.repeat(20_001) }, 'lines (20000)'],
  ])('refuse the diff of %s, but not the list of files', (_name, files, limit) =>
    withGitHub({}, async (github, repo) => {
      await github.openPull({ author: 'alice', head: 'big', title: 'Big', files });
      const client = clientFor(github);
      const diff = client.rest.pulls.get({ ...repo, pull_number: 1, mediaType: { format: 'diff' } });
      expect(await refusalOf(diff)).toMatchObject({ status: 406, message: expect.stringContaining(limit) });
      const listed = await client.paginate(client.rest.pulls.listFiles, { ...repo, pull_number: 1, per_page: 100 });
      expect(listed).toHaveLength(Object.keys(files).length);
    }),
  );
});
