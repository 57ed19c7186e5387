// Any function of any part that fails at any of its calls: the run ends with a valid result and a valid history all the same.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RunContext } from '../../src/engine/ports.ts';
import { runScopeOf } from '../../src/schema/run-scope.ts';
import { createLongRun, faultsOf, type LongRun } from './long-run.ts';
import { type Mode, modes } from './scene.ts';

type Holder = Readonly<Record<string, unknown>> | object;
/** Where the function is, and what it says that cannot be asked any more once it is broken. */
type Target = readonly [name: string, of: (run: LongRun) => Holder, key: string, except?: 'events' | 'observer'];

const targets: readonly Target[] = [
  ['the model', ({ model }) => model, 'generate'],
  ['the model', ({ model }) => model, 'generateStream'],
  ['the registry', ({ registry }) => registry, 'getAvailableTools'],
  ['the registry', ({ registry }) => registry, 'execute'],
  ['the session', ({ session }) => session, 'getMessages'],
  ['the session', ({ session }) => session, 'addMessages'],
  ['the session', ({ session }) => session, 'getTodos'],
  ['the session', ({ session }) => session, 'saveTodos'],
  ['the session', ({ session }) => session, 'getCheckpoint'],
  ['the session', ({ session }) => session, 'saveCheckpoint'],
  ['the to-do store', ({ todoStore }) => todoStore, 'getItems'],
  ['the to-do store', ({ todoStore }) => todoStore, 'restore'],
  ['the observer', ({ observer }) => observer, 'onInteractionStart', 'observer'],
  ['the observer', ({ observer }) => observer, 'onInteractionEnd', 'observer'],
  ['the observer', ({ observer }) => observer, 'onTurnStart', 'observer'],
  ['the observer', ({ observer }) => observer, 'onTurnEnd', 'observer'],
  ['an option', ({ options }) => options, 'onEvent', 'events'],
  ['an option', ({ options }) => options, 'log'],
  ['an option', ({ options }) => options, 'approve'],
  ['an option', ({ options }) => options, 'followUp'],
  ['the permission rules', ({ options }) => options.permissions, 'check'],
  ['a hook', ({ options }) => options.hooks[0], 'preToolUse'],
  ['a hook', ({ options }) => options.hooks[0], 'postToolUse'],
  ['a hook', ({ options }) => options.hooks[0], 'turnComplete'],
  ['a hook', ({ options }) => options.hooks[0], 'stop'],
  ['the background', ({ options }) => options.background, 'takeEnded'],
  ['the background', ({ options }) => options.background, 'waitForAll'],
  ['the background', ({ options }) => options.background, 'stop'],
  ['an option', ({ options }) => options, 'estimateTokens'],
  ['the compactor', ({ options }) => options.compactor, 'compact'],
];

const failures: readonly [string, () => unknown][] = [
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
  ['rejects', () => Promise.reject(new Error('broken'))],
  ['answers with nothing', () => undefined],
  ['answers with nonsense', () => 42],
];

/** What they answer is used at once: a promise is nonsense, and what it rejects with is nobody's to hear. */
const atOnce: ReadonlySet<string> = new Set(['generateStream', 'getAvailableTools', 'getItems', 'estimateTokens', 'takeEnded']);

const unhandled: unknown[] = [];
const note = (error: unknown): unknown => unhandled.push(error);
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => void process.off('unhandledRejection', note));

/** Breaks the n-th call of a function; whether it was called that often. */
function breakCall(
  holder: Holder,
  key: string,
  { nth, fail }: { readonly nth: number; readonly fail: () => unknown },
): () => boolean {
  const whole: unknown = Reflect.get(holder, key);
  if (typeof whole !== 'function') throw new Error(`${key} is no function`);
  let count = 0;
  Reflect.set(holder, key, (...args: readonly unknown[]) => {
    count += 1;
    return count === nth ? fail() : Reflect.apply(whole, holder, args);
  });
  return () => count >= nth;
}

describe.each(modes)('%s', (mode: Mode) => {
  describe.each(failures)('%s', (how, fail) => {
    const fitting = targets.filter(([, , key]) => how !== 'rejects' || !atOnce.has(key));
    test.each(fitting.map((target) => [`${target[2]} of ${target[0]}`, target] as const))(
      '%s',
      async (_name, [, of, key, except]) => {
        for (let nth = 1; nth <= 14; nth += 1) {
          const run = createLongRun();
          const wasCalled = breakCall(of(run), key, { nth, fail });
          const result = await run.play(mode);
          if (!wasCalled()) return;
          expect([how, nth, ...faultsOf(run, result, except)]).toEqual([how, nth]);
        }
      },
    );
  });
});

test.each([
  ['nothing', () => undefined],
  ['a promise', async () => ({ [Symbol.for('late')]: true })],
])('an observer that answers with %s hands the context down as it was', async (_name, answer) => {
  const run = createLongRun();
  const seen: RunContext[] = [];
  for (const key of ['onInteractionStart', 'onTurnStart']) Reflect.set(run.observer, key, answer);
  const { execute } = run.registry;
  run.registry.execute = (call, context) => {
    seen.push(context.run);
    return execute(call, context);
  };
  await run.play('run');
  expect(seen.map((context) => [Reflect.ownKeys(context).length, runScopeOf(context)?.allowances.length])).toEqual(
    Array.from({ length: 7 }, () => [1, 0]),
  );
});

test('nobody was left with a rejection', async () => {
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});
