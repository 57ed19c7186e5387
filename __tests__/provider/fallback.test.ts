// Models that take over: when, for whom, and what is said of it.
import { describe, expect, test } from '@jest/globals';
import { withRetry } from '../../src/engine/retry.ts';
import { type FallbackModel, withFallback } from '../../src/provider/fallback.ts';
import type { LLMProvider } from '../../src/provider/port.ts';
import type { Origin } from '../../src/schema/message.ts';
import { type FaultKind, faultKindSchema, ProviderError, type ProviderFault, type StreamChunk } from '../../src/schema/stream.ts';
import { ScriptedModel, type Step } from '../engine/scripted-model.ts';
import { withinRun } from '../schema/within-run.ts';
import { collect, contextOf, hello } from './calling.ts';

const modes = ['generate', 'stream'] as const;

const originOf = (model: string): Origin => ({ provider: 'p', endpoint: 'e', model });

function answer(model: string): Step {
  return { answer: { role: 'assistant', content: [{ type: 'text', text: `I am ${model}` }], origin: originOf(model) } };
}

function fault(rest: Partial<ProviderFault> = {}, afterText?: string): Step {
  const whole: ProviderFault = { kind: 'overloaded', status: 529, message: 'Overloaded', retryable: false, ...rest };
  return { fault: whole, ...(afterText === undefined ? {} : { afterText }) };
}

/** Models a, b, c with their steps. */
function chainOf(...steps: readonly (readonly Step[])[]) {
  const log: string[] = [];
  const models = steps.map((some) => new ScriptedModel(some));
  const named = models.map((provider, index): FallbackModel => ({ origin: originOf('abc'[index] ?? '?'), provider }));
  return { provider: withFallback(named, (line) => log.push(line)), models, log };
}

/** The answer, or the fault, in either mode. */
async function askIn(
  mode: (typeof modes)[number],
  { provider }: { readonly provider: LLMProvider },
  context = contextOf(),
): Promise<unknown> {
  if (mode === 'stream') return (await collect(provider, hello, context)).at(-1);
  return await provider.generate(hello, context).catch((error: unknown) => {
    if (error instanceof ProviderError) return { error: error.fault };
    throw error;
  });
}

