import { describe, expect, test } from '@jest/globals';
import { decideGate } from '../../../src/github/event/decide-gate.ts';
import { decideTrigger } from '../../../src/github/event/decide-trigger.ts';
import {
  commentEvent,
  discussionComment,
  factsWith,
  issueEvent,
  reviewEvent,
  run,
  settingsWith,
  threadWith,
} from './gate-fixtures.ts';

const decide = (body: string, facts = {}, settings = {}) =>
  decideGate(commentEvent(body), factsWith(facts), settingsWith(settings), run);

describe('control words that start no run', () => {
  test.each([
    ['stop', /^Nothing is at work on this thread\.$/],
    ['status', /^Nothing is at work on this thread\.$/],
    ['help', /^What can be said here:\n- `@harness9 <task>`: /],
    ['undo', /^There is nothing to take back here: /],
    ['plan', /^`plan` needs to know what for: reply `@harness9 plan <task>`\.\n\nWhat can be said here:\n/],
    ['plan: --max-turns 20', /^`plan` needs to know what for: /],
    ['plan <!-- hidden -->', /^`plan` needs to know what for: /],
  ])('%s is answered on the thread and skipped', (word, detail) => {
    expect(decide(`@harness9 ${word}`)).toEqual({
      kind: 'skip',
      skip: {
        version: 1,
        reason: 'no_task',
        conclusion: 'skipped',
        detail: expect.stringMatching(detail),
        notice: { thread: 12, triggerId: 'issue_comment-123', selfId: 41898282, channel: { kind: 'thread', number: 12 } },
      },
    });
  });

  test.each(['stop', 'status'])('%s is left to the run that is at work, as long as its progress is fresh', (word) => {
    const at = (progressAt: string) => decide(`@harness9 ${word}`, { thread: threadWith({ progressAt }) });
    expect(at('2026-01-02T02:40:00Z')).toMatchObject({ skip: { reason: 'answered', notice: null } });
    expect(at('2026-01-02T02:30:00Z')).toMatchObject({
      skip: { reason: 'no_task', detail: 'Nothing is at work on this thread.' },
    });
    expect(decide('@harness9 undo', { thread: threadWith({ progressAt: '2026-01-02T03:04:00Z' }) })).toMatchObject({
      skip: { detail: expect.stringMatching(/^There is nothing to take back here: /) },
    });
  });

  test('in a review, which a run does not hear, it is said how it is stopped; in a discussion it is heard', () => {
    const facts = factsWith({ thread: threadWith({ progressAt: '2026-01-02T03:04:00Z' }) });
    const review = reviewEvent('@harness9 stop');
    expect(decideGate(review, facts, settingsWith(), run)).toMatchObject({
      skip: {
        reason: 'no_task',
        detail: expect.stringMatching(/^A run is at work here, /),
        notice: { thread: review.thread.number },
      },
    });
    expect(decideGate(discussionComment('@harness9 stop'), facts, settingsWith(), run)).toMatchObject({
      skip: { reason: 'answered', notice: null },
    });
  });

  test('help names every word that does something, by the workflow’s own handle', () => {
    const decision = decide('@bot help', {}, { triggerPhrases: ['@bot', '@harness9'] });
    const detail = decision.kind === 'skip' ? decision.skip.detail : '';
    expect(Array.from(detail.matchAll(/^- `([^`]+)`/gm), (match) => match[1])).toEqual([
      '@bot <task>',
      '@bot continue',
      '@bot new <task>',
      '@bot review',
      '@bot plan <task>',
      '@bot approve',
      '@bot undo',
      '@bot status',
      '@bot stop',
    ]);
  });

  test.each(['continue', 'new fix it', 'review', 'plan fix it', 'approve', 'help me with the totals'])(
    '%s starts a run',
    (words) => {
      expect(decide(`@harness9 ${words}`).kind).toBe('run');
    },
  );

  test('plan has a task when it stands before the handle, or in the workflow’s prompt', () => {
    expect(decide('The totals are off. @harness9 plan').kind).toBe('run');
    expect(decide('@harness9 plan', {}, { prompt: 'Fix the totals.' }).kind).toBe('run');
  });

  test('a prompt of the workflow makes no task of it, and an issue that is opened with it is answered too', () => {
    expect(decide('@harness9 help', {}, { prompt: 'Fix.' })).toMatchObject({ skip: { reason: 'no_task' } });
    expect(decideGate(issueEvent({ body: '@harness9 help' }), factsWith(), settingsWith(), run)).toMatchObject({
      skip: {
        reason: 'no_task',
        notice: { thread: 12, triggerId: 'issue-12-opened', selfId: 41898282, channel: { kind: 'thread', number: 12 } },
      },
    });
  });

  test('A1 who may not ask is not answered, nor is anybody on a locked or full thread', () => {
    const reasons = [
      decide('@harness9 help', { requester: { kind: 'known', permission: 'read' } }),
      decide('@harness9 help', { thread: threadWith({ isLocked: true }) }),
      decide('@harness9 help', { thread: threadWith({ runsInLastDay: 21 }) }),
    ].map((decision) => decision.kind === 'skip' && [decision.skip.reason, decision.skip.notice]);
    expect(reasons).toEqual([
      ['no_permission', null],
      ['locked', null],
      ['thread_limit', null],
    ]);
  });

  test('where no comments are wanted nothing is said', () => {
    expect(decide('@harness9 help', {}, { comment: 'none' })).toMatchObject({ skip: { reason: 'no_task', notice: null } });
  });

  test('the event alone does not decide it: facts and permission come first', () => {
    expect(decideTrigger(commentEvent('@harness9 help'), settingsWith(), run).kind).toBe('trigger');
  });
});
