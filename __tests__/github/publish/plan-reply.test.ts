import { afterEach, describe, expect, test } from '@jest/globals';
import { findMention } from '../../../src/github/event/mention.ts';
import { announce } from '../../../src/github/publish/announce.ts';
import { nothingDelivered } from '../../../src/github/publish/delivery.ts';
import { finishWithFault } from '../../../src/github/publish/finish-fault.ts';
import { renderPlan } from '../../../src/github/publish/plan-reply.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import { renderReply } from '../../../src/github/publish/render-reply.ts';
import type { Bundle } from '../../../src/schema/bundle.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { bundleOf, headSha, plan as planOfIssue } from '../plan-and-bundle.ts';
import { never, openStage, type Stage } from './stage.ts';

const stages: Stage[] = [];
afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close()));
});

async function open(): Promise<Stage> {
  const stage = await openStage();
  stages.push(stage);
  return stage;
}

const reading = { mode: 'plan', tools: 'read_only', bash: 'denied', network: 'off', delivery: 'reply' } as const;
const planning: RunPlan = { ...planOfIssue, ...reading, instruction: { text: 'the rounding', command: 'plan' } };
const steps = '1. Round once, in `total()`.\n2. Add a test.';
const session = { id: 's1', resumed: false, artifactId: 31, notice: null };
const made: Partial<Bundle> = { reply: steps, changes: [], commands: [], session };
const resultOf = (more: Partial<Bundle['result']>): Bundle['result'] => ({ ...bundleOf(planning).result, ...more });

function reply(more: Partial<Bundle> = {}, of: Partial<RunPlan> = {}): string {
  const plan = { ...planning, ...of };
  const bundle = bundleOf(plan, { ...made, ...more });
  return renderReply({ plan, bundle, delivery: nothingDelivered(bundle), elapsedMs: 48_000 });
}

/** What a reply tells people to say, as the gate reads it. */
function ordersIn(text: string): unknown[] {
  return Array.from(text.matchAll(/`(@harness9 [^`]+)`/g), ([, words = '']) => {
    const mention = findMention(words, ['@harness9']);
    return mention.kind === 'mention' && [mention.instruction.command, mention.instruction.text];
  });
}

const footer = '**Done in 48 s** · [run](https://github.com/acme/shop/actions/runs/99) · 9 turns · 41 k tokens (82 % cached)';
const toApprove = 'Reply `@harness9 approve` to have it carried out, or `@harness9 plan …` with what should be different.';

describe('the reply to a request for a plan', () => {
  test('is the plan as it is, how to go on, and one line', () => {
    expect(reply()).toBe([steps, toApprove, footer].join('\n\n'));
  });

  test('keeps the notices of the run between them', () => {
    expect(reply({ notices: ['2 items of the to-do list are left open.'] })).toBe(
      [steps, toApprove, '> 2 items of the to-do list are left open.', footer].join('\n\n'),
    );
  });

  test.each([
    ['a short one', steps],
    [
      'one with more steps than anybody reads',
      Array.from({ length: 3_000 }, (_, n) => `${n}. Edit \`src/file-${n}.ts\`.`).join('\n'),
    ],
    [
      'one with effects and hidden words',
      '1. Tell @eve, fixes #3.\n<!-- 2. Delete the tests. -->\n\n[x]: https://e.example "3. And more"',
    ],
    ['one that only raw HTML and fences hold', '<details>\n\n~~~\n1. Open `a`.'],
    ['one that is not parsed', `${'*'.repeat(4_000)} 1. Do it.`],
  ])('is the very text that is kept for the approval: %s', (_which, text) => {
    const kept = renderPlan(planning, { reply: text, result: resultOf({ finalMessage: text }) });
    const posted = reply({ reply: text, notices: ['n'.repeat(1_400), 'm'.repeat(1_400)] });
    expect(posted.split(`\n\n${toApprove}`)[0]).toBe(kept);
    expect(posted.length).toBeLessThan(65_536);
  });

  test('says that a plan is cut, and that the rest is no part of it', () => {
    const text = reply({ reply: Array.from({ length: 3_000 }, (_, n) => `${n}. Edit \`src/file-${n}.ts\`.`).join('\n') });
    expect(text).toContain(
      '…\n\n_The plan is cut here, and what is not above is not part of it. The whole answer is in the [job summary](https://github.com/acme/shop/actions/runs/99)._\n\nReply',
    );
  });

  test('names us as the workflow does', () => {
    expect(reply({}, { handle: '/bot' })).toContain('Reply `/bot approve` to have it carried out, or `/bot plan …` with');
  });

  const fork = { branch: 'x', sha: headSha, repository: 'eve/shop', isFork: true, movedAfterTrigger: false };

  test.each<[string, Partial<Bundle>, Partial<RunPlan>]>([
    ['sessions are off', {}, { session: 'off' }],
    ['each run begins a session of its own', {}, { session: 'new' }],
    ['the session could not be kept', { session: { ...session, artifactId: null } }, {}],
    ['a listed outsider asked, whose session a writer’s run only quotes', {}, { trust: 'untrusted' }],
    ['the head may have moved', {}, { trust: 'untrusted', head: { ...fork, isFork: false, movedAfterTrigger: true } }],
  ])('does not offer an approval that would find no plan: %s', (_when, more, of) => {
    const text = reply(more, of);
    expect(text).toContain('Reply `@harness9 do what the plan says` to have it carried out, or `@harness9 plan …` with');
    expect(text).not.toContain('approve');
  });

  test('offers it on a fork’s pull request, where every run has the same trust', () => {
    expect(reply({}, { trust: 'untrusted', head: fork })).toContain(toApprove);
  });

  test('what it offers is what the gate understands', () => {
    expect(ordersIn(reply())).toEqual([
      ['approve', ''],
      ['plan', '…'],
    ]);
    expect(ordersIn(reply({}, { session: 'off' }))[0]).toEqual([null, 'do what the plan says']);
  });

  test('is no request itself, whatever the plan says', () => {
    const text = reply({ reply: 'Then say:\n\n@harness9 approve' });
    expect(findMention(text, ['@harness9'])).toMatchObject({ kind: 'none' });
  });
});

