import { describe, expect, test } from '@jest/globals';
import type { SimulatedGitHub } from '../../../../src/simulator/github/contract.ts';
import { operations } from '../../../../src/simulator/github/graphql/operations.ts';
import type { Level } from '../../../../src/simulator/github/state.ts';
import { problemsOfQuery, selectFrom } from '../../../contracts/graphql.ts';
import { BOT, clientFor, clientWith, withGitHub } from '../world.ts';
import { QUERIES } from './queries.ts';

type Name = keyof typeof QUERIES;
type Variables = Readonly<Record<string, unknown>>;

const ALL: Readonly<Record<string, Level>> = { contents: 'write', issues: 'write', pull_requests: 'write', discussions: 'write' };
const FIX = { 'src/cart.ts': 'export const a = 1;\nexport const b = 2;\nexport const c = 3;\n' };

/** Asks as an app or person, and gives what a client of the real API would get: the selected fields only, of the schema's types. */
async function ask(github: SimulatedGitHub, name: Name, variables: Variables, by: { login?: string; may?: typeof ALL } = {}) {
  const client = clientFor(github, by.login ?? BOT, by.may ?? ALL);
  const answer = await client.graphql(QUERIES[name], variables);
  const { data, problems } = await selectFrom(QUERIES[name], variables, answer);
  expect(problems).toEqual([]);
  return data;
}

function at(github: SimulatedGitHub, number: number) {
  return { owner: github.owner, name: github.repo, number };
}

async function refused(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => 'not refused',
    (error: unknown) => (typeof error === 'object' && error !== null && 'errors' in error ? error.errors : error),
  );
}

test.each(Object.entries(QUERIES))('the operation of these tests %s is one that GitHub would take', (_name, query) => {
  expect(problemsOfQuery(query)).toEqual([]);
});

test('each operation has its text in these tests', () => {
  expect(Object.keys(QUERIES).sort()).toEqual(Object.keys(operations).sort());
});

describe('threads', () => {
  test('an edit of the text has its time, a new title has not', () =>
    withGitHub({}, async (github, repo) => {
      github.openIssue({ author: 'bob', title: 'a', body: 'b' });
      const edited = async () => (await ask(github, 'ThreadEdit', at(github, 1))).repository.issueOrPullRequest;
      const { rest } = clientFor(github);
      await rest.issues.update({ ...repo, issue_number: 1, title: 'c' });
      expect(await edited()).toMatchObject({ __typename: 'Issue', title: 'c', lastEditedAt: null, author: { login: 'bob' } });
      await rest.issues.update({ ...repo, issue_number: 1, body: 'd' });
      expect(await edited()).toMatchObject({ body: 'd', lastEditedAt: '2026-01-01T00:00:00Z' });
    }));

  test('the issues that a pull request closes are those behind closing words, of this repository, once each', () =>
    withGitHub({}, async (github) => {
      for (const title of ['one', 'two', 'three', 'four', 'five']) github.openIssue({ author: 'bob', title });
      const body = `Fixes #1, closes: ${github.owner}/${github.repo}#2, resolved ${github.serverUrl}/${github.owner}/${github.repo}/issues/3, mentions #4, fix other/repo#5, CLOSE #1`;
      const { number } = await github.openPull({ author: 'bob', head: 'fix', title: 'x', body, files: FIX });
      const numbersOf = async (pull: number) => {
        const { repository } = await ask(github, 'ClosingIssues', at(github, pull));
        return repository.pullRequest.closingIssuesReferences.nodes.map((issue: { number: number }) => issue.number);
      };
      expect(await numbersOf(number)).toEqual([1, 2, 3]);
      await github.pushCommit({ branch: 'dev', files: {}, message: 'x' });
      const stacked = await github.openPull({
        author: 'bob',
        head: 'two',
        base: 'dev',
        title: 'x',
        body: 'fixes #1',
        files: { b: '2' },
      });
      expect(await numbersOf(stacked.number)).toEqual([]);
    }));

  test('whether a pull request merges is tried by a merge', () =>
    withGitHub({}, async (github) => {
      const { number } = await github.openPull({ author: 'bob', head: 'fix', title: 'x', files: FIX });
      const state = async () => (await ask(github, 'MergeState', at(github, number))).repository.pullRequest.mergeable;
      expect(await state()).toBe('MERGEABLE');
      await github.pushCommit({ branch: 'main', files: { 'src/cart.ts': 'export const other = 1;\n' }, message: 'x' });
      expect(await state()).toBe('CONFLICTING');
      github.closeThread(number, 'bob');
      expect(await state()).toBe('UNKNOWN');
    }));
});

