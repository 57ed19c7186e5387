import { describe, expect, test } from '@jest/globals';
import { BOT, clientFor, clientWith, createClock, withGitHub } from './world.ts';

describe('issues', () => {
  test('a comment made through the API is its actor’s and shows in the snapshot', () =>
    withGitHub({}, async (github, repo) => {
      github.openIssue({ author: 'bob', title: 'Rounding', body: 'It is off by one.' });
      const client = clientFor(github);
      const { data } = await client.rest.issues.createComment({ ...repo, issue_number: 1, body: 'working on it…' });
      await client.rest.issues.updateComment({ ...repo, comment_id: data.id, body: 'done' });
      expect(data.user?.login).toBe(BOT);
      expect(github.snapshot().comments).toEqual([
        {
          id: data.id,
          issue: 1,
          author: BOT,
          body: 'done',
          edited: true,
          createdAt: '2026-01-01T00:00:00Z',
          updatedAt: '2026-01-01T00:00:00Z',
          reactions: [],
        },
      ]);
    }));

  test('times come from the clock that was given', async () => {
    const clock = createClock();
    await withGitHub({ now: clock.now }, async (github, repo) => {
      github.openIssue({ author: 'bob', title: 'Rounding' });
      const client = clientFor(github);
      clock.advance(60);
      const { data } = await client.rest.issues.createComment({ ...repo, issue_number: 1, body: 'a' });
      clock.advance(60);
      const edited = await client.rest.issues.updateComment({ ...repo, comment_id: data.id, body: 'b' });
      expect([edited.data.created_at, edited.data.updated_at]).toEqual(['2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z']);
    });
  });

  test('comments come in pages of 30, with links, and a client reads them all', () =>
    withGitHub({}, async (github, repo) => {
      github.openIssue({ author: 'bob', title: 'Long' });
      for (let index = 0; index < 65; index += 1) github.comment({ author: 'bob', issue: 1, body: `comment ${index}` });
      const client = clientFor(github);
      const first = await client.rest.issues.listComments({ ...repo, issue_number: 1 });
      const all = await client.paginate(client.rest.issues.listComments, { ...repo, issue_number: 1, per_page: 100 });
      const pages = await client.paginate(client.rest.issues.listComments, { ...repo, issue_number: 1 });
      const base = `${github.apiUrl}/repos/${repo.owner}/${repo.repo}/issues/1/comments`;
      expect(first.data).toHaveLength(30);
      expect(first.headers.link).toBe(`<${base}?page=2>; rel="next", <${base}?page=3>; rel="last"`);
      expect([all.length, pages.length, pages[64]?.body]).toEqual([65, 65, 'comment 64']);
    }));

  test('`since` gives the comments that changed from then on', async () => {
    const clock = createClock();
    await withGitHub({ now: clock.now }, async (github, repo) => {
      github.openIssue({ author: 'bob', title: 'Rounding' });
      github.comment({ author: 'bob', issue: 1, body: 'old' });
      clock.advance(10);
      github.comment({ author: 'bob', issue: 1, body: 'new' });
      const { data } = await clientFor(github).rest.issues.listComments({
        ...repo,
        issue_number: 1,
        since: '2026-01-01T00:00:10Z',
      });
      expect(data.map((comment) => comment.body)).toEqual(['new']);
    });
  });

  test('an unchanged list is answered 304 to who has it', () =>
    withGitHub({}, async (github, repo) => {
      github.openIssue({ author: 'bob', title: 'Rounding' });
      const client = clientFor(github);
      const list = (etag?: string) =>
        client.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
          ...repo,
          issue_number: 1,
          headers: etag === undefined ? {} : { 'if-none-match': etag },
        });
      const { etag = '' } = (await list()).headers;
      await expect(list(etag)).rejects.toMatchObject({ status: 304 });
      github.comment({ author: 'bob', issue: 1, body: 'news' });
      expect((await list(etag)).data).toHaveLength(1);
    }));

  test('the same reaction twice is one reaction, and it can be taken back', () =>
    withGitHub({}, async (github, repo) => {
      github.openIssue({ author: 'bob', title: 'Rounding' });
      const comment = github.comment({ author: 'bob', issue: 1, body: '@harness9 fix' });
      const { rest } = clientFor(github);
      const target = { ...repo, comment_id: comment.id };
      const first = await rest.reactions.createForIssueComment({ ...target, content: 'eyes' });
      const again = await rest.reactions.createForIssueComment({ ...target, content: 'eyes' });
      expect([first.status, again.status, again.data.id]).toEqual([201, 200, first.data.id]);
      expect(github.snapshot().comments[0]?.reactions).toEqual([{ user: BOT, content: 'eyes' }]);
      expect((await rest.reactions.listForIssueComment(target)).data).toHaveLength(1);
      await rest.reactions.deleteForIssueComment({ ...target, reaction_id: first.data.id });
      await rest.reactions.createForIssue({ ...repo, issue_number: 1, content: '+1' });
      expect(github.snapshot().comments[0]?.reactions).toEqual([]);
      expect(github.snapshot().issues[0]?.reactions).toEqual([{ user: BOT, content: '+1' }]);
    }));

  test('labels, assignees, title and state change and stand in the timeline with their actor', () =>
    withGitHub({}, async (github, repo) => {
      github.addUser('alice', { permission: 'triage' });
      github.openIssue({ author: 'bob', title: 'Rounding', labels: ['bug'] });
      github.addLabel({ issue: 1, name: 'harness9', by: 'alice' });
      const { rest } = clientFor(github);
      const issue = { ...repo, issue_number: 1 };
      await rest.issues.addLabels({ ...issue, labels: ['later'] });
      await rest.issues.removeLabel({ ...issue, name: 'harness9' });
      await rest.issues.addAssignees({ ...issue, assignees: ['alice', 'nobody-known'] });
      await rest.issues.update({ ...issue, title: 'Rounding in total()', state: 'closed', state_reason: 'completed' });
      const comment = await rest.issues.createComment({ ...issue, body: 'closed' });
      await rest.issues.deleteComment({ ...repo, comment_id: comment.data.id });
      const timeline = await rest.issues.listEventsForTimeline(issue);
      const events = timeline.data.map((event) => [event.event, 'actor' in event ? event.actor?.login : undefined]);
      expect(events).toEqual([
        ['labeled', 'bob'],
        ['labeled', 'alice'],
        ['labeled', BOT],
        ['unlabeled', BOT],
        ['assigned', BOT],
        ['renamed', BOT],
        ['closed', BOT],
      ]);
      const { data } = await rest.issues.get(issue);
      expect([data.title, data.state, data.closed_by?.login, data.assignee?.login]).toEqual([
        'Rounding in total()',
        'closed',
        BOT,
        'alice',
      ]);
      expect(github.snapshot().issues[0]?.labels).toEqual(['bug', 'later']);
    }));

  test('issues are made and listed by state, label and creator', () =>
    withGitHub({}, async (github, repo) => {
      const { rest } = clientFor(github);
      await rest.issues.create({ ...repo, title: 'One', body: 'text', labels: ['bug'] });
      github.openIssue({ author: 'bob', title: 'Two' });
      github.closeThread(2, 'bob');
      const titles = async (query: { state?: 'all' | 'closed'; labels?: string; creator?: string }) =>
        (await rest.issues.listForRepo({ ...repo, ...query })).data.map((issue) => issue.title);
      expect(await titles({})).toEqual(['One']);
      expect(await titles({ state: 'all' })).toEqual(['Two', 'One']);
      expect(await titles({ state: 'closed' })).toEqual(['Two']);
      expect(await titles({ labels: 'bug' })).toEqual(['One']);
      expect(await titles({ state: 'all', creator: 'bob' })).toEqual(['Two']);
    }));

  test('the texts of a deleted account have no user', () =>
    withGitHub({}, async (github, repo) => {
      github.openIssue({ author: 'bob', title: 'Rounding' });
      const comment = github.comment({ author: 'bob', issue: 1, body: 'hello' });
      github.deleteUser('bob');
      const { rest } = clientFor(github);
      expect((await rest.issues.get({ ...repo, issue_number: 1 })).data.user).toBeNull();
      expect((await rest.issues.getComment({ ...repo, comment_id: comment.id })).data.user).toBeNull();
    }));
});

