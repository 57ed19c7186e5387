import { afterEach, describe, expect, test } from '@jest/globals';
import { type Watch, type WatchParts, watchThread } from '../../../src/github/control/watch-thread.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { settingsWith } from '../event/gate-fixtures.ts';
import { us } from '../publish/places.ts';
import { createTestClock, openStage, type Stage } from '../publish/stage.ts';

const running: { readonly stage: Stage; readonly watch: Watch }[] = [];
afterEach(async () => {
  for (const { stage, watch } of running.splice(0)) {
    await watch.end();
    await stage.close();
  }
});

/** A run that is watched, on a clock that the test moves. */
async function watched(
  more: (stage: Stage) => Promise<Partial<RunPlan>> | Partial<RunPlan> = () => ({}),
  of: Partial<WatchParts['settings']> = {},
) {
  const stage = await openStage();
  const { clock, advance } = createTestClock(new Date().toISOString(), false);
  stage.hub.addUser('rita', { permission: 'read' });
  stage.hub.addUser('wendy', { permission: 'write' });
  const asked = stage.plan.trigger;
  const at = stage.hub.snapshot().comments[0]?.createdAt ?? '';
  const plan: RunPlan = { ...stage.plan, trigger: { ...asked, at }, ...(await more(stage)) };
  const ports = { ...stage.ports, clock };
  const watch = watchThread({ plan, settings: settingsWith(of), status: () => 'At work: turn 7 of 50', ports });
  running.push({ stage, watch });
  /** Lets 15 s go by, and everything that comes of it. */
  const tick = async () => {
    const before = stage.hub.requests.length;
    advance(15_000);
    for (let wait = 0; wait < 50 && (wait < 15 || stage.hub.requests.length === before); wait += 1) {
      await new Promise((done) => setTimeout(done, 10));
    }
  };
  const say = (author: string, body: string) => stage.hub.comment({ author, issue: plan.thread?.number ?? 0, body });
  const said = () => stage.hub.snapshot().comments.flatMap(({ author, body }) => (author === us ? body : []));
  return { stage, watch, tick, say, said, plan };
}

const replyTo = (id: number, text: string) => `<!-- harness9:v1 trigger=issue_comment-${id} kind=reply -->\n${text}`;
const stopping = 'Stopping. What is done so far comes with the answer to the request that is worked on.';

