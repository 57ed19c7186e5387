// `required_permission: none`: strangers meet the workflow's prompt, untrusted, and give no orders (decision 0038).
import { describe, expect, test } from '@jest/globals';
import { decideGate } from '../../../src/github/event/decide-gate.ts';
import type { GateFacts, Permission } from '../../../src/schema/gate.ts';
import type { GitHubEvent } from '../../../src/schema/github-event.ts';
import type { GateSettings } from '../../../src/schema/settings.ts';
import { commentEvent, factsWith, issueEvent, outsider, run, scheduleEvent, settingsWith } from './gate-fixtures.ts';

const open = { requiredPermission: 'none', prompt: 'Sort this issue.' } as const;
const opened = issueEvent({ sender: outsider });

function decide(event: GitHubEvent, settings: Partial<GateSettings>, requester: GateFacts['requester']) {
  return decideGate(event, factsWith({ requester }), settingsWith(settings), run);
}

const asking = (permission: Permission): GateFacts['requester'] => ({ kind: 'known', permission });

describe('where no permission is required', () => {
  test.each(['none', 'read', 'triage'] as const)(
    'an issue by somebody with the permission %s meets the prompt, untrusted',
    (permission) => {
      const decision = decide(opened, { ...open, createPr: 'ready', network: 'open', context: 'all' }, asking(permission));
      if (decision.kind === 'skip') throw new Error(decision.skip.detail);
      const { trust, tools, bash, network, delivery, instruction } = decision.plan;
      expect([trust, tools, bash, network, delivery]).toEqual(['untrusted', 'read_only', 'denied', 'off', 'reply']);
      expect(instruction).toEqual({ text: 'Sort this issue.', command: null });
    },
  );

  test('a writer’s issue is trusted as ever', () => {
    const decision = decide(issueEvent(), open, asking('write'));
    expect(decision.kind === 'run' && decision.plan.trust).toBe('trusted');
  });

  const orders: readonly (readonly [string, GitHubEvent])[] = [
    ['A1 a comment with a mention', commentEvent('@harness9 sort this', { sender: outsider })],
    ['A8 a label', issueEvent({ action: 'labeled', label: 'harness9', sender: outsider })],
    ['A8 an assignment', issueEvent({ action: 'assigned', assignee: 'robot', sender: outsider })],
  ];

  test.each(orders)('%s still takes a writer', (_name, event) => {
    for (const permission of ['none', 'read', 'triage'] as const) {
      const decision = decide(event, { ...open, assigneeTrigger: 'robot' }, asking(permission));
      expect(decision).toMatchObject({ skip: { reason: 'no_permission', conclusion: 'denied', notice: null } });
    }
  });

  test('A3 a permission that cannot be verified is a no', () => {
    const decision = decide(opened, open, { kind: 'unknown', reason: 'GitHub answered 500' });
    expect(decision).toMatchObject({ skip: { reason: 'permission_unknown', conclusion: 'denied' } });
  });

  test('A4 a bot must be listed by name', () => {
    const event = issueEvent({ sender: { login: 'evil[bot]', id: 5, type: 'Bot' } });
    expect(decide(event, open, asking('none'))).toMatchObject({ skip: { reason: 'bot', conclusion: 'denied' } });
  });

  test('an issue without the workflow’s prompt, and one that mentions us, take a writer', () => {
    for (const body of ['It is broken.', '@harness9 fix it']) {
      const decision = decide(issueEvent({ sender: outsider, body }), { requiredPermission: 'none' }, asking('read'));
      expect(decision.kind).toBe('skip');
    }
  });

  test('`allowed_users` narrows it to those names', () => {
    expect(decide(opened, { ...open, allowedUsers: ['mona'] }, asking('read'))).toMatchObject({
      skip: { reason: 'no_permission' },
    });
    expect(decide(opened, { ...open, allowedUsers: [outsider.login] }, asking('read')).kind).toBe('run');
  });

  test('a schedule that an account without a role left behind is untrusted, too', () => {
    const decision = decide(scheduleEvent(outsider), open, asking('read'));
    expect(decision.kind === 'run' && [decision.plan.trust, decision.plan.delivery]).toEqual(['untrusted', 'reply']);
  });
});
