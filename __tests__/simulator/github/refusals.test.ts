import { describe, expect, test } from '@jest/globals';
import { BOT, clientFor, clientWith, refusalOf, withGitHub } from './world.ts';

const NOT_ACCESSIBLE = { status: 403, message: 'Resource not accessible by integration' };
const FIX = { 'src/cart.ts': 'export const total = 2;\n' };

describe('tokens', () => {
  test('a token that nobody issued is refused', () =>
    withGitHub({}, async (github, repo) => {
      expect(await refusalOf(clientWith(github, 'ghs_wrong').rest.repos.get(repo))).toEqual({
        status: 401,
        message: 'Bad credentials',
      });
    }));

  test('nobody writes without a token', () =>
    withGitHub({}, async (github, repo) => {
      const call = clientWith(github).rest.issues.create({ ...repo, title: 'x' });
      expect(await refusalOf(call)).toEqual({ status: 401, message: 'Requires authentication' });
    }));

  test('a private repository is not there for a stranger and opens by permission only', () =>
    withGitHub({ private: true }, async (github, repo) => {
      github.openIssue({ author: 'bob', title: 'secret' });
      expect((await refusalOf(clientWith(github).rest.repos.get(repo))).status).toBe(404);
      const issue = { ...repo, issue_number: 1 };
      expect(await refusalOf(clientFor(github, BOT, { contents: 'read' }).rest.issues.get(issue))).toEqual(NOT_ACCESSIBLE);
      expect((await clientFor(github, BOT, { issues: 'read' }).rest.issues.get(issue)).data.title).toBe('secret');
    }));

  test('an app has no profile of its own', () =>
    withGitHub({}, async (github) => {
      expect(await refusalOf(clientFor(github).rest.users.getAuthenticated())).toEqual(NOT_ACCESSIBLE);
    }));

  test('an app and an unknown login have no permission to ask for', () =>
    withGitHub({}, async (github, repo) => {
      const ask = (username: string) =>
        refusalOf(clientFor(github).rest.repos.getCollaboratorPermissionLevel({ ...repo, username }));
      expect(await ask(BOT)).toEqual({ status: 404, message: `${BOT} is not a user` });
      expect(await ask('nobody')).toEqual({ status: 404, message: 'nobody is not a user' });
      expect((await refusalOf(clientFor(github).rest.users.getByUsername({ username: 'nobody' }))).status).toBe(404);
    }));
});

