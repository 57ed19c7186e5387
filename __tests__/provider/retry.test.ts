// Retries: what is tried again, how long is waited, and what is said at the end.
import { expect, test } from '@jest/globals';
import { type RetryOptions, withRetry } from '../../src/provider/retry.ts';
import { createScriptedProvider } from '../../src/provider/scripted/scripted-provider.ts';
import { collect, contextOf, hello } from './calling.ts';

interface Line {
  readonly waits: number[];
  readonly lines: string[];
}

/** A provider whose first turns fail, under a clock that only writes down how long it was to wait. */
function retrying(turns: readonly object[], rest: Partial<RetryOptions> = {}) {
  const seen: Line = { waits: [], lines: [] };
  const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    seen.waits.push(ms);
  };
  const clock = { now: () => new Date(0), monotonicMs: () => 0, sleep };
  const options: RetryOptions = { clock, random: () => 0.5, log: (line) => seen.lines.push(line), ...rest };
  return { provider: withRetry(createScriptedProvider({ turns }), options), seen };
}

function failing(rest: object = {}): object {
  return { fault: { kind: 'overloaded', status: 529, message: 'Overloaded', retryable: true, ...rest } };
}

test('a fault that may pass is tried again with full jitter over growing ceilings (G3-12)', async () => {
  const { provider, seen } = retrying([failing(), failing(), failing(), { text: 'done' }]);
  expect((await provider.generate(hello, contextOf())).message.content).toEqual([{ type: 'text', text: 'done' }]);
  expect(seen.waits).toEqual([500, 1000, 2000]);
  expect(seen.lines[0]).toBe('[provider] attempt=1 fault=overloaded status=529 retry_in_ms=500');
});

test('after the last try the error carries status and the provider’s text (G2-29, G3-12)', async () => {
  const { provider, seen } = retrying([
    failing(),
    failing(),
    failing(),
    failing({ message: 'Overloaded: last' }),
    { text: 'never' },
  ]);
  await expect(provider.generate(hello, contextOf())).rejects.toMatchObject({
    fault: { kind: 'overloaded', status: 529, message: 'Overloaded: last (given up after 4 attempts)' },
  });
  expect(seen.waits).toHaveLength(3);
});

test('a fault that will not pass is not tried again', async () => {
  const { provider, seen } = retrying([failing({ kind: 'auth', retryable: false }), { text: 'never' }]);
  await expect(provider.generate(hello, contextOf())).rejects.toMatchObject({ fault: { kind: 'auth', message: 'Overloaded' } });
  expect(seen.waits).toEqual([]);
});

test('the wait that the server asked for is a floor (G2-29)', async () => {
  const { provider, seen } = retrying([failing({ retryAfterMs: 2000 }), failing({ retryAfterMs: 0 }), { text: 'done' }]);
  await provider.generate(hello, contextOf());
  expect(seen.waits).toEqual([2500, 500]);
});

test('a wait that is longer than the bound is not begun', async () => {
  const { provider, seen } = retrying([failing({ retryAfterMs: 121_000 }), { text: 'never' }]);
  await expect(provider.generate(hello, contextOf())).rejects.toMatchObject({ fault: { status: 529 } });
  expect(seen.waits).toEqual([]);
});

test('the waits of one call share one bound', async () => {
  const { provider, seen } = retrying([
    failing({ retryAfterMs: 40_000 }),
    failing({ retryAfterMs: 40_000 }),
    failing({ retryAfterMs: 40_000 }),
  ]);
  await expect(provider.generate(hello, contextOf())).rejects.toMatchObject({ fault: { status: 529 } });
  expect(seen.waits).toEqual([40_500, 40_500]);
});

test('in a stream a reset stands before the next attempt, if something was shown', async () => {
  const { provider } = retrying([{ ...failing(), text: 'half ' }, failing(), { text: 'whole' }]);
  expect((await collect(provider)).map((chunk) => ('delta' in chunk ? chunk.delta : chunk.type))).toEqual([
    'half ',
    'reset',
    'whole',
    'done',
  ]);
});

test('a stream that fails for good ends in one error', async () => {
  const { provider } = retrying([failing(), failing({ kind: 'quota', retryable: false })]);
  expect(await collect(provider)).toEqual([{ type: 'error', error: expect.objectContaining({ kind: 'quota' }) }]);
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
