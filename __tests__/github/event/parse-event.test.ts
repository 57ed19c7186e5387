import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import { parseEvent } from '../../../src/github/event/parse-event.ts';
import { Harness9Error } from '../../../src/schema/error.ts';
import { gitHubEventSchema } from '../../../src/schema/github-event.ts';

interface Example {
  readonly name: string;
  readonly examples: readonly object[];
}
/** GitHub's own example payloads, as Octokit publishes them. */
const published: readonly Example[] = createRequire(import.meta.url)('@octokit/webhooks-examples');

/** GitHub writes no payload of its own for schedule, and pull_request’s for pull_request_target. */
const known = [
  'issue_comment',
  'pull_request_review_comment',
  'pull_request_review',
  'issues',
  'pull_request',
  'discussion',
  'discussion_comment',
  'workflow_run',
  'check_suite',
  'workflow_dispatch',
  'repository_dispatch',
  'push',
];

const repository = { id: 9, name: 'r', owner: { login: 'o' }, default_branch: 'main', private: false };
const user = { login: 'mona', id: 1, type: 'User' };
const issue = {
  number: 12,
  title: 'T',
  body: null,
  user,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-02T00:00:00Z',
};
const comment = {
  id: 123,
  body: '@harness9 x',
  user,
  created_at: '2026-01-02T03:04:05Z',
  html_url: 'https://github.com/o/r/issues/12',
};
const commentPayload = { action: 'created', repository, sender: user, issue, comment };

const parsed = {
  version: 1,
  action: 'created',
  repository: { id: 9, owner: 'o', name: 'r', defaultBranch: 'main', isPrivate: false },
  sender: user,
  comment: {
    id: 123,
    body: '@harness9 x',
    createdAt: '2026-01-02T03:04:05Z',
  },
};

function faultOf(action: () => unknown): Harness9Error {
  try {
    action();
  } catch (error) {
    if (error instanceof Harness9Error) return error;
  }
  throw new Error('no Harness9Error was thrown');
}

