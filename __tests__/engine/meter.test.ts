// Tokens of a run: what was spent, what comes next, and estimates that learn from what the provider reports.
import { describe, expect, test } from '@jest/globals';
import { Meter } from '../../src/engine/meter.ts';
import type { ModelRequest, TokenEstimate } from '../../src/engine/ports.ts';
import { soundUsage } from '../../src/engine/pricing.ts';
import { noUsage, type Usage } from '../../src/schema/message.ts';
import { createLedger } from '../../src/schema/run-scope.ts';
import { says, usage, user } from './scripted-model.ts';

/** A request of so many messages; each is 100 tokens by the estimate. */
const request = (count: number): ModelRequest => ({
  messages: Array.from({ length: count }, (_, at) => user(`${at}`)),
  tools: [],
  toolChoice: 'auto',
  tailStart: count,
});
/** What the ledger says is `spent`, but for the next call, which is held in it before it is made. */
const setUp = (estimate: TokenEstimate = (messages) => messages.length * 100) => {
  const ledger = createLedger();
  const allowances = [{ ledger, unit: 'tokens', most: 10_000, name: 'budget' }] as const;
  const meter = new Meter({ estimate, ledger, allowances, priceOf: undefined });
  const spent = (): number => 10_000 - (meter.budgets[0]?.left ?? 0);
  return { meter, ledger, spent };
};
const create = (): Meter => setUp().meter;

describe('the correction', () => {
  test.each<[string, number, number]>([
    ['what was reported', 1500, 150],
    ['less', 800, 80],
    ['three times as much at most', 100_000, 300],
    ['half as much at least', 1, 50],
  ])('an estimate becomes %s', (_name, reported, expected) => {
    const meter = create();
    expect(meter.estimate([user('x')], [])).toBe(100);
    meter.record(request(10), says('ok'), usage(reported, 5));
    expect(meter.estimate([user('x')], [])).toBe(expected);
  });

  test('the last report counts, and one without input tokens is none', () => {
    const meter = create();
    meter.record(request(10), says('ok'), usage(2000, 5));
    meter.record(request(10), says('ok'), usage(500, 5));
    expect(meter.estimate([user('x')], [])).toBe(50);
    meter.record(request(10), says('ok'), usage(0, 5));
    meter.recordCalledOff(request(10), '');
    expect(meter.estimate([user('x')], [])).toBe(50);
  });

  test('a request that is estimated at nothing corrects nothing', () => {
    const { meter, spent } = setUp(() => 0);
    meter.record(request(1), says('ok'), usage(500, 5));
    expect([meter.estimate([user('x')], []), spent()]).toEqual([0, 505]);
  });
});

describe('what was spent and what comes next', () => {
  test('reported where it is, estimated where it is not, the answer too', () => {
    const { meter, ledger, spent } = setUp();
    meter.record(request(3), says('ok'), usage(450, 20));
    expect([spent(), meter.budgets]).toMatchObject([470, [{ next: 490, last: 590, wrapUp: 610 }]]);
    meter.record(request(4), says('ok'), undefined);
    expect([spent(), meter.budgets]).toMatchObject([470 + 600 + 150, [{ next: 900, last: 1000, wrapUp: 1150 }]]);
    expect(ledger.usage).toEqual(usage(450, 20));
  });

  test('what is expected adds to the next request, or takes its place', () => {
    const meter = create();
    meter.expect([user('a'), user('b')]);
    meter.expect([]);
    expect(meter.nextRequest).toBe(200);
    meter.expectOnly([user('a')], []);
    expect(meter.budgets).toEqual([{ name: 'budget', unit: 'tokens', left: 10_000, next: 600, last: 700, wrapUp: 1200 }]);
  });

  test('what others spent for the run is spent, and says nothing about the next request', () => {
    const { meter, ledger, spent } = setUp();
    meter.expect([user('a')]);
    meter.spend(usage(900, 90));
    expect([spent(), meter.nextRequest, ledger.usage]).toEqual([990, 100, usage(900, 90)]);
  });

  test('the next call is in the ledger before it is made, for whoever else spends from it, until there is none any more', () => {
    const { meter, ledger, spent } = setUp();
    const total = (): number => ledger.spent.tokens + ledger.held.tokens;
    meter.expect([user('a')]);
    expect([total(), spent()]).toEqual([700, 0]);
    meter.expectOnly([user('a'), user('b')], []);
    expect([total(), spent()]).toEqual([800, 0]);
    meter.record(request(2), says('ok'), usage(200, 30));
    expect([total(), spent()]).toEqual([230 + 230 + 100 + 30, 230]);
    meter.spend(usage(10, 0));
    ledger.spend({ tokens: 5, usd: 0, usage: noUsage });
    expect([total(), spent()]).toEqual([245 + 360, 245]);
    meter.release();
    meter.release();
    expect([total(), spent(), ledger.usage]).toEqual([245, 245, usage(210, 30)]);
  });
});

