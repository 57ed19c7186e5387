import { describe, expect, test } from '@jest/globals';
import { type GitHubApi, GitHubApiError } from '../../../src/github/api.ts';
import { createProgress } from '../../../src/github/publish/progress.ts';
import { createRedactor } from '../../../src/redact/redactor.ts';
import type { Announcement } from '../../../src/schema/announcement.ts';
import type { EngineEvent } from '../../../src/schema/run.ts';
import { plan } from '../plan-and-bundle.ts';
import { createTestClock } from './stage.ts';

const announcement: Announcement = { version: 1, commentId: 77, startedAt: '2026-03-01T10:00:00Z', warnings: [] };
const step = (turn: number): EngineEvent => ({
  turn,
  type: 'tool_start',
  data: { id: 'a', name: 'bash', arguments: JSON.stringify({ command: `step ${turn}` }) },
});

const hideStep2 = (text: string) => text.replaceAll('step 2', '***');

/** An API that notes every edit and answers as told; all else is unexpected. */
function createEdits(answer: (number: number) => Promise<void> = () => Promise.resolve()) {
  const bodies: string[] = [];
  const unexpected = () => {
    throw new Error('unexpected call');
  };
  const api = {
    rest: async (route: string, parameters: { body: string; comment_id: number }) => {
      expect([route, parameters.comment_id]).toEqual(['PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', 77]);
      bodies.push(parameters.body);
      await answer(bodies.length);
      return { headers: {}, data: { id: 77, node_id: 'IC_77', html_url: '', body: parameters.body, user: null } };
    },
    pages: unexpected,
    graphql: unexpected,
  } as unknown as GitHubApi;
  return { api, bodies };
}

function start(answer?: (number: number) => Promise<void>, commentId: number | null = 77, egress = hideStep2) {
  const { clock, advance } = createTestClock('2026-03-01T10:00:00Z', false);
  const edits = createEdits(answer);
  const log: string[] = [];
  const ports = {
    api: edits.api,
    egress,
    clock,
    log: (line: string) => log.push(line),
  };
  return { progress: createProgress({ ...announcement, commentId }, plan, ports), bodies: edits.bodies, advance, log };
}

