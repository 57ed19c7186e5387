// Retries: what is tried again, how long is waited, what of it is paid for, and what is said at the end.
import { describe, expect, test } from '@jest/globals';
import type { CallContext, LLMProvider } from '../../src/engine/ports.ts';
import { type RetryOptions, withRetry } from '../../src/engine/retry.ts';
import { createScriptedProvider } from '../../src/provider/scripted/scripted-provider.ts';
import { noUsage, type Origin, type Usage } from '../../src/schema/message.ts';
import type { RunScope, VainAttempt } from '../../src/schema/run-scope.ts';
import { ProviderError, type ProviderFault, type StreamChunk } from '../../src/schema/stream.ts';
import { collect, contextOf, hello } from '../provider/calling.ts';
import { withinRun } from '../schema/within-run.ts';
import { ScriptedModel, type Step } from './scripted-model.ts';

interface Line {
  readonly waits: number[];
  readonly lines: string[];
}

const noon = new Date('2026-11-30T12:00:00Z');

/** Options under a clock that only writes down how long it was to wait. */
function noting(rest: Partial<RetryOptions> = {}) {
  const seen: Line = { waits: [], lines: [] };
  const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    seen.waits.push(ms);
  };
  const clock = { now: () => noon, monotonicMs: () => 0, sleep };
  const options: RetryOptions = { clock, random: () => 0.5, log: (line) => seen.lines.push(line), ...rest };
  return { options, seen };
}

/** A provider that plays these turns. */
function retrying(turns: readonly object[], rest: Partial<RetryOptions> = {}) {
  const { options, seen } = noting(rest);
  return { provider: withRetry(createScriptedProvider({ turns }), options), seen };
}

function failing(rest: object = {}): object {
  return { fault: { kind: 'overloaded', status: 529, message: 'Overloaded', retryable: true, ...rest } };
}

type Spent = readonly [VainAttempt, Origin | undefined];

/** The context of a call in a run that has so much left; what is spent in vain goes to `spent`. */
function within({ leftMs, hasRoom = () => true, spent = [] }: { leftMs?: number; hasRoom?: () => boolean; spent?: Spent[] }) {
  const spendInVain: RunScope['spendInVain'] = (attempt, origin) => void spent.push([attempt, origin]);
  return { ...contextOf(), run: withinRun({ spendInVain, hasRoom, leftMs: () => leftMs }) };
}

test('a fault that may pass is tried again with full jitter over growing ceilings, six times in all (G3-12)', async () => {
  const turns = Array.from({ length: 5 }, () => failing());
  const { provider, seen } = retrying([...turns, { text: 'done' }]);
  expect((await provider.generate(hello, contextOf())).message.content).toEqual([{ type: 'text', text: 'done' }]);
  expect(seen.waits).toEqual([500, 1000, 2000, 4000, 8000]);
  expect(seen.lines[0]).toBe('[provider] attempt=1 fault=overloaded status=529 retry_in_ms=500');
});