describe('parseEvent', () => {
  test.each(published.flatMap(({ name, examples }) => examples.map((payload, index) => [name, index, payload] as const)))(
    'reads the published example %s %i into the union',
    (name, _index, payload) => {
      const event = parseEvent(name, payload);
      expect(event.kind).toBe(known.includes(name) ? name : 'other');
      expect(gitHubEventSchema.parse(event)).toEqual(event);
    },
  );

  test('reads a comment on an issue, and on a pull request by the key pull_request', () => {
    const onIssue = { ...parsed, kind: 'issue_comment', thread: { kind: 'issue', number: 12 }, title: 'T' };
    expect(parseEvent('issue_comment', commentPayload)).toEqual(onIssue);
    const onPull = { ...commentPayload, issue: { ...issue, pull_request: { url: 'x' } } };
    expect(parseEvent('issue_comment', onPull)).toEqual({ ...onIssue, thread: { kind: 'pull_request', number: 12 } });
  });

  test('reads a review comment with its place in the diff, also where GitHub sends no line', () => {
    const place = { path: 'a.ts', line: 3, diff_hunk: '@@ -1 +1 @@' };
    const payload = {
      action: 'created',
      repository,
      sender: user,
      comment: { ...comment, ...place },
      pull_request: { number: 7, title: 'P', head: { sha: 'abc', repo: { id: 9 } } },
    };
    const expected = {
      ...parsed,
      kind: 'pull_request_review_comment',
      thread: { kind: 'pull_request', number: 7 },
      title: 'P',
      headSha: 'abc',
      isFork: false,
      rootId: 123,
      path: 'a.ts',
      line: 3,
      diffHunk: '@@ -1 +1 @@',
    };
    expect(parseEvent('pull_request_review_comment', payload)).toEqual(expected);
    const noLine = { ...payload, comment: { ...payload.comment, line: undefined } };
    expect(parseEvent('pull_request_review_comment', noLine)).toEqual({ ...expected, line: null });
    const reply = { ...payload, comment: { ...payload.comment, in_reply_to_id: 99 } };
    expect(parseEvent('pull_request_review_comment', reply)).toEqual({ ...expected, rootId: 99 });
    // The fork was deleted (G1-09).
    const forked = { ...payload, pull_request: { ...payload.pull_request, head: { sha: 'abc', repo: null } } };
    expect(parseEvent('pull_request_review_comment', forked)).toEqual({ ...expected, isFork: true });
  });

  test('dates a label by the update that it made, and an opened issue by its creation', () => {
    const base = { repository, sender: user, issue };
    const labeled = parseEvent('issues', { ...base, action: 'labeled', label: { name: 'harness9' } });
    expect(labeled).toEqual({
      version: 1,
      kind: 'issues',
      action: 'labeled',
      repository: parsed.repository,
      sender: user,
      thread: { kind: 'issue', number: 12 },
      title: 'T',
      body: '',
      label: 'harness9',
      createdAt: issue.updated_at,
    });
    expect(parseEvent('issues', { ...base, action: 'opened' })).toMatchObject({ createdAt: issue.created_at });
  });

  test('G1-05 A10 a gone account is null as sender, and its comment is read', () => {
    const payload = { ...commentPayload, sender: null, comment: { ...comment, user: null }, issue: { ...issue, user: null } };
    expect(parseEvent('issue_comment', payload)).toMatchObject({ sender: null, comment: parsed.comment });
  });

  test('A4 an account type that nobody knows counts as a bot', () => {
    const payload = { ...commentPayload, sender: { ...user, type: 'Agent' } };
    expect(parseEvent('issue_comment', payload).sender).toEqual({ ...user, type: 'Bot' });
  });

  test('a schedule is sent by the runner’s actor, and by nobody when there is none', () => {
    const payload = { schedule: '0 3 * * 1', repository };
    const expected = { version: 1, kind: 'schedule', action: '', repository: parsed.repository };
    expect(parseEvent('schedule', payload, { actor: { login: 'mona', id: 1 } })).toEqual({ ...expected, sender: user });
    expect(parseEvent('schedule', payload)).toEqual({ ...expected, sender: null });
    expect(parseEvent('schedule', payload, { actor: { login: 'a[bot]', id: 2 } }).sender).toEqual({
      login: 'a[bot]',
      id: 2,
      type: 'Bot',
    });
  });

  test('a dispatch keeps its branch and whether something was filled in, and nothing of what it was', () => {
    const payload = { ref: 'refs/heads/x', inputs: { a: 'b', c: true, d: null }, repository, sender: user };
    const expected = {
      version: 1,
      kind: 'workflow_dispatch',
      action: '',
      repository: parsed.repository,
      sender: user,
      ref: 'refs/heads/x',
      hasInputs: true,
    };
    expect(parseEvent('workflow_dispatch', payload)).toEqual(expected);
    for (const inputs of [null, {}, undefined]) {
      expect(parseEvent('workflow_dispatch', { ...payload, inputs })).toEqual({ ...expected, hasInputs: false });
    }
  });

  test.each([[null], [7], [[]], [{ repository: 'x', sender: 5, action: {} }]])(
    'an unknown event with the payload %j is other, never a crash',
    (payload) => {
      expect(parseEvent('brand_new', payload)).toMatchObject({ kind: 'other', name: 'brand_new', action: '', sender: null });
    },
  );

  test('a malformed payload names the field and what was seen', () => {
    const fault = faultOf(() => parseEvent('issue_comment', { ...commentPayload, comment: { ...comment, id: 'x1' } }));
    expect(fault.code).toBe('EVENT_MALFORMED');
    expect(fault.message).toContain('comment.id');
    expect(fault.message).toContain('saw "x1"');
    expect(faultOf(() => parseEvent('issues', undefined)).message).toContain('payload');
  });

  test('A10 an event of another repository is refused', () => {
    expect(faultOf(() => parseEvent('issue_comment', commentPayload, { repositoryId: 10 })).code).toBe('EVENT_FOREIGN');
    expect(parseEvent('issue_comment', commentPayload, { repositoryId: 9 }).kind).toBe('issue_comment');
  });
});
