// Runs within runs: what is handed down, whose spending counts where, whose time it is, and who hears of it.
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import type { EngineOptions } from '../../src/engine/options.ts';
import type { CallContext, LLMProvider, ModelRequest, ModelResponse, RunContext } from '../../src/engine/ports.ts';
import { noUsage } from '../../src/schema/message.ts';
import type { RunResult, SubagentUpdate } from '../../src/schema/run.ts';
import { createLedger, type RunScope, runScopeOf } from '../../src/schema/run-scope.ts';
import { withinRun } from '../schema/within-run.ts';
import { createRandom } from '../tools/random.ts';
import { hookOf } from './hook-scene.ts';
import { depthOf, echo, ManualClock, RecordingObserver, registryOf, settled, type TestTool } from './ports.ts';
import { type Mode, modes, setScene } from './scene.ts';
import { call, calls, ScriptedModel, type Step, says, usage } from './scripted-model.ts';

const end: Step = { answer: says('ok') };
const used = (step: Step & { readonly answer: unknown }, input: number, output: number): Step => ({
  ...step,
  usage: usage(input, output),
});
const look = (id: string): Step & { readonly answer: unknown } => ({ answer: calls(call(id, 'look', { id })) });
const task = (...ids: readonly string[]): Step & { readonly answer: unknown } => ({
  answer: calls(...ids.map((id) => call(id, 'task'))),
});
const scopeOf = (context: RunContext): RunScope => {
  const scope = runScopeOf(context);
  if (scope === undefined) throw new Error('no scope');
  return scope;
};
const started: SubagentUpdate = { callId: 'c', agent: 'explorer', isBackground: true, state: 'started' };

const hundreds: EngineOptions['estimateTokens'] = (messages) => messages.length * 100;

/** Looks for ever. Its requests are as large as is estimated, its answers of the sizes that it is given; `last`: that of its last one. */
class Endless implements LLMProvider {
  last = 0;
  #asked = 0;
  readonly #size: () => number;

  constructor(size: () => number) {
    this.#size = size;
  }