describe('what fits the model', () => {
  test('is what it is said to be, until more than what fits was refused', () => {
    const meter = create();
    expect([meter.windowWithin(0), meter.windowWithin(5000)]).toEqual([0, 5000]);
    meter.refuse(request(20));
    meter.refuse(request(30));
    expect([meter.windowWithin(0), meter.windowWithin(5000), meter.windowWithin(1500)]).toEqual([2000, 2000, 1500]);
  });

  test('a refusal is corrected by the reports, too, and not by every little one: another window makes other bytes', () => {
    const meter = create();
    meter.refuse(request(20));
    meter.record(request(10), says('ok'), usage(1080, 5));
    expect(meter.windowWithin(0)).toBe(2000);
    meter.record(request(10), says('ok'), usage(1500, 5));
    meter.record(request(10), says('ok'), usage(1450, 5));
    expect(meter.windowWithin(0)).toBe(3000);
  });

  test('a retry is sure to fit with half of its window, and not smaller than it need be', () => {
    const meter = create();
    meter.refuse(request(160));
    expect(meter.retryWindow(0)).toBe(16_000);
    meter.record(request(2), says('ok'), undefined);
    expect(meter.retryWindow(0)).toBe(2_000);
    meter.record(request(60), says('ok'), undefined);
    meter.record(request(30), says('ok'), undefined);
    expect([meter.retryWindow(0), meter.retryWindow(9_000), meter.windowWithin(0)]).toEqual([12_000, 9_000, 16_000]);
    // A call without an answer shows nothing, nor does one that had no room for it.
    meter.recordCalledOff(request(100), '');
    meter.record(request(160), says('', 'context_overflow'), undefined);
    expect(meter.retryWindow(0)).toBe(12_000);
  });
});

describe('a report with numbers that are none', () => {
  const broken: readonly (readonly [string, unknown, Usage | undefined])[] = [
    ['no number', { ...noUsage, inputTokens: Number.NaN, outputTokens: Number.NaN }, noUsage],
    ['no end', { ...noUsage, inputTokens: Number.POSITIVE_INFINITY, outputTokens: 3 }, usage(0, 3)],
    ['less than nothing', { ...noUsage, inputTokens: -5, outputTokens: -7 }, noUsage],
    ['half of it left out', { inputTokens: 5, outputTokens: 3 }, usage(5, 3)],
    ['texts', { ...noUsage, inputTokens: '5', outputTokens: null }, noUsage],
    ['null', null, undefined],
    ['nothing', undefined, undefined],
  ];
  test.each(broken)('%s: they count as not reported', (_name, given, expected) => {
    expect(soundUsage(given as Usage | undefined)).toEqual(expected);
  });

  test('what others spent is read the same way', () => {
    const { meter, ledger, spent } = setUp();
    meter.spend({ ...usage(Number.NaN, 40), cacheReadTokens: Number.NaN });
    expect([spent(), ledger.usage]).toEqual([40, usage(0, 40)]);
  });
});
