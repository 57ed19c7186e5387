import { afterEach, describe, expect, test } from '@jest/globals';
import { announce } from '../../../src/github/publish/announce.ts';
import { finishWithFault } from '../../../src/github/publish/finish-fault.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import { bundleOf } from '../plan-and-bundle.ts';
import { never, openStage, type Stage } from './stage.ts';

const stages: Stage[] = [];
afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close()));
});

const edit = { method: 'PATCH', path: /issues\/comments\/\d+$/ } as const;
const create = { method: 'POST', path: /issues\/\d+\/comments$/ } as const;
const list = { method: 'GET', path: /issues\/\d+\/comments/ } as const;
const refusal = { status: 403, body: { message: 'Must have admin rights to Repository.' } } as const;
const limited = {
  status: 403,
  headers: { 'retry-after': '600' },
  body: { message: 'You have exceeded a secondary rate limit.' },
};
const always = { times: 999 } as const;
const short = 5_000;
const long = 100_000;

/** The outcome of a run that was announced before GitHub began to fail, and its comments by kind. */
async function finish(elapsedMs: number, failures: readonly Parameters<Stage['hub']['fail']>[0][]) {
  const stage = await openStage();
  stages.push(stage);
  const announcement = await announce(stage.plan, stage.ports, never);
  stage.clock.advance(elapsedMs);
  for (const failure of failures) stage.hub.fail(failure);
  const outcome = await publish(stage.plan, bundleOf(stage.plan), announcement, { ports: stage.ports, signal: never });
  const ours = stage.hub.snapshot().comments.filter(({ author }) => author === 'github-actions[bot]');
  const kinds = ours.map(({ body }) => /kind=(\w+)/.exec(body)?.[1]);
  return { stage, announcement, outcome, kinds };
}

describe('the reply finds its way (R1, R2)', () => {
  test.each([
    ['refused', refusal],
    ['failing', { status: 500 }],
    ['rate-limited for longer than we wait', limited],
  ])('when every edit is %s, as a new comment', async (_how, answer) => {
    const { outcome, kinds, announcement } = await finish(short, [{ ...edit, ...answer, ...always }]);
    expect(kinds).toEqual(['reply']);
    expect(outcome).toMatchObject({ conclusion: 'success', comment: { id: expect.any(Number) } });
    expect(outcome.comment?.id).not.toBe(announcement.commentId);
    expect(outcome.unposted).toBe(undefined);
  });

  test('an edit that was done though every answer was lost makes no second reply', async () => {
    const { kinds } = await finish(short, [{ ...edit, status: 500, after: 'apply', ...always }]);
    expect(kinds).toEqual(['reply']);
  });

  test.each([
    ['short', short],
    ['long', long],
  ])('when the thread cannot be read, by editing the known comment, in a %s run', async (_length, elapsedMs) => {
    const { outcome, kinds, announcement } = await finish(elapsedMs, [{ ...list, status: 500, ...always }]);
    expect(kinds).toEqual(['reply']);
    expect(outcome).toMatchObject({ conclusion: 'success', comment: { id: announcement.commentId } });
  });

  test('when no comment can be made, in the progress comment, however long the run was', async () => {
    const { outcome, kinds, announcement } = await finish(long, [{ ...create, ...refusal, ...always }]);
    expect(kinds).toEqual(['reply']);
    expect(outcome.comment?.id).toBe(announcement.commentId);
  });

  test('when nothing but making a comment works', async () => {
    const { outcome, kinds } = await finish(long, [
      { ...edit, status: 500, ...always },
      { ...list, status: 500, ...always },
      { method: 'DELETE', path: /issues\/comments\/\d+$/, ...refusal, ...always },
    ]);
    expect(outcome).toMatchObject({ conclusion: 'success', comment: { id: expect.any(Number) } });
    expect(kinds).toEqual(['progress', 'reply']);
  });

  test('when no way is left, in the outcome (G1-30)', async () => {
    const { outcome } = await finish(short, [
      { ...edit, ...refusal, ...always },
      { ...create, ...refusal, ...always },
    ]);
    expect(outcome).toMatchObject({ conclusion: 'error', comment: null });
    expect(outcome.unposted).toContain('Fixed the rounding');
  });

  test('an earlier reply that cannot be changed is replaced, and not the other way round', async () => {
    const { stage, announcement } = await finish(short, []);
    stage.hub.fail({ ...edit, ...refusal, ...always });
    const bundle = bundleOf(stage.plan, { reply: 'The second answer.' });
    await publish(stage.plan, bundle, announcement, { ports: stage.ports, signal: never });
    expect(stage.replies()).toHaveLength(1);
    expect(stage.replies()[0]).toContain('The second answer.');
  });
});

describe('finishWithFault', () => {
  const fault = { conclusion: 'error', message: 'no checkout', hint: 'Add a step.', answer: 'I found it.' } as const;
  async function say(more: { readonly code?: string; readonly isThreadless?: boolean }) {
    const stage = await openStage();
    stages.push(stage);
    const plan = more.isThreadless === true ? { ...stage.plan, thread: null, channel: null } : stage.plan;
    const announcement = await announce(plan, stage.ports, never);
    const { isThreadless: _, ...code } = more;
    const outcome = await finishWithFault(plan, announcement, { ...fault, ...code }, { ports: stage.ports, signal: never });
    return { outcome, reply: stage.replies()[0] };
  }

  test('without a thread the cause, the hint and the answer are in the outcome', async () => {
    const { outcome } = await say({ isThreadless: true });
    expect(outcome).toMatchObject({
      error: { message: 'no checkout', hint: 'Add a step.' },
      answer: 'I found it.',
      comment: null,
    });
    expect(outcome.unposted).toBe(undefined);
  });

  test('a fault whose cause is in the workflow is not mended by going on', async () => {
    expect((await say({ code: 'NOT_A_CHECKOUT' })).reply).toContain('Nothing was pushed. Once that is mended, comment again.');
    expect((await say({ code: 'SANDBOX_ALIVE' })).reply).toContain(
      'Nothing was pushed. To try again, reply `@harness9 continue`.',
    );
  });

  test('what the model said before the fault is shown as that', async () => {
    expect((await say({})).reply).toMatch(/^\*\*Failed:\*\* no checkout\n[\s\S]*\n\nThe model’s last message:\n\nI found it\.\n/);
  });
});

test('a run whose every change is left out is refused, frowned at, and its diff is in the patch', async () => {
  const stage = await openStage();
  stages.push(stage);
  const announcement = await announce(stage.plan, stage.ports, never);
  const leftOut = [{ path: '.github/workflows/ci.yml', reason: 'the path is protected', patch: '+on: push\n' }];
  const bundle = bundleOf(stage.plan, { changes: [], leftOut });
  const outcome = await publish(stage.plan, bundle, announcement, { ports: stage.ports, signal: never });
  expect(outcome).toMatchObject({ conclusion: 'refused', patch: '+on: push\n', pullRequest: null });
  expect(stage.hub.snapshot().comments[0]?.reactions.map(({ content }) => content)).toEqual(['eyes', 'confused']);
  expect(stage.replies()[0]).toContain(
    '**Not published:** `.github/workflows/ci.yml`: the path is protected; the diff is below.',
  );
});