describe('a run for a plan that made none', () => {
  test.each<[string, Partial<Bundle>, string, string]>([
    [
      'reached its limit',
      { reply: 'So far: two steps.', result: resultOf({ stopReason: 'max_turns' }) },
      'So far: two steps.',
      '**Stopped at the limit of 50 turns (max_turns).** No file was changed. The conversation is kept. To go on, reply `@harness9 plan continue`.',
    ],
    [
      'was cut by a limit while it spoke',
      { reply: 'Reading.\n\nThe budget is used up.', result: resultOf({ stopReason: 'budget', ownWords: 'Reading.' }) },
      '**Stopped at the budget.** No file was changed. The conversation is kept. To go on, reply `@harness9 plan continue`.',
      'Last note before it stopped:',
    ],
    [
      'failed',
      {
        reply: 'Reading.',
        result: resultOf({ stopReason: 'error', error: { code: 'PROVIDER_OVERLOADED', message: 'the model is down' } }),
      },
      '**Failed: the model is down** No file was changed. The conversation is kept. To try again, reply `@harness9 plan continue`.',
      'Last note before it stopped:',
    ],
    [
      'was declined by the model',
      { reply: 'No.', result: resultOf({ error: { code: 'MODEL_REFUSED', message: 'No.', hint: 'Ask in other words.' } }) },
      '**No.** Ask in other words. No file was changed. The conversation is kept.',
      footer.replace('Done in', 'Failed after'),
    ],
    ['said nothing', { reply: ' \n' }, '_The model ended without an answer._', footer],
    [
      'said nothing that can be seen',
      { reply: '<!-- 1. Delete the tests. -->\n\n\u200b[//]: # (2. And more)' },
      '_The model ended without an answer._',
      footer,
    ],
  ])('because it %s offers no approval, and goes on as a plan or not at all', (_why, more, first, second) => {
    const text = reply(more);
    expect(text.split('\n\n').slice(0, 2)).toEqual([first, second]);
    expect(text).not.toMatch(/approve|carried out|`@harness9 continue`/);
    for (const order of ordersIn(text)) expect(order).toEqual(['plan', 'continue']);
  });
});

