// Who decides about a call: hooks, rules, the plan mode, a person. Every combination against a table that was written by hand.
import { describe, expect, test } from '@jest/globals';
import { createAdmission } from '../../src/engine/admission.ts';
import { Hooks } from '../../src/engine/hooks.ts';
import type { Approve, Hook, PermissionChecker } from '../../src/engine/ports.ts';
import { interruptedText } from '../../src/engine/tool-calls.ts';
import type { PermissionDecision } from '../../src/schema/permission.ts';
import { type PlanMode, planModeSchema } from '../../src/schema/plan-mode.ts';
import { runScopeOf } from '../../src/schema/run-scope.ts';
import { createRandom, type Random } from '../tools/random.ts';
import { forever, hookOf, nameOf, never, observationsOf } from './hook-scene.ts';
import { FullSession, ManualClock, registryOf, settled } from './ports.ts';
import { type Mode, modes, setScene, story } from './scene.ts';
import { call, calls, result, type Step, says } from './scripted-model.ts';

const end: Step = { answer: says('ok') };
const goOn = 'Go on without it, and say in your answer what is left to be done.';

/** Rules that say the same of every call. */
const rules = (check: () => unknown): PermissionChecker => {
  const checker = { check: async (): Promise<PermissionDecision> => ({ kind: 'none' }) };
  Reflect.set(checker, 'check', check);
  return checker;
};

describe.each(modes)('%s', (mode: Mode) => {
  test('[spec 9 permission control] the rules are asked about the call, with its tool and what the call hands down', async () => {
    const asked: unknown[] = [];
    const permissions: PermissionChecker = {
      check: async (wanted, tool, { signal, run }) => {
        asked.push([wanted, tool?.effect, signal.aborted, runScopeOf(run) !== undefined]);
        return { kind: 'allow', rule: 'all' };
      },
    };
    const { play, ran } = setScene(mode, [{ answer: calls(call('b1', 'bash', { a: 1 }), call('x1', 'nothing')) }, end], {
      permissions,
    });
    await play();
    expect(asked).toEqual([
      [call('b1', 'bash', { a: 1 }), 'execute', false, true],
      [call('x1', 'nothing'), undefined, false, true],
    ]);
    expect(ran).toEqual(['b1']);
  });

  test('[spec 9 permission control] what they deny does not run, and the model is told their words', async () => {
    const session = new FullSession();
    const text = '"bash" was not run: bash(rm:*) is denied. Use git clean.';
    const { play, ran, events } = setScene(mode, [{ answer: calls(call('b1', 'bash')) }, end], {
      permissions: rules(async () => ({ kind: 'deny', text })),
      approve: () => never('asked'),
      session,
    });
    await play();
    expect([ran, observationsOf(session)]).toEqual([[], [`b1! ${text}`]]);
    expect(story(events).slice(0, 3)).toEqual(['1 estimated', '1 start b1', '1 result b1!']);
  });

  test.each<[string, { approve?: Approve }, string]>([
    ['nobody is there', {}, `, and nobody can answer here. ${goOn}`],
    ['the answer is no', { approve: async () => ({ isAllowed: false, feedback: 'too late' }) }, ', and it was denied: too late'],
  ])(
    '[spec 9 permission control] [spec 9 interactive confirmation] what they ask about is denied when %s, and the rule is named',
    async (_name, options, tail) => {
      const session = new FullSession();
      const { play, ran, events } = setScene(mode, [{ answer: calls(call('b1', 'bash')) }, end], {
        permissions: rules(async () => ({ kind: 'ask', rule: 'bash(npm publish:*) of permission_rules' })),
        session,
        ...options,
      });
      await play();
      const reason = 'the permission rule bash(npm publish:*) of permission_rules wants it confirmed';
      expect([ran, observationsOf(session)]).toEqual([[], [`b1! "bash" was not run: ${reason}${tail}`]]);
      expect(events).toContainEqual({ type: 'approval_required', turn: 1, data: { call: call('b1', 'bash'), reason } });
    },
  );

  test('a hook that asks is named with its reason, the first of them', async () => {
    const reasons: string[] = [];
    const hooks = [
      hookOf('preToolUse', 'db', async () => ({ decision: 'ask', reason: 'it\ntouches the database' })),
      hookOf('preToolUse', 'net', async () => ({ decision: 'ask' })),
    ];
    const approve: Approve = async ({ reason }) => {
      reasons.push(reason);
      return { isAllowed: true };
    };
    for (const some of [hooks, hooks.slice(1)]) {
      const { play, ran } = setScene(mode, [{ answer: calls(call('b1', 'bash')) }, end], { hooks: some, approve });
      await play();
      expect(ran).toEqual(['b1']);
    }
    expect(reasons).toEqual(['the hook "db" wants it confirmed (it touches the database)', 'the hook "net" wants it confirmed']);
  });

  const broken: readonly (readonly [string, () => unknown])[] = [
    ['an error at once', () => never('boom')],
    ['an error later', () => Promise.reject(new Error('boom'))],
    ['a text as an error', () => Promise.reject('boom')],
    ...[
      undefined,
      null,
      true,
      'allow',
      [],
      {},
      { kind: 'yes' },
      { decision: 'allow' },
      { kind: 'allow' },
      { kind: 'allow', rule: 5 },
      { kind: 'ask' },
      { kind: 'deny' },
      { kind: 'deny', text: ' ' },
    ].map((answer): [string, () => unknown] => [nameOf(answer), async () => answer]),
  ];
  test.each(broken)('rules that fail (%s) deny, whatever a hook allows; the log says why', async (_name, check) => {
    const session = new FullSession();
    const { play, ran, log } = setScene(mode, [{ answer: calls(call('b1', 'bash')) }, end], {
      hooks: [hookOf('preToolUse', 'yes', async () => ({ decision: 'allow' }))],
      permissions: rules(check),
      approve: async () => ({ isAllowed: true }),
      session,
    });
    await play();
    const [told = ''] = observationsOf(session);
    expect(told).toMatch(/^b1! "bash" was not run: the permission rules could not be asked \(.+\)\. Go on without it/);
    expect([ran, log.filter((line) => line.includes('warning=permission_check_failed tool=bash id=b1 error='))]).toEqual([
      [],
      [expect.any(String)],
    ]);
  });

  test('an abort ends the waiting for the rules: nothing ran, nobody is asked, and nothing is said to have failed', async () => {
    const abort = new AbortController();
    const session = new FullSession();
    const { play, ran, log, events } = setScene(mode, [{ answer: calls(call('b1', 'bash')) }], {
      permissions: rules(forever),
      approve: () => never('asked'),
      session,
    });
    const ended = play('go', abort.signal);
    await settled();
    abort.abort();
    expect(await ended).toMatchObject({ stopReason: 'cancelled' });
    expect([ran, log.filter((line) => line.includes('warning'))]).toEqual([[], []]);
    expect(session.messages.slice(2)).toEqual([result('b1', interruptedText, true)]);
    expect(story(events)).toEqual(['1 estimated', '1 done cancelled']);
  });
});