async function remark(github: SimulatedGitHub, line: number, body = 'x') {
  return github.reviewComment({ author: 'alice', pull: 1, path: 'src/cart.ts', line, body });
}

describe('review threads', () => {
  test('they come in pages with their comments; what a push has changed is outdated, what it moved is not', () =>
    withGitHub({}, async (github, repo) => {
      await github.openPull({ author: 'bob', head: 'fix', title: 'x', files: FIX });
      const first = await remark(github, 1, 'first');
      await remark(github, 2);
      await remark(github, 3);
      await github.reviewComment({ author: BOT, pull: 1, path: 'src/cart.ts', line: 1, body: 'answer', inReplyTo: first.id });
      const text = 'export const z = 0;\nexport const a = 1;\nexport const b = 5;\nexport const c = 3;\n';
      await github.pushCommit({ branch: 'fix', files: { 'src/cart.ts': text }, message: 'x' });
      const page = await ask(github, 'ReviewThreads', at(github, 1));
      const { nodes, pageInfo, totalCount } = page.repository.pullRequest.reviewThreads;
      expect([totalCount, pageInfo.hasNextPage]).toEqual([3, true]);
      expect(nodes).toMatchObject([
        {
          isResolved: false,
          isOutdated: false,
          line: 2,
          originalLine: 1,
          comments: {
            nodes: [
              { databaseId: first.id, body: 'first', author: { login: 'alice' }, replyTo: null },
              { body: 'answer', author: { __typename: 'Bot', login: 'github-actions' }, replyTo: { databaseId: first.id } },
            ],
          },
        },
        { isOutdated: true, line: null, originalLine: 2 },
      ]);
      const next = await ask(github, 'ReviewThreads', { ...at(github, 1), after: pageInfo.endCursor });
      expect(next.repository.pullRequest.reviewThreads).toMatchObject({ nodes: [{ line: 4 }], pageInfo: { hasNextPage: false } });
      const { data } = await clientFor(github).rest.pulls.listReviewComments({ ...repo, pull_number: 1 });
      expect(data.map(({ line, position }) => [line, position])).toEqual([
        [2, 1],
        [null, null],
        [4, 1],
        [2, 1],
      ]);
    }));

  test('an edit of a review has its time; of a list the last are given', () =>
    withGitHub({}, async (github) => {
      await github.openPull({ author: 'bob', head: 'fix', title: 'x', files: FIX });
      github.review({ author: 'alice', pull: 1, state: 'COMMENTED', body: 'first' });
      const { id } = github.review({ author: 'alice', pull: 1, state: 'APPROVED', body: 'second' });
      const reviews = async () => (await ask(github, 'ReviewEdits', at(github, 1))).repository.pullRequest.reviews;
      expect(await reviews()).toMatchObject({
        totalCount: 2,
        nodes: [{ databaseId: id, body: 'second', state: 'APPROVED', lastEditedAt: null }],
        pageInfo: { hasPreviousPage: true, hasNextPage: false },
      });
      github.editReview(id, 'changed');
      expect(await reviews()).toMatchObject({ nodes: [{ body: 'changed', lastEditedAt: '2026-01-01T00:00:00Z' }] });
    }));

  test('a thread is resolved by an app or a person that may, not by a workflow’s own token', () =>
    withGitHub({}, async (github) => {
      await github.openPull({ author: 'bob', head: 'fix', title: 'x', files: FIX });
      await remark(github, 1);
      const { repository } = await ask(github, 'ReviewThreads', at(github, 1));
      const { id } = repository.pullRequest.reviewThreads.nodes[0];
      const forbidden = [{ type: 'FORBIDDEN', path: ['resolveReviewThread'], message: 'Resource not accessible by integration' }];
      expect(await refused(ask(github, 'ResolveReviewThread', { id }))).toEqual(forbidden);
      const app = 'harness9[bot]';
      const little = { pull_requests: 'write' } as const;
      expect(await refused(ask(github, 'ResolveReviewThread', { id }, { login: app, may: little }))).toEqual(forbidden);
      expect(github.snapshot().resolved).toEqual({});
      const done = await ask(github, 'ResolveReviewThread', { id }, { login: app });
      expect(done.resolveReviewThread.thread).toEqual({ id, isResolved: true, resolvedBy: { login: 'harness9' } });
    }));
});