test('jitter is full: between nothing and the ceiling, which is never more than 30 s', async () => {
  for (const random of [0, 0.25, 0.999]) {
    const { provider, seen } = retrying(
      Array.from({ length: 12 }, () => failing()),
      { random: () => random, maxAttempts: 12 },
    );
    await expect(provider.generate(hello, contextOf())).rejects.toBeInstanceOf(ProviderError);
    const ceilings = [1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30].map((seconds) => seconds * 1000);
    expect(seen.waits).toEqual(ceilings.slice(0, seen.waits.length).map((ms, at) => expectedWait(ms, at, random)));
    expect(seen.waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(120_000);
  }

  /** The last wait that fits is cut to what is left of the two minutes. */
  function expectedWait(ceiling: number, at: number, random: number): unknown {
    return at < 6 ? Math.round(ceiling * random) : expect.any(Number);
  }
});

test('after the last try the error carries status and the provider’s text, and is not tried again (G2-29, G3-12)', async () => {
  const turns = [...Array.from({ length: 5 }, () => failing()), failing({ message: 'Overloaded: last' }), { text: 'never' }];
  const { provider, seen } = retrying(turns);
  await expect(withRetry(provider, noting().options).generate(hello, contextOf())).rejects.toMatchObject({
    fault: { kind: 'overloaded', status: 529, message: 'Overloaded: last (given up after 6 attempts)', retryable: false },
  });
  expect(seen.waits).toHaveLength(5);
});

test('a fault that will not pass is not tried again, and is said as it is', async () => {
  const { provider, seen } = retrying([failing({ kind: 'auth', retryable: false }), { text: 'never' }]);
  await expect(provider.generate(hello, contextOf())).rejects.toMatchObject({ fault: { kind: 'auth', message: 'Overloaded' } });
  expect(seen.waits).toEqual([]);
});

test('what is no fault of the provider is not tried again', async () => {
  const calls: string[] = [];
  const broken = {
    generate: async () => {
      calls.push('generate');
      throw new TypeError('no');
    },
    async *generateStream(): AsyncGenerator<StreamChunk> {
      calls.push('generateStream');
      yield { type: 'text_delta', delta: 'a' };
      throw new TypeError('no');
    },
  };
  await expect(withRetry(broken, noting().options).generate(hello, contextOf())).rejects.toThrow('no');
  await expect(collect(withRetry(broken, noting().options))).rejects.toThrow('no');
  expect(calls).toEqual(['generate', 'generateStream']);
});

describe('the wait that the server asked for', () => {
  test('is a floor, with a little on top (G2-29)', async () => {
    const { provider, seen } = retrying([failing({ retryAfterMs: 2000 }), failing({ retryAfterMs: 0 }), { text: 'done' }]);
    await provider.generate(hello, contextOf());
    expect(seen.waits).toEqual([2500, 500]);
  });

  test('is not begun when it is longer than a call may wait; the error says until when', async () => {
    const { provider, seen } = retrying([failing({ retryAfterMs: 600_000 }), { text: 'never' }]);
    await expect(provider.generate(hello, contextOf())).rejects.toMatchObject({
      fault: {
        status: 529,
        retryable: false,
        message:
          'Overloaded (it asks to be left alone for 600 s until 2026-11-30 12:10:00 UTC, and 120 s of waiting are left here)',
      },
    });
    expect(seen.waits).toEqual([]);
  });

  test('of exactly the bound is obeyed, and what stands on top is cut', async () => {
    const { provider, seen } = retrying([failing({ retryAfterMs: 120_000 }), { text: 'done' }]);
    await provider.generate(hello, contextOf());
    expect(seen.waits).toEqual([120_000]);
  });

  test('shares one bound with the other waits of the call', async () => {
    const { provider, seen } = retrying(Array.from({ length: 3 }, () => failing({ retryAfterMs: 40_000 })));
    await expect(provider.generate(hello, contextOf())).rejects.toMatchObject({ fault: { status: 529 } });
    expect(seen.waits).toEqual([40_500, 40_500]);
  });

  test('is obeyed no longer than where another model waits', async () => {
    const { provider, seen } = retrying(
      [failing({ retryAfterMs: 15_000 }), failing({ retryAfterMs: 5_000 }), { text: 'never' }],
      { maxWaitMs: 20_000 },
    );
    await expect(provider.generate(hello, contextOf())).rejects.toThrow('and 5 s of waiting are left here');
    expect(seen.waits).toEqual([15_500]);
  });

  test('may be one that no calendar has', async () => {
    const { provider } = retrying([failing({ retryAfterMs: 1e300 })]);
    await expect(provider.generate(hello, contextOf())).rejects.toMatchObject({ fault: { status: 529, retryable: false } });
  });
});

describe('the time that the run has left', () => {
  test('is not waited beyond', async () => {
    const { provider, seen } = retrying([failing(), failing(), { text: 'done' }], { random: () => 0.99 });
    await provider.generate(hello, within({ leftMs: 700 }));
    expect(seen.waits).toEqual([700, 700]);
    const asked = retrying([failing({ retryAfterMs: 5000 }), { text: 'never' }]);
    await expect(asked.provider.generate(hello, within({ leftMs: 4000 }))).rejects.toThrow(
      'for 5 s until 2026-11-30 12:00:05 UTC',
    );
    expect(asked.seen.waits).toEqual([]);
  });

  test('bounds nothing where there is no limit, nor at the very end, which the signal tells', async () => {
    for (const leftMs of [undefined, 0]) {
      const { provider, seen } = retrying([failing({ retryAfterMs: 5000 }), { text: 'done' }]);
      await provider.generate(hello, within(leftMs === undefined ? {} : { leftMs }));
      expect(seen.waits).toEqual([5500]);
    }
  });
});

describe('in a stream', () => {
  test('a reset stands before the next attempt, if something was shown', async () => {
    const { provider } = retrying([{ ...failing(), text: 'half ' }, failing(), { text: 'whole' }]);
    expect((await collect(provider)).map((chunk) => ('delta' in chunk ? chunk.delta : chunk.type))).toEqual([
      'half ',
      'reset',
      'whole',
      'done',
    ]);
  });

  test('a reset of the provider’s own leaves nothing to take back', async () => {
    let calls = 0;
    const provider = {
      generate: () => Promise.reject(new Error('not asked')),
      async *generateStream(): AsyncGenerator<StreamChunk> {
        calls += 1;
        yield { type: 'thinking_delta', delta: 'hm' };
        yield { type: 'reset' };
        if (calls === 1) yield { type: 'error', error: { kind: 'transport', message: 'cut', retryable: true } };
        else yield { type: 'done', message: { role: 'assistant', content: [] }, usage: undefined };
      },
    };
    expect((await collect(withRetry(provider, noting().options))).map(({ type }) => type)).toEqual([
      'thinking_delta',
      'reset',
      'thinking_delta',
      'reset',
      'done',
    ]);
  });

  test('one that throws its fault is one that ends in it', async () => {
    let calls = 0;
    const provider = {
      generate: () => Promise.reject(new Error('not asked')),
      async *generateStream(): AsyncGenerator<StreamChunk> {
        calls += 1;
        yield { type: 'text_delta', delta: 'a' };
        throw new ProviderError({ kind: 'transport', message: 'cut', retryable: calls === 1 });
      },
    };
    expect((await collect(withRetry(provider, noting().options))).map(({ type }) => type)).toEqual([
      'text_delta',
      'reset',
      'text_delta',
      'error',
    ]);
  });

  test('that fails for good ends in one error', async () => {
    const { provider } = retrying([failing(), failing({ kind: 'quota', retryable: false })]);
    expect(await collect(provider)).toEqual([{ type: 'error', error: expect.objectContaining({ kind: 'quota' }) }]);
  });
});

test('an abort during the wait rejects with its reason, in both modes', async () => {
  const reason = new Error('enough');
  for (const mode of ['generate', 'stream']) {
    const controller = new AbortController();
    const { provider } = retrying([failing(), { text: 'never' }], { log: () => controller.abort(reason) });
    const context = contextOf(controller.signal);
    await expect(mode === 'stream' ? collect(provider, hello, context) : provider.generate(hello, context)).rejects.toBe(reason);
  }
});

describe('what is paid for in vain', () => {
  const answer = { role: 'assistant', content: [{ type: 'text', text: 'whole' }] } as const;
  const cut: ProviderFault = { kind: 'transport', message: 'cut', retryable: true };
  const reported: Usage = { ...noUsage, inputTokens: 900, outputTokens: 1, cacheReadTokens: 800 };

  const origin: Origin = { provider: 'p', endpoint: 'e', model: 'm' };

  async function playedIn(mode: string, steps: readonly Step[], hasRoom = () => true) {
    const spent: Spent[] = [];
    const context = within({ spent, hasRoom });
    const provider = withRetry(new ScriptedModel(steps), noting({ origin }).options);
    const last = mode === 'stream' ? (await collect(provider, hello, context)).at(-1) : await generated(provider, context);
    expect(spent.every(([, from]) => from === origin)).toBe(true);
    return { last, spent: spent.map(([one]) => one) };
  }

  async function generated(provider: LLMProvider, context: CallContext) {
    return await provider.generate(hello, context).catch((error: unknown) => {
      if (error instanceof ProviderError) return { error: error.fault };
      throw error;
    });
  }

  test.each(['whole', 'stream'])('is told of each attempt that had begun, with whose it was (%s)', async (mode) => {
    const steps = [{ fault: cut }, { fault: { ...cut, hasBegun: true } }, { fault: { ...cut, usage: reported, hasBegun: true } }];
    expect(await playedIn(mode, [...steps, { answer }])).toMatchObject({
      last: { message: answer },
      spent: [{ reported: undefined }, { reported }],
    });
    expect((await playedIn(mode, [{ fault: cut }, { answer }])).spent).toEqual([]);
  });

  test.each(['whole', 'stream'])(
    'is told of the last attempt, too, and once, whoever else would try again (%s)',
    async (mode) => {
      const steps = Array.from({ length: 6 }, () => ({ fault: { ...cut, hasBegun: true, usage: reported } }));
      const { last, spent } = await playedIn(mode, steps);
      expect(last).toMatchObject({ error: { retryable: false } });
      expect(spent).toHaveLength(6);
      const twice: Spent[] = [];
      const inner = withRetry(new ScriptedModel(steps.map((step) => ({ ...step, afterText: 'a' }))), noting().options);
      await collect(withRetry(inner, noting().options), hello, within({ spent: twice }));
      expect(twice).toHaveLength(6);
    },
  );

  test('is told before the wait: a call that is called off in it is paid for as well', async () => {
    const spent: Spent[] = [];
    const controller = new AbortController();
    const { options } = noting({ log: () => controller.abort(new Error('enough')) });
    const provider = withRetry(new ScriptedModel([{ fault: { ...cut, hasBegun: true, usage: reported } }]), options);
    const context = { ...within({ spent }), signal: controller.signal };
    await expect(provider.generate(hello, context)).rejects.toThrow('enough');
    expect(spent).toEqual([[{ request: hello, heard: '', reported }, undefined]]);
  });

  test('is told with what was heard of it', async () => {
    const afterText = 'four words of it';
    const steps = [{ fault: cut, afterText }, { fault: { ...cut, hasBegun: true, usage: reported }, afterText }, { answer }];
    expect((await playedIn('stream', steps)).spent).toEqual([
      { request: hello, heard: afterText, reported: undefined },
      { request: hello, heard: afterText, reported },
    ]);
  });

  test('must leave room in the budget for another attempt', async () => {
    let asked = 0;
    const hasRoom = () => {
      asked += 1;
      return asked < 2;
    };
    const steps = Array.from({ length: 3 }, () => ({ fault: { ...cut, hasBegun: true, usage: reported } }));
    expect(await playedIn('whole', steps, hasRoom)).toMatchObject({
      last: { error: { message: 'cut (given up after 2 attempts: the budget has no room for another one)' } },
      spent: [{ reported }, { reported }],
    });
  });
});