/** What a hook or the rules do; `fails`: instead of an answer. */
type Word = 'silent' | 'allow' | 'ask' | 'deny' | 'fails';
const words: readonly Word[] = ['silent', 'allow', 'ask', 'deny', 'fails'];

/** By what the hooks say together and what the rules say: what happens where the mode lets it run, asks, denies. */
const table: Readonly<Record<string, string>> = {
  'silent silent': 'run        ask by mode  denied',
  'silent allow ': 'run        run          denied',
  'silent ask   ': 'ask by rule ask by rule denied',
  'silent deny  ': 'denied     denied       denied',
  'allow  silent': 'run        run          denied',
  'allow  allow ': 'run        run          denied',
  'allow  ask   ': 'run        run          denied',
  'allow  deny  ': 'denied     denied       denied',
  'ask    silent': 'ask by hook ask by hook denied',
  'ask    allow ': 'ask by hook ask by hook denied',
  'ask    ask   ': 'ask by hook ask by hook denied',
  'ask    deny  ': 'denied     denied       denied',
};
const ofMode: Readonly<Record<PlanMode, readonly [read: number, write: number, execute: number, unknown: number]>> = {
  default: [0, 0, 0, 0],
  plan: [0, 2, 2, 2],
  auto_edit: [0, 1, 0, 2],
  accept_edits: [0, 0, 1, 2],
};
const toolNames = ['look', 'write_file', 'bash', 'unknown'];
const persons = ['nobody', 'yes', 'no'] as const;

interface Case {
  readonly hooks: readonly Word[];
  readonly rules: Word | 'absent';
  readonly mode: PlanMode;
  readonly tool: number;
  readonly person: (typeof persons)[number];
}

/** By the table: whether it runs, and who makes a person be asked. */
function expectedOf({ hooks, rules: ruled, mode, tool, person }: Case): string {
  if (hooks.includes('deny') || hooks.includes('fails')) return 'denied';
  const together = hooks.includes('ask') ? 'ask' : hooks.includes('allow') ? 'allow' : 'silent';
  const said = ruled === 'fails' ? 'deny' : ruled === 'absent' ? 'silent' : ruled;
  const row = table[`${together.padEnd(6)} ${said.padEnd(6)}`]?.match(/run|denied|ask by \w+/g) ?? [];
  const cell = row[ofMode[mode][tool] ?? 9] ?? 'no cell';
  return cell.startsWith('ask') ? `${cell}, ${person === 'yes' ? 'run' : 'denied'}` : cell;
}