describe('watchThread', () => {
  test('`stop` by somebody who may ask ends the run, and is answered under its own marker, once', async () => {
    const { watch, tick, say, said } = await watched();
    const order = say('wendy', '@harness9 stop');
    await tick();
    expect([watch.stopped.aborted, watch.stoppedBy()]).toEqual([true, 'wendy']);
    await tick();
    expect(said()).toEqual([replyTo(order.id, stopping)]);
  });

  test('`status` is answered in one line, each time that it is asked, and ends nothing', async () => {
    const { watch, tick, say, said } = await watched();
    const one = say('wendy', '@harness9 status');
    await tick();
    const two = say('mona', '@harness9 status');
    await tick();
    expect(said()).toEqual([replyTo(one.id, 'At work: turn 7 of 50'), replyTo(two.id, 'At work: turn 7 of 50')]);
    expect(watch.stopped.aborted).toBe(false);
  });

  test('a word that cannot be answered does not swallow the next one', async () => {
    const { stage, watch, tick, say, said } = await watched();
    stage.hub.fail({ method: 'POST', path: /issues\/\d+\/comments/, status: 403, body: { message: 'Locked' }, times: 1 });
    say('wendy', '@harness9 status');
    const order = say('mona', '@harness9 stop, please');
    await tick();
    expect(watch.stoppedBy()).toBe('mona');
    expect(said()).toEqual([replyTo(order.id, stopping)]);
    expect(stage.log.filter((line) => line.includes('is not answered'))).toHaveLength(1);
    const later = say('mona', '@harness9 status');
    await tick();
    expect(said()[1]).toBe(replyTo(later.id, 'At work: turn 7 of 50'));
  });

  test.each([
    ['who may only read', 'rita', '@harness9 stop'],
    ['nobody knows', 'eve', '@harness9 stop'],
    ['who writes about it', 'wendy', 'please do not say `@harness9 stop`'],
    ['who asks for more', 'wendy', '@harness9 stop using var'],
    ['who asks for something else', 'wendy', '@harness9 continue'],
    ['who quotes our marker', 'wendy', '<!-- harness9:v1 trigger=a kind=reply -->\n@harness9 stop'],
  ])('a person %s is not heard', async (_who, author, body) => {
    const { watch, tick, say, said } = await watched();
    say(author, body);
    await tick();
    expect([watch.stopped.aborted, said()]).toEqual([false, []]);
  });

  test('an outsider who was let in stops the own run, and no other', async () => {
    const lists = { allowedNonWriteUsers: ['rita'] };
    const other = await watched(undefined, lists);
    other.say('rita', '@harness9 stop');
    await other.tick();
    expect(other.watch.stopped.aborted).toBe(false);
    const own = await watched((stage) => {
      const { id } = stage.hub.comment({ author: 'rita', issue: stage.plan.thread?.number ?? 0, body: 'hi' });
      const { user } = stage.hub.payload('issue_comment', { issue: stage.plan.thread?.number ?? 0, comment: id }).comment as {
        user: { id: number };
      };
      return { requester: { login: 'rita', id: user.id } };
    }, lists);
    own.say('rita', '@harness9 stop');
    await own.tick();
    expect(own.watch.stoppedBy()).toBe('rita');
  });

  test('what was edited into a comment later is not heard', async () => {
    const { stage, watch, tick, say } = await watched();
    const { id } = say('wendy', 'hello');
    await new Promise((done) => setTimeout(done, 1_100));
    stage.hub.editComment(id, '@harness9 stop');
    await tick();
    expect(watch.stopped.aborted).toBe(false);
  });

  test('a word that another run has answered, and one from before the request, are none for this one', async () => {
    const { stage, watch, tick, say, plan } = await watched(async ({ hub, plan: { thread } }) => {
      hub.comment({ author: 'wendy', issue: thread?.number ?? 0, body: '@harness9 stop' });
      await new Promise((done) => setTimeout(done, 1_100));
      const later = hub.comment({ author: 'mona', issue: thread?.number ?? 0, body: '@harness9 go' });
      const at = hub.snapshot().comments.find(({ id }) => id === later.id)?.createdAt ?? '';
      return { trigger: { kind: 'mention', id: `issue_comment-${later.id}`, at, target: null } };
    });
    const { id } = say('wendy', '@harness9 stop');
    stage.hub.comment({ author: us, issue: plan.thread?.number ?? 0, body: replyTo(id, 'Nothing was running.') });
    await tick();
    expect(watch.stopped.aborted).toBe(false);
  });

  test('while nothing is new GitHub is asked by condition, at most once in 15 s', async () => {
    const { stage, tick } = await watched();
    const before = stage.hub.requests.length;
    for (let turn = 0; turn < 3; turn += 1) await tick();
    const asked = stage.hub.requests.slice(before);
    expect(asked.map(({ status }) => status)).toEqual([200, 304, 304]);
  });

  test('on a pull request it is heard in a review thread too, and answered there', async () => {
    const { stage, watch, tick, plan } = await watched(async ({ hub, plan: { trigger } }) => {
      const files = { 'src/cart.ts': 'export const total = 2;\n' };
      const pull = await hub.openPull({ author: 'mona', head: 'feature', title: 'Rounding', files });
      const at = hub.snapshot().comments[0]?.createdAt ?? '';
      return { thread: { kind: 'pull_request', number: pull.number, title: 'Rounding' }, trigger: { ...trigger, at } };
    });
    const draft = { author: 'wendy', pull: plan.thread?.number ?? 0, path: 'src/cart.ts', line: 1 } as const;
    const root = await stage.hub.reviewComment({ ...draft, body: 'why 2?' });
    const order = await stage.hub.reviewComment({ ...draft, body: '@harness9 stop', inReplyTo: root.id });
    await tick();
    await tick();
    expect(watch.stoppedBy()).toBe('wendy');
    const { reviewComments } = stage.hub.snapshot();
    expect(reviewComments.filter(({ author }) => author === us).map(({ body }) => body)).toEqual([
      `<!-- harness9:v1 trigger=pull_request_review_comment-${order.id} kind=reply -->\n${stopping}`,
    ]);
  });

  test.each([
    ['a refusal', { status: 403, body: { message: 'Resource not accessible by integration' } }, 1],
    ['a fault', { status: 502 }, 3],
  ])('%s is a line in the log, and a refusal ends the watch', async (_what, answer, polls) => {
    const { stage, watch, tick } = await watched();
    stage.hub.fail({ method: 'GET', path: /issues\/\d+\/comments/, ...answer, times: 99 });
    const before = stage.hub.requests.length;
    for (let turn = 0; turn < 3; turn += 1) await tick();
    expect(stage.hub.requests.length - before).toBe(polls);
    expect(stage.log.filter((line) => line.startsWith('[control]'))).toHaveLength(polls);
    expect(watch.stopped.aborted).toBe(false);
  });

  test('after a refusal by a limit it waits two minutes', async () => {
    const { stage, tick } = await watched();
    const limited = {
      status: 403,
      headers: { 'retry-after': '60' },
      body: { message: 'You have exceeded a secondary rate limit.' },
    };
    stage.hub.fail({ method: 'GET', path: /issues\/\d+\/comments/, ...limited, times: 1 });
    const before = stage.hub.requests.length;
    for (let turn = 0; turn < 4; turn += 1) await tick();
    expect(stage.hub.requests.length - before).toBe(1);
    for (let turn = 0; turn < 5; turn += 1) await tick();
    expect(stage.hub.requests.length - before).toBe(2);
  });
});