describe('comments of every kind', () => {
  test('they are collapsed and reacted to by the identifier that REST gave', () =>
    withGitHub({}, async (github, repo) => {
      await github.openPull({ author: 'bob', head: 'fix', title: 'x', files: FIX });
      const { rest } = clientFor(github);
      const comment = (await rest.issues.createComment({ ...repo, issue_number: 1, body: 'x' })).data;
      const review = (await rest.pulls.createReview({ ...repo, pull_number: 1, event: 'COMMENT', body: 'x' })).data;
      const inline = await remark(github, 1);
      const lined = (await rest.pulls.getReviewComment({ ...repo, comment_id: inline.id })).data;
      const talk = github.openDiscussion({ author: 'bob', title: 'x' });
      const said = github.commentDiscussion({ author: 'bob', discussion: talk.number, body: 'x' });
      for (const id of [comment.node_id, review.node_id, lined.node_id, said.nodeId]) {
        const { minimizeComment } = await ask(github, 'MinimizeComment', { id, classifier: 'OUTDATED' });
        expect(minimizeComment.minimizedComment).toEqual({ isMinimized: true, minimizedReason: 'outdated' });
        expect((await ask(github, 'AddReaction', { id, content: 'EYES' })).addReaction).toMatchObject({
          reaction: { content: 'EYES' },
          subject: { id },
        });
      }
      const ids = [comment.id, review.id, lined.id, said.id];
      expect(github.snapshot().minimized).toEqual(Object.fromEntries(ids.map((id) => [id, 'outdated'])));
      const issue = (await rest.issues.get({ ...repo, issue_number: 1 })).data;
      const pull = (await rest.pulls.get({ ...repo, pull_number: 1 })).data;
      expect(issue.node_id).toBe(pull.node_id);
      await ask(github, 'AddReaction', { id: pull.node_id, content: 'ROCKET' });
      await ask(github, 'AddReaction', { id: talk.nodeId, content: 'HEART' });
      const { pulls, discussions } = github.snapshot();
      expect([pulls[0]?.reactions, discussions[0]?.reactions]).toEqual([
        [{ user: BOT, content: 'rocket' }],
        [{ user: BOT, content: 'heart' }],
      ]);
    }));
});