const hookWith = (word: Word, at: number): Hook =>
  hookOf('preToolUse', `h${at}`, async () => {
    if (word === 'fails') never('boom');
    return word === 'silent' ? undefined : { decision: word };
  });
const answers: Readonly<Record<Word, () => Promise<PermissionDecision>>> = {
  silent: async () => ({ kind: 'none' }),
  allow: async () => ({ kind: 'allow', rule: 'r' }),
  ask: async () => ({ kind: 'ask', rule: 'r' }),
  deny: async () => ({ kind: 'deny', text: 'denied by r' }),
  fails: async () => never('boom'),
};
const who = (reason: string): string =>
  /^(?:the (hook)|the permission (rule)|in the (mode))/.exec(reason)?.slice(1).join('') ?? '?';

function partsOf({ hooks, rules: ruled, person }: Case, asked: string[]) {
  const approve: Approve = async ({ reason }) => {
    asked.push(who(reason));
    return { isAllowed: person === 'yes' };
  };
  return {
    hooks: hooks.map(hookWith),
    permissions: ruled === 'absent' ? undefined : rules(answers[ruled]),
    approve: person === 'nobody' ? undefined : approve,
  };
}

const registry = registryOf(
  Object.fromEntries(
    (['read', 'write', 'execute'] as const).map((effect, at) => [toolNames[at] ?? '', { effect, run: () => 'done' }]),
  ),
);
const tools = registry.getAvailableTools();

async function decided(one: Case): Promise<string> {
  const asked: string[] = [];
  const { hooks, permissions, approve } = partsOf(one, []);
  const [log, note] = [() => {}, () => {}];
  const admit = createAdmission({
    turn: 1,
    planMode: one.mode,
    tools,
    hooks: new Hooks({ hooks, canonical: (same) => same, clock: new ManualClock(), log, note }),
    permissions,
    approve,
    context: { signal: new AbortController().signal, run: {} },
    onAsk: ({ reason }) => asked.push(who(reason)),
    onDenied: () => undefined,
    log,
  });
  const { denial } = await admit(call('c', toolNames[one.tool] ?? ''));
  return [...asked.map((by) => `ask by ${by}`), denial === undefined ? 'run' : 'denied'].join(', ');
}

/** Up to two hooks, and everything that may stand around them. */
function* casesOf(mode: PlanMode): Iterable<Case> {
  const lists = [[], ...words.map((a) => [a]), ...words.flatMap((a) => words.map((b) => [a, b]))];
  for (const hooks of lists) {
    for (const ruled of [...words, 'absent' as const]) {
      for (const tool of toolNames.keys()) for (const person of persons) yield { hooks, rules: ruled, mode, tool, person };
    }
  }
}

describe('the decision', () => {
  test.each(planModeSchema.options)(
    '[spec 9 permission control] is that of the table in the mode %s, for every combination',
    async (mode) => {
      const cases = [...casesOf(mode)];
      expect(cases).toHaveLength(31 * 6 * 4 * 3);
      for (const one of cases) expect([one, await decided(one)]).toEqual([one, expectedOf(one)]);
    },
  );

  const randomCase = (random: Random): Case => ({
    hooks: Array.from({ length: random.below(6) }, () => random.pick([...words, 'silent', 'allow', 'ask'] as const)),
    rules: random.pick([...words, 'absent'] as const),
    mode: random.pick(planModeSchema.options),
    tool: random.below(4),
    person: random.pick(persons),
  });

  test.each(modes)('is the same in a whole run, by %s, whatever the number of hooks', async (mode) => {
    const random = createRandom(7);
    for (let round = 0; round < 300; round += 1) {
      const one = randomCase(random);
      const asked: string[] = [];
      const { play, ran, events } = setScene(mode, [{ answer: calls(call('c', toolNames[one.tool] ?? '')) }, end], {
        planMode: one.mode,
        ...partsOf(one, asked),
      });
      await play();
      const asks = events.flatMap((event) => (event.type === 'approval_required' ? [`ask by ${who(event.data.reason)}`] : []));
      // Nobody's tool runs by no name.
      const hasRun = one.tool === 3 ? !events.some((event) => isDenied(event)) : ran.length > 0;
      expect([one, [...asks, hasRun ? 'run' : 'denied'].join(', ')]).toEqual([one, expectedOf(one)]);
      expect(asked).toEqual(one.person === 'nobody' ? [] : asks.map((text) => text.slice(7)));
    }
  });
});

function isDenied(event: { readonly type: string; readonly data?: unknown }): boolean {
  return event.type === 'tool_result' && !JSON.stringify(event.data).includes('unknown tool');
}