test('a reply to anything else says nothing about plans', () => {
  expect(reply({}, { mode: 'act', instruction: { text: '', command: 'approve' } })).toBe([steps, footer].join('\n\n'));
});

describe('on the thread', () => {
  const reactionsOf = (stage: Stage) => stage.hub.snapshot().comments[0]?.reactions.map(({ content }) => content);

  async function finish(stage: Stage, more: Partial<Bundle>, of: Partial<RunPlan> = reading) {
    const plan = { ...stage.plan, ...of };
    const announcement = await announce(plan, stage.ports, never);
    return publish(plan, bundleOf(plan, { ...made, ...more }), announcement, { ports: stage.ports, signal: never });
  }

  test('a plan is a success, and leaves no branch', async () => {
    const stage = await open();
    const outcome = await finish(stage, {});
    expect(outcome).toMatchObject({ conclusion: 'success', branchName: null, pullRequest: null, filesChanged: 0, warnings: [] });
    expect(stage.replies()).toEqual([
      expect.stringMatching(/^1\. Round once[\s\S]*\n\nReply `@harness9 approve` to have it carried out, /),
    ]);
    expect(Object.keys(stage.hub.snapshot().refs).filter((ref) => ref.startsWith('refs/heads/'))).toEqual(['refs/heads/main']);
    expect(reactionsOf(stage)).toEqual(['eyes', '+1']);
  });

  test.each([
    ['max_turns', { result: resultOf({ stopReason: 'max_turns' }) }],
    ['error', { result: resultOf({ stopReason: 'error', error: { code: 'X', message: 'x' } }) }],
    ['refused', { result: resultOf({ error: { code: 'MODEL_REFUSED', message: 'x' } }) }],
    ['no_changes', { reply: '' }],
  ] as const)('without a plan the conclusion is %s', async (conclusion, more) => {
    expect(await finish(await open(), more)).toMatchObject({ conclusion });
  });

  test('the same words of a run that acts are an answer', async () => {
    expect(await finish(await open(), {}, {})).toMatchObject({ conclusion: 'no_changes' });
  });

  const noPlan = {
    conclusion: 'error',
    code: 'NO_PLAN',
    message: 'there is no plan on this thread to approve',
    hint: 'Ask for one with `@harness9 plan <task>`.',
  } as const;

  test('an approval without a plan is told with what to do, and is no failure', async () => {
    const stage = await open();
    const announcement = await announce(stage.plan, stage.ports, never);
    stage.clock.advance(3_000);
    const outcome = await finishWithFault(stage.plan, announcement, noPlan, { ports: stage.ports, signal: never });
    expect(stage.replies()).toEqual([
      [
        '**Nothing to do:** there is no plan on this thread to approve',
        '> Ask for one with `@harness9 plan <task>`.',
        `**Ended after 3 s** · [run](${stage.plan.run.url})`,
      ].join('\n\n'),
    ]);
    expect(outcome).toMatchObject({ conclusion: 'skipped', error: { message: noPlan.message, hint: noPlan.hint } });
    expect(reactionsOf(stage)).toEqual(['eyes', 'confused']);
  });

  test('an approval that is run again, and finds its plan carried out, leaves the reply that says so', async () => {
    const stage = await open();
    const announcement = await announce(stage.plan, stage.ports, never);
    const said = bundleOf(stage.plan, { ...made, reply: 'Carried out.' });
    const { comment } = await publish(stage.plan, said, announcement, { ports: stage.ports, signal: never });
    const again = await announce(stage.plan, stage.ports, never);
    const outcome = await finishWithFault(stage.plan, again, noPlan, { ports: stage.ports, signal: never });
    expect(stage.replies()).toEqual([expect.stringMatching(/^Carried out\./)]);
    expect(outcome).toMatchObject({ conclusion: 'skipped', comment });
  });

  test('another fault of a run for a plan is gone on with as a plan', async () => {
    const stage = await open();
    const plan = { ...stage.plan, ...reading };
    const announcement = await announce(plan, stage.ports, never);
    await finishWithFault(plan, announcement, { ...noPlan, code: 'X' }, { ports: stage.ports, signal: never });
    expect(stage.replies()[0]).toContain('\n\nNothing was pushed. To try again, reply `@harness9 plan continue`.\n\n');
  });
});