describe('the HTML of a text', () => {
  test('has addresses of its pictures that open them, by the identifier of what REST has not', () =>
    withGitHub({}, async (github) => {
      const { url } = github.attach({ author: 'bob', name: 'a.png', content: Buffer.from('x') });
      const body = `![a](${url})`;
      const talk = github.openDiscussion({ author: 'bob', title: 'x', body });
      const said = github.commentDiscussion({ author: 'bob', discussion: talk.number, body });
      await github.openPull({ author: 'bob', head: 'fix', title: 'x', files: FIX });
      const review = github.review({ author: 'bob', pull: 2, body, state: 'COMMENTED' });
      const reviewNode = Buffer.from(`PullRequestReview:${review.id}`).toString('base64url');
      for (const id of [talk.nodeId, said.nodeId, reviewNode]) {
        const { node } = await ask(github, 'BodyHtml', { id });
        expect(node.bodyHTML).toMatch(/<img src="[^"]+\/private-user-images\/[^"]+jwt=/);
      }
      expect(await refused(ask(github, 'BodyHtml', { id: 'none' }))).toMatchObject([{ type: 'NOT_FOUND', path: ['node'] }]);
    }));
});

describe('discussions', () => {
  test('a comment, an answer under it, an edit, a deletion', () =>
    withGitHub({}, async (github) => {
      const talk = github.openDiscussion({ author: 'bob', title: 'How?', body: 'So?', category: 'Ideas' });
      const { discussion } = (await ask(github, 'Discussion', at(github, talk.number))).repository;
      expect(discussion).toMatchObject({
        id: talk.nodeId,
        title: 'How?',
        category: { name: 'Ideas', slug: 'ideas' },
        author: { login: 'bob' },
      });
      const asked = github.commentDiscussion({ author: 'bob', discussion: talk.number, body: '@harness9 how' });
      const where = { discussionId: talk.nodeId, replyToId: asked.nodeId };
      const { comment } = (await ask(github, 'AddDiscussionComment', { ...where, body: 'working' })).addDiscussionComment;
      await ask(github, 'UpdateDiscussionComment', { id: comment.id, body: 'like this' });
      await ask(github, 'AddDiscussionComment', { discussionId: talk.nodeId, body: 'top' });
      const list = (await ask(github, 'DiscussionComments', at(github, talk.number))).repository.discussion.comments;
      expect(list).toMatchObject({
        totalCount: 2,
        nodes: [
          {
            body: '@harness9 how',
            replies: { nodes: [{ body: 'like this', lastEditedAt: '2026-01-01T00:00:00Z', replyTo: { databaseId: asked.id } }] },
          },
          { body: 'top', replies: { totalCount: 0, nodes: [] } },
        ],
      });
      await ask(github, 'DeleteDiscussionComment', { id: asked.nodeId });
      expect(github.snapshot().discussionComments.map(({ body, replyTo }) => [body, replyTo])).toEqual([['top', null]]);
    }));

  test('its number is of the one sequence of issues and pull requests', () =>
    withGitHub({}, async (github) => {
      github.openIssue({ author: 'bob', title: 'x' });
      expect(github.openDiscussion({ author: 'bob', title: 'x' }).number).toBe(2);
      expect(github.openIssue({ author: 'bob', title: 'x' }).number).toBe(3);
      expect((await github.openPull({ author: 'bob', head: 'a', title: 'x', files: FIX })).number).toBe(4);
      const fork = await github.openPull({ author: 'eve', fork: 'eve/shop', head: 'a', title: 'x', files: FIX });
      expect([fork.number, github.snapshot().refs['refs/pull/5/head']]).toEqual([5, expect.any(String)]);
    }));
});

describe('refs', () => {
  test('a branch is moved from where the client saw it, by force, and from nowhere else', () =>
    withGitHub({}, async (github) => {
      const [first, second] = [
        await github.pushCommit({ branch: 'a', files: { a: '1' }, message: 'x' }),
        await github.pushCommit({ branch: 'b', files: { b: '2' }, message: 'x' }),
      ];
      const repositoryId = (await ask(github, 'ThreadEdit', at(github, github.openIssue({ author: 'bob', title: 'x' }).number)))
        .repository.id;
      const move = { repositoryId, name: 'refs/heads/a', beforeOid: first, afterOid: second };
      expect(await ask(github, 'ReplaceRef', move)).toEqual({ updateRefs: { clientMutationId: null } });
      expect(github.snapshot().refs['refs/heads/a']).toBe(second);
      expect(await refused(ask(github, 'ReplaceRef', move))).toMatchObject([{ type: 'UNPROCESSABLE' }]);
      expect(await refused(ask(github, 'ReplaceRef', move, { may: { issues: 'write' } }))).toMatchObject([{ type: 'FORBIDDEN' }]);
    }));
});

describe('GraphQL refuses', () => {
  test('what is not there, in the words of each kind', () =>
    withGitHub({}, async (github) => {
      const of = (name: Name, variables: Variables) => refused(ask(github, name, variables));
      const issue = github.openIssue({ author: 'bob', title: 'x' });
      expect(await of('ThreadEdit', at(github, 9))).toEqual([
        {
          type: 'NOT_FOUND',
          path: ['repository', 'issueOrPullRequest'],
          message: 'Could not resolve to an issue or pull request with the number of 9.',
        },
      ]);
      expect(await of('MergeState', at(github, issue.number))).toMatchObject([
        { type: 'NOT_FOUND', path: ['repository', 'pullRequest'] },
      ]);
      expect(await of('Discussion', at(github, issue.number))).toMatchObject([
        { type: 'NOT_FOUND', path: ['repository', 'discussion'] },
      ]);
      expect(await of('Discussion', { ...at(github, 1), name: 'none' })).toEqual([
        { type: 'NOT_FOUND', path: ['repository'], message: "Could not resolve to a Repository with the name 'octo-org/none'." },
      ]);
      expect(await of('MinimizeComment', { id: 'bm9uZQ', classifier: 'OUTDATED' })).toEqual([
        { type: 'NOT_FOUND', path: ['minimizeComment'], message: "Could not resolve to a node with the global id of 'bm9uZQ'." },
      ]);
      const talk = github.openDiscussion({ author: 'bob', title: 'x' });
      expect(await of('UpdateDiscussionComment', { id: talk.nodeId, body: 'x' })).toMatchObject([{ type: 'NOT_FOUND' }]);
      expect(await of('MinimizeComment', { id: talk.nodeId, classifier: 'OUTDATED' })).toMatchObject([{ type: 'UNPROCESSABLE' }]);
    }));

  test('whoever lacks the permission', () =>
    withGitHub({}, async (github) => {
      const talk = github.openDiscussion({ author: 'bob', title: 'x' });
      github.openIssue({ author: 'bob', title: 'x' });
      const comment = github.comment({ author: 'bob', issue: 2, body: 'x' });
      const { id } = github.commentDiscussion({ author: 'bob', discussion: 1, body: 'x' });
      const before = github.snapshot();
      const may = { contents: 'write', pull_requests: 'write', discussions: 'read' } as const;
      const said = Buffer.from(`DiscussionComment:${id}`).toString('base64url');
      const calls: readonly (readonly [Name, Variables])[] = [
        ['AddDiscussionComment', { discussionId: talk.nodeId, body: 'x' }],
        ['UpdateDiscussionComment', { id: said, body: 'x' }],
        ['DeleteDiscussionComment', { id: said }],
        ['MinimizeComment', { id: said, classifier: 'SPAM' }],
        ['MinimizeComment', { id: Buffer.from(`IssueComment:${comment.id}`).toString('base64url'), classifier: 'SPAM' }],
        ['AddReaction', { id: talk.nodeId, content: 'EYES' }],
      ];
      for (const [name, variables] of calls) {
        expect([name, await refused(ask(github, name, variables, { may }))]).toEqual([
          name,
          [expect.objectContaining({ type: 'FORBIDDEN' })],
        ]);
      }
      expect(github.snapshot()).toEqual(before);
      expect(await refused(clientWith(github).graphql(QUERIES.Viewer))).toMatchObject({ status: 401 });
    }));

  test('texts that are too long or empty, answers to answers, and words of no enumeration', () =>
    withGitHub({}, async (github) => {
      const { number, nodeId } = github.openDiscussion({ author: 'bob', title: 'x' });
      const top = github.commentDiscussion({ author: 'bob', discussion: number, body: 'x' });
      const under = github.commentDiscussion({ author: 'bob', discussion: number, body: 'x', replyTo: top.id });
      const add = (body: string, replyToId?: string) =>
        refused(ask(github, 'AddDiscussionComment', { discussionId: nodeId, body, replyToId }));
      expect(await add('x'.repeat(65_537))).toMatchObject([
        { type: 'UNPROCESSABLE', message: 'Body is too long (maximum is 65536 characters)' },
      ]);
      expect(await add(' ')).toMatchObject([{ type: 'UNPROCESSABLE' }]);
      expect(await add('x', under.nodeId)).toMatchObject([
        { type: 'UNPROCESSABLE', message: 'Parent comment is already in a thread, cannot reply to it' },
      ]);
      expect(await refused(ask(github, 'AddReaction', { id: nodeId, content: 'WAVE' }))).toMatchObject([
        { message: expect.stringContaining('$content') },
      ]);
      expect(github.snapshot().discussionComments).toHaveLength(2);
    }));

  test('lists without a length, and longer ones than 100', () =>
    withGitHub({}, async (github) => {
      await github.openPull({ author: 'bob', head: 'fix', title: 'x', files: FIX });
      await remark(github, 1);
      const send = (from: string, to: string) =>
        refused(clientFor(github).graphql(QUERIES.ReviewThreads.replace(from, to), at(github, 1)));
      expect(await send('(first: 2, after: $after)', '')).toMatchObject([{ type: 'MISSING_PAGINATION_BOUNDARIES' }]);
      expect(await send('first: 100', 'first: 101')).toMatchObject([{ type: 'EXCESSIVE_PAGINATION' }]);
      expect(await refused(ask(github, 'ReviewThreads', { ...at(github, 1), after: 'x' }))).toMatchObject([
        { type: 'INVALID_CURSOR_ARGUMENTS' },
      ]);
    }));
});