describe('people', () => {
  test.each([
    ['admin', 'admin', 'admin'],
    ['maintain', 'write', 'maintain'],
    ['write', 'write', 'write'],
    ['triage', 'read', 'triage'],
    ['read', 'read', 'read'],
    ['none', 'read', 'read'],
  ] as const)('a role of %s is permission %s with role_name %s on a public repository', (role, permission, name) =>
    withGitHub({}, async (github, repo) => {
      github.addUser('alice', { permission: role });
      const { data } = await clientFor(github).rest.repos.getCollaboratorPermissionLevel({ ...repo, username: 'alice' });
      expect([data.permission, data.role_name]).toEqual([permission, name]);
    }),
  );

  test('a stranger has no permission on a private repository', () =>
    withGitHub({ private: true }, async (github, repo) => {
      github.addUser('alice');
      const { data } = await clientFor(github).rest.repos.getCollaboratorPermissionLevel({ ...repo, username: 'alice' });
      expect(data.permission).toBe('none');
    }));

  test('a person’s token tells who it is, and anybody reads a public repository', () =>
    withGitHub({}, async (github, repo) => {
      expect((await clientFor(github, 'alice').rest.users.getAuthenticated()).data.login).toBe('alice');
      expect((await clientWith(github).rest.repos.get(repo)).data.full_name).toBe('octo-org/shop');
      expect((await clientWith(github).rest.users.getByUsername({ username: 'alice' })).data.type).toBe('User');
      expect((await clientWith(github).rest.rateLimit.get()).data.rate.limit).toBe(5000);
    }));
});