/** Lets everything that can go on without the clock go on. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('createProgress', () => {
  test('half a key, which the cut of a line leaves, is none that the egress knows, so whole ones go first', async () => {
    const token = `ghp_${'aB3'.repeat(12)}`;
    const { progress, bodies, advance } = start(undefined, 77, createRedactor([]).outward);
    const command = `: ${'x'.repeat(50)} ${token}`;
    progress.onEvent({ turn: 1, type: 'tool_start', data: { id: 'a', name: 'bash', arguments: JSON.stringify({ command }) } });
    advance(3_000);
    await settle();
    const content = `${'y'.repeat(130)} ${token}`;
    progress.onEvent({ turn: 2, type: 'todo_update', data: [{ id: '1', content, status: 'pending' }] });
    advance(3_000);
    await settle();
    expect(bodies).toHaveLength(2);
    expect(bodies.join()).toContain(`${'x'.repeat(50)} ***`);
    expect(bodies.join()).toContain(`${'y'.repeat(130)} \\*\\*\\*`);
    expect(bodies.join()).not.toContain('ghp_');
  });

  test('edits come at most one in three seconds, counted from the comment on, and the last state is shown (G1-31)', async () => {
    const { progress, bodies, advance } = start();
    progress.onEvent(step(1));
    advance(2_999);
    await settle();
    expect(bodies).toHaveLength(0);
    advance(1);
    await settle();
    expect(bodies).toHaveLength(1);
    for (let turn = 2; turn <= 40; turn += 1) progress.onEvent(step(turn));
    advance(3_000);
    await settle();
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toContain('turn 40 of 50 · 6 s');
    await progress.stop();
  });

  test('while nothing happens the time goes on every fifteen seconds', async () => {
    const { progress, bodies, advance } = start();
    for (let second = 0; second < 31; second += 1) {
      advance(1_000);
      await settle();
    }
    expect(bodies.map((body) => body.split('\n').at(-1))).toEqual(['Starting… · 15 s', 'Starting… · 30 s']);
    progress.onEvent(step(1));
    for (let second = 0; second < 3; second += 1) {
      advance(1_000);
      await settle();
    }
    expect(bodies).toHaveLength(3);
    expect(bodies[2]).toContain('- [ ] **Running `step 1`**\n\nturn 1 of 50 · 33 s');
    await progress.stop();
  });

  test('a run that ends within three seconds needs no edit', async () => {
    const { progress, bodies, advance } = start();
    progress.onEvent(step(1));
    await progress.stop();
    advance(10_000);
    await settle();
    expect(bodies).toEqual([]);
  });

  test('it carries the marker and passes the egress', async () => {
    const { progress, bodies, advance } = start();
    progress.onEvent(step(2));
    advance(3_000);
    await settle();
    await progress.stop();
    expect(bodies[0]).toMatch(/^<!-- harness9:v1 trigger=issue_comment-501 kind=progress -->\n### harness9 is working/);
    expect(bodies[0]).toContain('Running `***`');
  });

  test('stop waits for the edit that is under way, and nothing is edited after it', async () => {
    const gate = Promise.withResolvers<void>();
    const { progress, bodies, advance } = start(() => gate.promise);
    progress.onEvent(step(1));
    advance(3_000);
    await settle();
    let isStopped = false;
    const stopping = progress.stop().then(() => {
      isStopped = true;
    });
    await settle();
    expect(isStopped).toBe(false);
    gate.resolve();
    await stopping;
    progress.onEvent(step(2));
    advance(10_000);
    await settle();
    expect(bodies).toHaveLength(1);
  });

  test.each([
    [404, 'the comment was deleted'],
    [403, 'the permission is missing'],
  ])('after %i (%s) it stays quiet and never throws', async (status) => {
    const refusal = { status, route: 'PATCH', answer: 'no', isRateLimit: false, isMissingPermission: status === 403 };
    const { progress, bodies, advance } = start(() => Promise.reject(new GitHubApiError(refusal)));
    progress.onEvent(step(1));
    advance(3_000);
    await settle();
    progress.onEvent(step(2));
    advance(10_000);
    await settle();
    expect(bodies).toHaveLength(1);
    await progress.stop();
  });

  test('a passing fault is logged, and the next event is shown', async () => {
    const { progress, bodies, log, advance } = start((number) =>
      number === 1 ? Promise.reject(new Error('reset')) : Promise.resolve(),
    );
    progress.onEvent(step(1));
    advance(3_000);
    await settle();
    progress.onEvent(step(3));
    advance(3_000);
    await settle();
    expect(bodies).toHaveLength(2);
    expect(log).toEqual(['[publish] the progress comment is not kept up to date: reset']);
    await progress.stop();
  });

  test('without a comment it does nothing', async () => {
    const { progress, bodies } = start(undefined, null);
    progress.onEvent(step(1));
    await progress.stop();
    expect(bodies).toEqual([]);
  });

  test('while GitHub refuses by a limit, the next edit comes a minute later, then two (G1-31)', async () => {
    const limited = new GitHubApiError({
      status: 403,
      route: 'PATCH',
      answer: 'secondary',
      isRateLimit: true,
      isMissingPermission: false,
    });
    const { progress, bodies, advance } = start((number) => (number <= 2 ? Promise.reject(limited) : Promise.resolve()));
    const at: number[] = [];
    for (let second = 1; second <= 200; second += 1) {
      progress.onEvent(step(second));
      advance(1_000);
      await settle();
      while (at.length < bodies.length) at.push(second);
    }
    expect(at.slice(0, 3)).toEqual([3, 63, 183]);
    await progress.stop();
  });
});
