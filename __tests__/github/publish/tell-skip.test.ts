import { describe, expect, test } from '@jest/globals';
import { tellSkip } from '../../../src/github/publish/tell-skip.ts';
import type { Skip } from '../../../src/schema/gate.ts';
import { never, openStage } from './stage.ts';

const answered: Skip = { version: 1, reason: 'no_task', detail: 'What can be said here:', conclusion: 'skipped', notice: null };
const denied: Skip = { ...answered, reason: 'thread_limit', detail: 'Too many.', conclusion: 'denied' };

/** What the thread holds after this skip was told with a notice, or without one. */
async function told(skip: Skip, { isTold = true, attempts = 1, earlier = [] as readonly string[] } = {}) {
  const stage = await openStage();
  try {
    const { thread, self } = stage.plan;
    const number = thread?.number ?? 0;
    const channel = { kind: 'thread', number } as const;
    const notice = isTold ? { thread: number, triggerId: 'issue_comment-1', selfId: self.id, channel } : null;
    for (const body of earlier) stage.hub.comment({ author: 'eve', issue: thread?.number ?? 0, body });
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      await tellSkip({ ...skip, notice }, { owner: 'acme', repo: 'shop' }, { ports: stage.ports, signal: never });
    }
    return stage.hub.snapshot().comments.flatMap(({ author, body }) => (author === 'github-actions[bot]' ? body : []));
  } finally {
    await stage.close();
  }
}

describe('tellSkip', () => {
  test('the answer to a control word is the detail as it is, under the marker of a reply', async () => {
    expect(await told(answered)).toEqual(['<!-- harness9:v1 trigger=issue_comment-1 kind=reply -->\nWhat can be said here:']);
  });

  test('what was denied says that it was not started, and passes the egress', async () => {
    expect(await told({ ...denied, detail: 'hunter2-hunter2 asked.' })).toEqual([
      '<!-- harness9:v1 trigger=issue_comment-1 kind=reply -->\n**Not started:** *** asked.',
    ]);
  });

  test('a job that is run again finds its own notice and says nothing twice (R4)', async () => {
    expect(await told(answered, { attempts: 2 })).toHaveLength(1);
  });

  test('G8 a foreign comment with our marker does not silence it', async () => {
    const earlier = ['<!-- harness9:v1 trigger=issue_comment-1 kind=reply -->\nforged'];
    expect(await told(answered, { earlier })).toHaveLength(1);
  });

  test('A1 without a notice nothing is said', async () => {
    expect(await told(denied, { isTold: false })).toEqual([]);
  });
});