describe('missing permissions', () => {
  test('a comment on an issue needs issues: write', () =>
    withGitHub({}, async (github, repo) => {
      github.openIssue({ author: 'bob', title: 'x' });
      const comment = github.comment({ author: 'bob', issue: 1, body: 'x' });
      const { rest } = clientFor(github, BOT, { issues: 'read', pull_requests: 'write' });
      const issue = { ...repo, issue_number: 1 };
      expect(await refusalOf(rest.issues.createComment({ ...issue, body: 'y' }))).toEqual(NOT_ACCESSIBLE);
      expect(await refusalOf(rest.issues.updateComment({ ...repo, comment_id: comment.id, body: 'y' }))).toEqual(NOT_ACCESSIBLE);
      expect(await refusalOf(rest.issues.deleteComment({ ...repo, comment_id: comment.id }))).toEqual(NOT_ACCESSIBLE);
      expect(await refusalOf(rest.issues.addLabels({ ...issue, labels: ['x'] }))).toEqual(NOT_ACCESSIBLE);
      expect(await refusalOf(rest.reactions.createForIssueComment({ ...repo, comment_id: comment.id, content: 'eyes' }))).toEqual(
        NOT_ACCESSIBLE,
      );
      expect(github.snapshot().comments).toHaveLength(1);
    }));

  test('a comment on a pull request is open to either permission', () =>
    withGitHub({}, async (github, repo) => {
      await github.openPull({ author: 'bob', head: 'fix', title: 'Fix', files: FIX });
      const target = { ...repo, issue_number: 1, body: 'y' };
      await clientFor(github, BOT, { pull_requests: 'write' }).rest.issues.createComment(target);
      await clientFor(github, BOT, { issues: 'write' }).rest.issues.createComment(target);
      expect(await refusalOf(clientFor(github, BOT, { contents: 'write' }).rest.issues.createComment(target))).toEqual(
        NOT_ACCESSIBLE,
      );
    }));

  test('a reaction on a review comment needs pull_requests: write', () =>
    withGitHub({}, async (github, repo) => {
      await github.openPull({ author: 'bob', head: 'fix', title: 'Fix', files: FIX });
      const { id } = await github.reviewComment({ author: 'bob', pull: 1, path: 'src/cart.ts', line: 1, body: 'x' });
      const react = clientFor(github, BOT, { issues: 'write' }).rest.reactions.createForPullRequestReviewComment({
        ...repo,
        comment_id: id,
        content: 'eyes',
      });
      expect(await refusalOf(react)).toEqual(NOT_ACCESSIBLE);
    }));

  test('git data need contents: write, a pull request pull_requests: write, deleting an artifact actions: write', () =>
    withGitHub({}, async (github, repo) => {
      const sha = await github.pushCommit({ branch: 'fix', files: FIX, message: 'fix' });
      const reader = clientFor(github, BOT, { contents: 'read', issues: 'write' }).rest;
      expect(await refusalOf(reader.git.createBlob({ ...repo, content: 'x' }))).toEqual(NOT_ACCESSIBLE);
      expect(await refusalOf(reader.git.createRef({ ...repo, ref: 'refs/heads/x', sha }))).toEqual(NOT_ACCESSIBLE);
      expect(await refusalOf(reader.git.deleteRef({ ...repo, ref: 'heads/fix' }))).toEqual(NOT_ACCESSIBLE);
      expect(await refusalOf(reader.pulls.create({ ...repo, head: 'fix', base: 'main', title: 'x' }))).toEqual(NOT_ACCESSIBLE);
      expect(await refusalOf(reader.actions.deleteArtifact({ ...repo, artifact_id: 1 }))).toEqual(NOT_ACCESSIBLE);
      expect(await refusalOf(reader.checks.create({ ...repo, name: 'x', head_sha: sha }))).toEqual(NOT_ACCESSIBLE);
    }));

  test('a person’s token is refused in other words', () =>
    withGitHub({}, async (github, repo) => {
      const call = clientFor(github, 'alice', { issues: 'read' }).rest.issues.create({ ...repo, title: 'x' });
      expect(await refusalOf(call)).toEqual({ status: 403, message: 'Resource not accessible by personal access token' });
    }));
});

describe('bodies', () => {
  test('65,536 characters are the most', () =>
    withGitHub({}, async (github, repo) => {
      await github.openPull({ author: 'bob', head: 'fix', title: 'Fix', files: FIX });
      await github.pushCommit({ branch: 'other', files: { a: 'x' }, message: 'x' });
      const { rest } = clientFor(github);
      const [long, longest] = ['x'.repeat(65_537), 'x'.repeat(65_536)];
      const { data } = await rest.issues.createComment({ ...repo, issue_number: 1, body: longest });
      const tooLong = { status: 422, message: expect.stringContaining('ody is too long (maximum is 65536 characters)') };
      expect(await refusalOf(rest.issues.createComment({ ...repo, issue_number: 1, body: long }))).toMatchObject(tooLong);
      expect(await refusalOf(rest.issues.updateComment({ ...repo, comment_id: data.id, body: long }))).toMatchObject(tooLong);
      expect(await refusalOf(rest.issues.create({ ...repo, title: 'x', body: long }))).toMatchObject(tooLong);
      expect(await refusalOf(rest.pulls.update({ ...repo, pull_number: 1, body: long }))).toMatchObject(tooLong);
      const create = rest.pulls.create({ ...repo, head: 'other', base: 'main', title: 'x', body: long });
      expect(await refusalOf(create)).toMatchObject(tooLong);
      expect([github.snapshot().issues, github.snapshot().pulls.length]).toEqual([[], 1]);
    }));

  test('an empty comment, an empty title and broken JSON are refused', () =>
    withGitHub({}, async (github, repo) => {
      github.openIssue({ author: 'bob', title: 'x' });
      const { rest } = clientFor(github);
      expect((await refusalOf(rest.issues.createComment({ ...repo, issue_number: 1, body: ' ' }))).status).toBe(422);
      expect((await refusalOf(rest.issues.create({ ...repo, title: '' }))).status).toBe(422);
      const answer = await fetch(`${github.apiUrl}/repos/${repo.owner}/${repo.repo}/issues`, {
        method: 'POST',
        headers: { authorization: `Bearer ${github.issueToken(BOT)}` },
        body: '{"title":',
      });
      expect([answer.status, JSON.parse(await answer.text()).message]).toEqual([400, 'Problems parsing JSON']);
    }));
});

