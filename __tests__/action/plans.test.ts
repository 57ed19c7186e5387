import { describe, expect, test } from '@jest/globals';
import { createPlanKeeper, loadApprovedPlan } from '../../src/action/plans.ts';
import type { ThreadSession } from '../../src/compose/session.ts';
import type { RunPlan } from '../../src/schema/gate.ts';
import type { RunResult } from '../../src/schema/run.ts';
import { bundleOf, plan } from '../github/plan-and-bundle.ts';

const never = () => Promise.reject(new Error('the disk is full'));

/** A session that holds `text`; `breaks`: nothing can be written to it. */
function sessionWith(
  text: string | undefined,
  { notice = null, breaks = false }: { notice?: string | null; breaks?: boolean } = {},
) {
  let kept = text;
  const journal: ThreadSession['journal'] = {
    id: 's1',
    getMessages: async () => [],
    addMessages: never,
    popMessage: never,
    clear: never,
    getTodos: async () => [],
    saveTodos: never,
    getCheckpoint: async () => undefined,
    saveCheckpoint: never,
    getPlan: async () => kept,
    savePlan: async (next) => {
      if (breaks) await never();
      kept = next;
    },
  };
  return { session: { journal, resumed: true, notice, quote: null, lastRun: null }, kept: () => kept };
}

const asked = (command: RunPlan['instruction']['command'], more: Partial<RunPlan> = {}): RunPlan => ({
  ...plan,
  instruction: { text: '', command },
  ...(command === 'plan' ? { mode: 'plan', tools: 'read_only' } : {}),
  ...more,
});
const ended = (more: Partial<RunResult> = {}): RunResult => ({ ...bundleOf(plan).result, finalMessage: '1. New.', ...more });

async function keptAfter(of: RunPlan, result: RunResult): Promise<string | undefined> {
  const { session, kept } = sessionWith('1. Old.');
  const keeper = createPlanKeeper(of, session);
  expect([...(await keeper.begin()), ...(await keeper.end(result))]).toEqual([]);
  return kept();
}

describe('the plan of a conversation', () => {
  test.each<[string, RunPlan, RunResult, string | undefined]>([
    ['a new one takes its place, as people see it', asked('plan'), ended({ finalMessage: '1. New.<!-- 2. Old. -->' }), '1. New.'],
    ['a new one that was cut leaves none', asked('plan'), ended({ stopReason: 'max_turns' }), undefined],
    ['a new one that nobody can see leaves none', asked('plan'), ended({ finalMessage: '<!-- 1. -->' }), undefined],
    ['an approval that came to its end leaves none', asked('approve'), ended(), undefined],
    ['an approval that was cut leaves it', asked('approve'), ended({ stopReason: 'timeout' }), '1. Old.'],
    ['an approval whose model declined leaves it', asked('approve'), ended({ error: { code: 'X', message: 'x' } }), '1. Old.'],
    ['going on to the end leaves none', asked('continue'), ended(), undefined],
    ['going on where nothing may be changed leaves it', asked('continue', { tools: 'read_only' }), ended(), '1. Old.'],
    ['a question leaves it', asked(null), ended(), '1. Old.'],
  ])('%s', async (_what, of, result, kept) => {
    expect(await keptAfter(of, result)).toBe(kept);
  });

  test.each<[string, RunPlan, readonly string[], readonly string[]]>([
    [
      'a plan',
      asked('plan'),
      ['An earlier plan could not be taken away: the disk is full'],
      ['The plan cannot be approved, since it could not be kept: the disk is full'],
    ],
    ['an approval', asked('approve'), [], ['An earlier plan could not be taken away: the disk is full']],
  ])('what cannot be kept is said, and costs %s nothing', async (_what, of, before, after) => {
    const keeper = createPlanKeeper(of, sessionWith('1. Old.', { breaks: true }).session);
    expect([await keeper.begin(), await keeper.end(ended())]).toEqual([before, after]);
  });

  test('without a session nothing is kept, and nothing is said of it', async () => {
    const keeper = createPlanKeeper(asked('plan'), null);
    expect([await keeper.begin(), await keeper.end(ended())]).toEqual([[], []]);
  });
});

describe('what is approved', () => {
  test('is the plan of the session; any other request approves nothing', async () => {
    expect(await loadApprovedPlan(asked('approve'), sessionWith('1. Old.').session)).toBe('1. Old.');
    expect(await loadApprovedPlan(asked('continue'), sessionWith('1. Old.').session)).toBe(null);
  });

  test.each<[string, RunPlan, ThreadSession | null, { code: string; message: string; hint: string }]>([
    [
      'there is none',
      asked('approve'),
      sessionWith(undefined).session,
      {
        code: 'NO_PLAN',
        message: 'There is no plan on this thread that waits to be carried out.',
        hint: 'Ask for one with `@harness9 plan <task>`, or say what is to be done.',
      },
    ],
    [
      'the session could not be used',
      asked('approve', { handle: '/bot' }),
      sessionWith(undefined, { notice: 'The earlier session was not used: it has expired.' }).session,
      {
        code: 'NO_PLAN',
        message:
          'There is no plan on this thread that waits to be carried out. The earlier session was not used: it has expired.',
        hint: 'Ask for one with `/bot plan <task>`, or say what is to be done.',
      },
    ],
    [
      'sessions are off',
      asked('approve', { session: 'off' }),
      null,
      {
        code: 'NO_PLAN',
        message: 'No plan waits here to be approved: the workflow sets `session: off`, so that none is kept.',
        hint: 'Reply `@harness9 do what the plan says`, or set `session: auto` in the workflow and ask for the plan again.',
      },
    ],
    [
      'B6 the head may have moved since',
      asked('approve', { trust: 'untrusted', tools: 'read_only' }),
      sessionWith('1. Old.').session,
      {
        code: 'PLAN_UNSEEN',
        message: 'The pull request may have been pushed to after your approval, so the plan is not carried out.',
        hint: 'Look at what is there now, and reply `@harness9 approve` again.',
      },
    ],
  ])('is nothing where %s, and the words say what to do', async (_why, of, session, expected) => {
    await expect(loadApprovedPlan(of, session)).rejects.toMatchObject(expected);
  });
});
