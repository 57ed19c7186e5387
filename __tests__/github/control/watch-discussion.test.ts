// The same words as in watch-thread.test.ts, said in a discussion: GraphQL alone tells of it.
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Watch, watchThread } from '../../../src/github/control/watch-thread.ts';
import { settingsWith } from '../event/gate-fixtures.ts';
import { openScene, type Scene, us } from '../publish/places.ts';
import { createTestClock } from '../publish/stage.ts';

const running: { readonly scene: Scene; readonly watch: Watch }[] = [];
afterEach(async () => {
  for (const { scene, watch } of running.splice(0)) {
    await watch.end();
    await scene.stage.close();
  }
});

async function watched() {
  const scene = await openScene('discussion');
  const { stage, plan } = scene;
  const { hub } = stage;
  hub.addUser('rita', { permission: 'read' });
  hub.addUser('wendy', { permission: 'write' });
  hub.addUser('noisy[bot]', { type: 'Bot', permission: 'write' });
  const { clock, advance } = createTestClock(new Date().toISOString(), false);
  const discussion = plan.thread?.number ?? 0;
  const asked = hub.snapshot().discussionComments.at(-1);
  const trigger = { ...plan.trigger, at: asked?.createdAt ?? '' };
  const ports = { ...stage.ports, clock };
  const parts = { plan: { ...plan, trigger }, settings: settingsWith(), status: () => 'At work: turn 7 of 50', ports };
  const watch = watchThread(parts);
  running.push({ scene, watch });
  const reads = () => hub.requests.filter(({ route }) => route?.includes('DiscussionComments') === true).length;
  /** Lets 30 s go by, and everything that comes of it. */
  const tick = async () => {
    const before = reads();
    advance(30_000);
    for (let wait = 0; wait < 60 && (wait < 25 || reads() === before); wait += 1) {
      await new Promise((done) => setTimeout(done, 10));
    }
  };
  const say = (author: string, body: string, replyTo?: number) =>
    hub.commentDiscussion({ author, discussion, body, ...(replyTo === undefined ? {} : { replyTo }) });
  const said = () =>
    hub.snapshot().discussionComments.flatMap(({ author, body, replyTo }) => (author === us ? [[body, replyTo]] : []));
  return { hub, watch, tick, say, said, reads, asked: asked?.id ?? 0 };
}

const replyTo = (id: number, text: string) => `<!-- harness9:v1 trigger=discussion_comment-${id} kind=reply -->\n${text}`;
const stopping = 'Stopping. What is done so far comes with the answer to the request that is worked on.';

describe('watchThread in a discussion', () => {
  test('`stop` in the branch of the request ends the run, and is answered there, once', async () => {
    const { watch, tick, say, said, asked } = await watched();
    const order = say('wendy', '@harness9 stop', asked);
    await tick();
    expect([watch.stopped.aborted, watch.stoppedBy()]).toEqual([true, 'wendy']);
    await tick();
    expect(said()).toEqual([[replyTo(order.id, stopping), asked]]);
  });

  test('`status` in a comment of its own is answered under it, and one in another branch in that one', async () => {
    const { watch, tick, say, said } = await watched();
    const other = say('rita', 'What about banks?');
    const one = say('wendy', '@harness9 status');
    const two = say('mona', '@harness9 status', other.id);
    await tick();
    expect(said()).toEqual([
      [replyTo(two.id, 'At work: turn 7 of 50'), other.id],
      [replyTo(one.id, 'At work: turn 7 of 50'), one.id],
    ]);
    expect(watch.stopped.aborted).toBe(false);
  });

  test('who may not ask, a bot, a text that was edited, and one that is answered already are not heard', async () => {
    const { hub, watch, tick, say, said } = await watched();
    for (const author of ['rita', 'noisy[bot]']) say(author, '@harness9 stop');
    const { id } = say('wendy', 'hello');
    await new Promise((done) => setTimeout(done, 1_100));
    hub.editComment(id, '@harness9 stop');
    const taken = say('wendy', '@harness9 stop');
    say(us, replyTo(taken.id, 'Nothing was running.'));
    await tick();
    expect([watch.stopped.aborted, said()]).toEqual([false, [[replyTo(taken.id, 'Nothing was running.'), null]]]);
  });

  test('a long discussion is read the less often, so that no more is asked of GitHub in an hour', async () => {
    const { tick, say, reads } = await watched();
    for (let count = 0; count < 60; count += 1) say('rita', `thought ${count}`);
    await tick();
    expect(reads()).toBe(2);
    await tick();
    expect(reads()).toBe(2);
    await tick();
    expect(reads()).toBe(4);
  });
});
