import { describe, expect, test } from '@jest/globals';
import { decideGate } from '../../../src/github/event/decide-gate.ts';
import { decideTrigger } from '../../../src/github/event/decide-trigger.ts';
import { commentEvent, factsWith, issueEvent, run, settingsWith, threadWith } from './gate-fixtures.ts';

const decide = (body: string, facts = {}, settings = {}) =>
  decideGate(commentEvent(body), factsWith(facts), settingsWith(settings), run);

describe('control words that start no run', () => {
  test.each([
    ['stop', /^Nothing was running on this thread when this was read\.$/],
    ['status', /^Nothing was running on this thread when this was read\.$/],
    ['help', /^What can be said here:\n- `@harness9 <task>`: /],
    ['undo', /^`undo` is not offered by this version\. .*revert its commit/],
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
        notice: { thread: 12, triggerId: 'issue_comment-123', selfId: 41898282 },
      },
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
      '--max-turns 20',
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
      skip: { reason: 'no_task', notice: { thread: 12, triggerId: 'issue-12-opened', selfId: 41898282 } },
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