describe.each(modes)('%s', (mode) => {
  test('the next model takes over, its answer says so, and the log does', async () => {
    const chain = chainOf([fault()], [answer('b')]);
    expect(await askIn(mode, chain)).toMatchObject({
      message: { origin: { model: 'b' } },
      insteadOf: [{ model: 'a', why: 'overloaded, status 529' }],
    });
    expect(chain.log[0]).toBe('[provider] fallback from=a to=b fault=overloaded status=529');
  });

  test('a model that serves needs nobody, and nothing is said', async () => {
    const chain = chainOf([answer('a')], []);
    expect(await askIn(mode, chain)).not.toHaveProperty('insteadOf');
    expect(chain.log).toEqual([]);
  });

  test('whoever was passed over is not asked again, and every answer after tells of it', async () => {
    const chain = chainOf([fault({ kind: 'quota', status: 402 })], [answer('b'), answer('b'), fault()], [answer('c')]);
    for (const _ of [1, 2]) {
      expect(await askIn(mode, chain)).toMatchObject({ insteadOf: [{ model: 'a', why: 'no credit left, status 402' }] });
    }
    expect(await askIn(mode, chain)).toMatchObject({
      message: { origin: { model: 'c' } },
      insteadOf: [{ model: 'a' }, { model: 'b' }],
    });
    expect(chain.models.map(({ requests }) => requests.length)).toEqual([1, 3, 1]);
    expect(chain.log.filter((line) => line.includes('fallback'))).toHaveLength(2);
  });

  test('calls that fail at the same time move on once', async () => {
    const chain = chainOf([fault(), fault(), fault()], [answer('b'), answer('b'), answer('b')], []);
    const answers = await Promise.all([1, 2, 3].map(() => askIn(mode, chain)));
    for (const one of answers) expect(one).toMatchObject({ insteadOf: [{ model: 'a' }] });
    expect(chain.log.filter((line) => line.includes('fallback'))).toHaveLength(1);
  });

  const takesOver: readonly FaultKind[] = ['overloaded', 'rate_limit', 'timeout', 'transport', 'malformed', 'quota', 'not_found'];
  test.each(faultKindSchema.options.map((kind) => [kind, takesOver.includes(kind)] as const))(
    '%s: another model is asked: %s',
    async (kind, isAsked) => {
      const chain = chainOf([fault({ kind, status: 418 })], [answer('b')]);
      expect(await askIn(mode, chain)).toMatchObject(
        isAsked ? { insteadOf: [{ model: 'a' }] } : { error: { kind, message: 'Overloaded' } },
      );
    },
  );

  test.each([
    [403, true],
    [401, false],
    [undefined, false],
  ])('auth with status %s: a refusal to serve is passed over, a wrong key is not: %s', async (status, isAsked) => {
    const chain = chainOf([fault({ kind: 'auth', status })], [answer('b')]);
    const expected = isAsked ? { insteadOf: [{ why: 'refused to serve, status 403' }] } : { error: { kind: 'auth' } };
    expect(await askIn(mode, chain)).toMatchObject(expected);
  });

  test('a model’s own refusal is its answer', async () => {
    const refusal: Step = { answer: { role: 'assistant', content: [], finishReason: 'refusal' } };
    expect(await askIn(mode, chainOf([refusal], []))).toMatchObject({ message: { finishReason: 'refusal' } });
  });

  test('when nobody is left the last fault is told, and who failed before', async () => {
    const chain = chainOf([fault()], [fault({ kind: 'rate_limit', status: 429, message: 'Slow down' })]);
    expect(await askIn(mode, chain)).toMatchObject({
      error: { kind: 'rate_limit', status: 429, message: 'Slow down (failed before it: a: overloaded, status 529)' },
    });
    // The last one is still asked: it may be back.
    expect(chain.models.map(({ leftover }) => leftover)).toEqual([0, 0]);
  });

  test('the model that the next call goes to can be asked for', async () => {
    const chain = chainOf([answer('a'), fault()], [answer('b')]);
    const served: string[] = [];
    for (const _ of [1, 2]) {
      await askIn(mode, chain);
      served.push(chain.provider.servingOrigin().model);
    }
    expect(served).toEqual(['a', 'b']);
  });

  test('a model that the budget has no room for is not asked, and the fault says so', async () => {
    const chain = chainOf([fault()], [answer('b')]);
    const asked: (string | undefined)[] = [];
    const run = withinRun({
      hasRoom: (origin) => {
        asked.push(origin?.model);
        return false;
      },
    });
    expect(await askIn(mode, chain, { ...contextOf(), run })).toMatchObject({
      error: { kind: 'overloaded', message: 'Overloaded (the budget has no room for b)' },
    });
    expect([asked, chain.models[1]?.requests, chain.provider.servingOrigin().model]).toEqual([['b'], [], 'a']);
  });

  test('an answer names those before its own model, though others have moved on meanwhile', async () => {
    const begun = Promise.withResolvers<void>();
    const slow = Promise.withResolvers<void>();
    const chain = chainOf([fault()], [answer('b'), fault()], [answer('c')]);
    const b = chain.models[1];
    if (b === undefined) throw new Error('no model b');
    const waiting: LLMProvider = {
      generate: async (request, context) => {
        const response = await b.generate(request, context);
        begun.resolve();
        await slow.promise;
        return response;
      },
      generateStream: async function* (request, context) {
        for await (const chunk of b.generateStream(request, context)) {
          if (chunk.type === 'done') {
            begun.resolve();
            await slow.promise;
          }
          yield chunk;
        }
      },
    };
    const models = chain.models.map((provider, at) => ({
      origin: originOf('abc'[at] ?? '?'),
      provider: at === 1 ? waiting : provider,
    }));
    const provider = withFallback(models, () => {});
    const first = askIn(mode, { provider });
    await begun.promise;
    expect(await askIn(mode, { provider })).toMatchObject({ insteadOf: [{ model: 'a' }, { model: 'b' }] });
    slow.resolve();
    expect(await first).toMatchObject({ message: { origin: { model: 'b' } }, insteadOf: [{ model: 'a' }] });
  });

  test('an abort is no reason for another model', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const chain = chainOf([fault()], [answer('b')]);
    controller.abort(reason);
    const context = contextOf(controller.signal);
    const asked = mode === 'stream' ? collect(chain.provider, hello, context) : chain.provider.generate(hello, context);
    await expect(asked).rejects.toBe(reason);
    expect(chain.models[1]?.requests).toEqual([]);
  });
});

test('a reset stands before the next model’s words if any were shown', async () => {
  const shown = (chunks: readonly StreamChunk[]) => chunks.map((chunk) => ('delta' in chunk ? chunk.delta : chunk.type));
  expect(shown(await collect(chainOf([fault({}, 'half')], [answer('b')]).provider))).toEqual([
    'half',
    'reset',
    'I',
    ' am',
    ' b',
    'done',
  ]);
  expect(shown(await collect(chainOf([fault()], [answer('b')]).provider))).toEqual(['I', ' am', ' b', 'done']);
});

test.each(modes)('each model’s own retries come first, and those around the chain add none (%s)', async (mode) => {
  const clock = { now: () => new Date(0), monotonicMs: () => 0, sleep: async () => {} };
  const options = { clock, random: () => 0.5, log: () => {} };
  const failing = Array.from({ length: 9 }, () => fault({ retryable: true }));
  const [a, b] = [new ScriptedModel(failing), new ScriptedModel(failing)];
  const models = [
    { origin: originOf('a'), provider: withRetry(a, { ...options, maxAttempts: 3 }) },
    { origin: originOf('b'), provider: withRetry(b, options) },
  ];
  expect(
    await askIn(mode, {
      provider: withRetry(
        withFallback(models, () => {}),
        options,
      ),
    }),
  ).toMatchObject({
    error: { message: 'Overloaded (given up after 6 attempts) (failed before it: a: overloaded, status 529)' },
  });
  expect([a.requests.length, b.requests.length]).toEqual([3, 6]);
});