describe('paths', () => {
  test('what is not there is 404, and an unknown route is recorded as such', () =>
    withGitHub({}, async (github, repo) => {
      const client = clientFor(github);
      const missing = { status: 404, message: 'Not Found' };
      expect(await refusalOf(client.rest.issues.get({ ...repo, issue_number: 9 }))).toEqual(missing);
      expect(await refusalOf(client.rest.pulls.get({ ...repo, pull_number: 9 }))).toEqual(missing);
      expect(await refusalOf(client.rest.issues.getComment({ ...repo, comment_id: 9 }))).toEqual(missing);
      expect(await refusalOf(client.rest.repos.get({ owner: 'other', repo: 'repo' }))).toEqual(missing);
      expect(await refusalOf(client.request('GET /repos/{owner}/{repo}/no/such/route', repo))).toEqual(missing);
      expect(github.requests.at(-1)).toMatchObject({ kind: 'rest', route: null, status: 404, actor: BOT });
    }));

  test('GraphQL answers with errors', () =>
    withGitHub({}, async (github) => {
      const call = clientFor(github).graphql('query Nothing { viewer { login } }');
      await expect(call).rejects.toMatchObject({ errors: [{ type: 'NOT_IMPLEMENTED' }] });
      expect(github.requests.at(-1)).toMatchObject({ kind: 'graphql', route: '/graphql Nothing', status: 200, actor: BOT });
    }));
});

describe('faults', () => {
  test('a fault before the effect leaves no trace, one after it does', () =>
    withGitHub({}, async (github, repo) => {
      github.openIssue({ author: 'bob', title: 'x' });
      const { rest } = clientFor(github);
      const create = (body: string) => rest.issues.createComment({ ...repo, issue_number: 1, body });
      github.fail({ method: 'POST', path: /\/comments$/, status: 502 });
      expect((await refusalOf(create('one'))).status).toBe(502);
      expect(github.snapshot().comments).toEqual([]);
      github.fail({ method: 'POST', path: /\/comments$/, status: 502, after: 'apply', times: 2 });
      expect((await refusalOf(create('two'))).status).toBe(502);
      expect((await refusalOf(create('three'))).status).toBe(502);
      await create('four');
      expect(github.snapshot().comments.map((comment) => comment.body)).toEqual(['two', 'three', 'four']);
      expect(github.requests.map((request) => request.status)).toEqual([502, 502, 502, 201]);
    }));

  test('status 0 cuts the connection, and a rate limit brings its headers', () =>
    withGitHub({}, async (github, repo) => {
      const { rest } = clientFor(github);
      github.fail({ path: /^\/repos/, status: 0 });
      await expect(rest.repos.get(repo)).rejects.toMatchObject({ status: 500 });
      github.fail({ path: /^\/repos/, status: 403, body: { message: 'secondary rate limit' }, headers: { 'retry-after': '7' } });
      await expect(rest.repos.get(repo)).rejects.toMatchObject({ status: 403, response: { headers: { 'retry-after': '7' } } });
    }));
});