  async generate({ messages }: ModelRequest): Promise<ModelResponse> {
    this.#asked += 1;
    this.last = this.#size();
    await new Promise((resolve) => setImmediate(resolve));
    return {
      message: calls(call(`x${this.#asked}`, 'look', { at: this.#asked })),
      usage: usage(messages.length * 100, this.last),
    };
  }

  generateStream(): never {
    throw new Error('not asked');
  }
}

/** A run within the one that handed `context` down, as a sub-agent is. */
function runWithin(context: CallContext, steps: readonly Step[], options: EngineOptions = {}): Promise<RunResult> {
  const engine = createEngine(new ScriptedModel(steps), registryOf({ look: echo }), '/w', {
    estimateTokens: (messages) => messages.length,
    within: context.run,
    ...options,
  });
  return engine.run('sub', context.signal);
}

describe.each(modes)('%s', (mode: Mode) => {
  test('the scope is in what tools, hooks, rules, model and compactor get, with the limits of the run', async () => {
    const seen: unknown[] = [];
    const note = (who: string, { run }: CallContext): void => {
      const { allowances, leftMs } = scopeOf(run);
      seen.push([who, ...allowances.map(({ most }) => most), leftMs()]);
    };
    const { play, model, clock } = setScene(mode, [look('l1'), end], {
      maxTokensTotal: 50_000,
      timeoutMs: 100_000,
      hooks: [hookOf('preToolUse', 'h', async (_event, context) => void note('hook', context))],
      permissions: {
        check: async (_call, _tool, context) => {
          note('rules', context);
          await clock.advance(70_000);
          return { kind: 'none' };
        },
      },
      tools: { look: { run: (_call, context) => String(note('tool', context)) } },
      compactor: {
        compact: async ({ messages }, context) => {
          note('compactor', context);
          return { messages };
        },
      },
    });
    await play();
    note('model', model.contexts[0] ?? { run: {}, signal: AbortSignal.abort() });
    expect(seen).toEqual([
      ['compactor', 50_000, 75_000],
      ['hook', 50_000, 75_000],
      ['rules', 50_000, 75_000],
      ['tool', 50_000, 5_000],
      ['compactor', 50_000, 5_000],
      ['model', 50_000, 5_000],
    ]);
  });

  test('a run without limits says so, and an observer that forgets what it was given takes nothing away', async () => {
    const seen: unknown[] = [];
    class Forgetful extends RecordingObserver {
      override onTurnStart(context: RunContext, turn: number): RunContext {
        const { [Symbol('none')]: _none, ...rest } = super.onTurnStart({ ...context }, turn);
        return Object.fromEntries(Object.entries(rest));
      }
    }
    const { play } = setScene(mode, [look('l1'), end], {
      observer: new Forgetful(),
      tools: {
        look: {
          run: (_call, { run }) => String(seen.push([scopeOf(run).allowances, scopeOf(run).leftMs(), depthOf(run)])),
        },
      },
    });
    await play();
    expect(seen).toEqual([[[], undefined, 'undefined']]);
  });

  test('the observer of a run within begins with what the call was given, and the scope within is its own', async () => {
    const observer = new RecordingObserver();
    const inner = new RecordingObserver();
    const seen: unknown[] = [];
    const onInteractionStart = inner.onInteractionStart.bind(inner);
    inner.onInteractionStart = (context, ...rest) => {
      seen.push(depthOf(context));
      return onInteractionStart(context, ...rest);
    };
    const tool: TestTool = {
      run: async (_call, context) => {
        const own: TestTool = { run: (_one, within) => String(seen.push(scopeOf(within.run) === scopeOf(context.run))) };
        const engine = createEngine(new ScriptedModel([look('x'), end]), registryOf({ look: own }), '/w', {
          within: context.run,
          observer: inner,
        });
        return (await engine.run('sub', context.signal)).stopReason;
      },
    };
    await setScene(mode, [task('t1'), end], { observer, tools: { task: tool } }).play();
    expect(seen).toEqual(['turn 1', false]);
  });

  test('[spec 9 multi-agent] what runs within use counts in the usage of the run around them, of a compactor too; the turns do not', async () => {
    const results: RunResult[] = [];
    const tool: TestTool = {
      run: async (_call, context) => {
        const compactor = { compact: async ({ messages }: { messages: readonly never[] }) => ({ messages, usage: usage(7, 1) }) };
        const options: EngineOptions = {};
        Reflect.set(options, 'compactor', compactor);
        results.push(await runWithin(context, [used(look('x'), 100, 10), used({ answer: says('a') }, 200, 20)], options));
        return 'done';
      },
    };
    const { play } = setScene(mode, [used(task('t1'), 1000, 50), used({ answer: says('ok') }, 1100, 60)], {
      tools: { task: tool },
    });
    const ended = await play();
    expect(results.map((one) => [one.turns, one.usage])).toEqual([[2, usage(314, 32)]]);
    expect([ended.turns, ended.usage]).toEqual([2, usage(1000 + 1100 + 314, 50 + 60 + 32)]);
  });

  test('when all is over the ledgers say what was spent, and nothing is held any more, whatever the end', async () => {
    for (const [steps, options] of [
      [[used(look('x'), 100, 10), used({ answer: says('a') }, 200, 20)], {}],
      [[used(look('x'), 100, 10), { fault: { kind: 'auth', message: 'no', retryable: false } }], {}],
      [[used(look('x'), 100, 10), used({ answer: says('a') }, 200, 20)], { maxTurns: 2 }],
    ] as const satisfies readonly (readonly [readonly Step[], EngineOptions])[]) {
      const ledger = createLedger();
      const { play } = setScene(mode, steps, { ...options, within: withinRun({ ledger }), estimateTokens: () => 0 });
      const ended = await play();
      expect(ledger.usage).toEqual(ended.usage);
      expect([ledger.spent.tokens, ledger.held.tokens]).toEqual([ended.usage.inputTokens + ended.usage.outputTokens, 0]);
    }
  });

  test('what is spent within a run counts against its budget', async () => {
    const tool: TestTool = {
      run: (_call, { run }) => {
        scopeOf(run).ledger.spend({ tokens: 5000, usd: 0, usage: usage(4900, 100) });
        return 'spent';
      },
    };
    const { play } = setScene(mode, [used(task('t1'), 100, 10), used({ answer: says('spent') }, 120, 10)], {
      maxTokensTotal: 5400,
      estimateTokens: () => 1,
      tools: { task: tool },
    });
    expect(await play()).toMatchObject({ stopReason: 'budget', finalMessage: 'spent', usage: usage(4900 + 220, 120) });
  });

  test('[spec 9 multi-agent] a run within another one ends by that one’s budget, and is told whose it is', async () => {
    const steps = Array.from({ length: 40 }, (_, at) => used(look(`x${at}`), 300, 20));
    const results: RunResult[] = [];
    const tool: TestTool = {
      run: async (_call, context) => {
        results.push(await runWithin(context, steps, { maxTokensTotal: 1_000_000, maxTurns: 0 }));
        return 'done';
      },
    };
    const { play } = setScene(mode, [used(task('t1'), 200, 20), used({ answer: says('the rest is left') }, 240, 20)], {
      maxTokensTotal: 5000,
      estimateTokens: () => 1,
      tools: { task: tool },
    });
    const ended = await play();
    expect(results).toMatchObject([{ stopReason: 'budget' }]);
    expect(results[0]?.finalMessage).toContain('the budget of 5000 tokens of the run that this one is a part of');
    // Room was left for the last call of the run around it.
    expect(ended.finalMessage).toBe('the rest is left');
    expect(ended.usage.inputTokens + ended.usage.outputTokens).toBeLessThanOrEqual(5000);
  });

  describe('three at once', () => {
    /** Three runs within one, each with answers of its own sizes; what they and the run around them came to. */
    const play = async (cap: number, sizes: readonly (() => number)[]) => {
      const results: RunResult[] = [];
      const models = sizes.map((size) => new Endless(size));
      const tool: TestTool = {
        run: async ({ id }, context) => {
          const model = models[Number(id)] ?? new ScriptedModel([]);
          const engine = createEngine(model, registryOf({ look: echo }), '/w', {
            within: context.run,
            maxTurns: 0,
            estimateTokens: hundreds,
          });
          results.push(await engine.run('sub', context.signal));
          return 'done';
        },
      };
      const steps = [used(task('0', '1', '2'), 200, 1000), used({ answer: says('the rest is left') }, 1500, 100)];
      const scene = setScene(mode, steps, { maxTokensTotal: cap, estimateTokens: hundreds, tools: { task: tool } });
      const ended = await scene.play();
      expect(results.map(({ stopReason }) => stopReason)).toEqual(['budget', 'budget', 'budget']);
      const last = models.reduce((sum, model) => sum + model.last, 0);
      return { ended, last, spent: ended.usage.inputTokens + ended.usage.outputTokens };
    };

    test('[spec 9 multi-agent] never use more than there is, and leave room for the last call of the run around them', async () => {
      const random = createRandom(11);
      for (let round = 0; round < 60; round += 1) {
        const cap = 6000 + random.below(40_000);
        const sizes = [1, 2, 3].map(() => 1 + random.below(500)).map((size) => () => size);
        const { ended, spent } = await play(cap, sizes);
        // What nobody could know is small beside an answer: the reports of the three, and what each is told in its last call.
        expect([round, spent <= cap, ended.finalMessage]).toEqual([round, true, 'the rest is left']);
        // What is left would not have been enough for another call and all that must fit after it.
        expect(spent).toBeGreaterThan(cap / 2);
      }
    });

    test('whose answers are of any size use no more than there is by what nobody could know: their last answers', async () => {
      const random = createRandom(12);
      for (let round = 0; round < 60; round += 1) {
        const cap = 6000 + random.below(40_000);
        const { spent, last } = await play(
          cap,
          [1, 2, 3].map(() => () => 1 + random.below(3000)),
        );
        expect(spent - cap).toBeLessThanOrEqual(last);
      }
    });
  });

  describe('time', () => {
    test.each<[string, number, number, number]>([
      ['none of its own', 0, 100_000, 75_000],
      ['more of its own', 1_000_000, 100_000, 75_000],
      ['less of its own', 40_000, 100_000, 40_000],
      ['its own alone', 40_000, 0, 40_000],
    ])('a run within that has %s ends when the smaller one is over', async (_name, own, outer, smaller) => {
      const workMs = (smaller * 3) / 4;
      const results: RunResult[] = [];
      const models: ScriptedModel[] = [];
      const clock = new ManualClock();
      const tool: TestTool = {
        run: async (_call, context) => {
          const model = new ScriptedModel([{ hang: true }, end]);
          models.push(model);
          const engine = createEngine(model, registryOf({}), '/w', { within: context.run, timeoutMs: own, clock });
          results.push(await engine.run('sub', context.signal));
          return 'done';
        },
        timeoutMs: 0,
      };
      const { play } = setScene(mode, [task('t1'), end], { clock, timeoutMs: outer, tools: { task: tool } });
      const ended = play();
      await settled();
      await clock.advance(workMs - 1);
      expect(models[0]?.requests).toHaveLength(1);
      await clock.advance(1);
      expect(await ended).toMatchObject({ stopReason: 'completed' });
      expect(results).toMatchObject([{ stopReason: 'timeout', finalMessage: 'ok', turns: 2, durationMs: workMs }]);
      expect(JSON.stringify(models[0]?.requests[1])).toContain(`the time limit of ${smaller / 1000} s`);
    });

    test.each([0, -5, 0.3])('where %p ms are left a run within ends at once, by time', async (left) => {
      const { play, clock } = setScene(mode, [{ hang: true }], { within: withinRun({ leftMs: () => left }) });
      const ended = play();
      await settled();
      await clock.advance(1);
      expect(await ended).toMatchObject({ stopReason: 'timeout' });
    });
  });

  test('[spec 9 multi-agent] what is told of runs within is an event of the turn in which it is told, and is counted; nothing follows the last event', async () => {
    const late: (() => void)[] = [];
    const tool: TestTool = {
      run: (_call, { run }) => {
        const { tell } = scopeOf(run);
        tell(started);
        late.push(() => tell({ ...started, state: 'ended', stopReason: 'completed', turns: 1, usage: noUsage, durationMs: 5 }));
        return 'begun';
      },
    };
    const { play, events } = setScene(mode, [task('t1'), look('l1'), end], {
      tools: { task: tool, look: { run: () => String(late[0]?.()) } },
    });
    expect((await play()).subagents).toEqual({ runs: 1, turns: 1 });
    expect(events.flatMap((event) => (event.type === 'subagent_update' ? [[event.turn, event.data.state]] : []))).toEqual([
      [1, 'started'],
      [2, 'ended'],
    ]);
    const count = events.length;
    late[0]?.();
    expect([events.length, events.at(-1)?.type]).toEqual([count, 'done']);
  });
});
