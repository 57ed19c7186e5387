// What a server refuses is not asked again in the same words, and what may pass is asked a bounded number of times; over real HTTP.
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import { withRetry } from '../../src/engine/retry.ts';
import { createAnthropicProvider } from '../../src/provider/anthropic/anthropic-provider.ts';
import { createOpenAIProvider } from '../../src/provider/openai/openai-provider.ts';
import type { LLMProvider } from '../../src/provider/port.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { json, type Reply, startByteServer } from './byte-server.ts';
import { contextOf, finalOf, hello } from './calling.ts';

const key = 'sk-test-0123456789abcdef';

const vendors: Readonly<Record<string, (baseUrl: string) => LLMProvider>> = {
  openai: (baseUrl) => createOpenAIProvider('m', { apiKey: key, env: {}, baseUrl }),
  anthropic: (baseUrl) => createAnthropicProvider('m', 4096, { apiKey: key, env: {}, baseUrl }),
};

const asks: Readonly<Record<string, (provider: LLMProvider) => Promise<unknown>>> = {
  generate: (provider) => provider.generate(hello, contextOf()).catch((error: unknown) => error),
  generateStream: (provider) => finalOf(provider),
};

const cases = Object.keys(vendors).flatMap((vendor) => Object.keys(asks).map((mode) => [vendor, mode] as const));

/** 408, 409, 425 and 429 say themselves that another time may be better. */
const mayPass = [408, 409, 425, 429];
/** Without 421: that one `fetch` itself sends again, on another connection, as its standard says. */
const statuses = Array.from({ length: 52 }, (_, index) => 400 + index).filter((status) => status !== 421);

/** A vendor behind the retry, under a clock that only counts. */
function retrying(vendor: string, baseUrl: string, waits: number[]): LLMProvider {
  const provider = vendors[vendor]?.(baseUrl);
  if (provider === undefined) throw new Error(`there is no vendor ${vendor}`);
  const sleep = async (ms: number): Promise<void> => void waits.push(ms);
  const clock = { now: () => new Date(0), monotonicMs: () => 0, sleep };
  return withRetry(provider, { clock, random: () => 0.5, log: () => undefined });
}

/** Asks a vendor whose server always answers the same. */
async function refusedBy(reply: Reply, vendor: string, mode: string) {
  await using server = await startByteServer([reply]);
  const waits: number[] = [];
  const provider = retrying(vendor, server.url, waits);
  const said = JSON.stringify(await asks[mode]?.(provider), (_name, value) =>
    value instanceof Error ? { ...value, message: value.message } : value,
  );
  return { requests: server.requests, waits, said };
}

describe.each(cases)('%s, %s', (vendor, mode) => {
  test.each([
    ['a 400 that nobody knows', 400, { error: { message: 'weird' } }],
    ['a 400 of an unknown type', 400, { type: 'error', error: { type: 'weird_error', code: 'weird', message: 'weird' } }],
    ['a 400 that tells of a later time', 400, { error: { message: 'weird: please retry in 1 second' } }],
    ['a 400 without a body', 400, ''],
    ['a wrong key, said back', 401, { error: { message: `Incorrect API key provided: ${key}` } }],
    ['no money', 402, { error: { message: 'Payment required' } }],
    ['a model that there is not', 404, { error: { message: 'model m not found', code: 'model_not_found' } }],
    ['a wrong field', 422, { detail: [{ msg: 'weird' }] }],
  ])('G6-21 %s is asked for once, and the key is not shown', async (_name, status, body) => {
    const { requests, waits, said } = await refusedBy(json(body, status), vendor, mode);
    expect(requests).toHaveLength(1);
    expect(waits).toEqual([]);
    expect(said).toContain(`"status":${status}`);
    expect(said).toContain('"retryable":false');
    expect(said).not.toContain(key.slice(3));
  });

  test('G6-21 of all statuses from 400 to 451 only 408, 409, 425 and 429 are asked for again, six times in all', async () => {
    const counts = new Map<number, number>();
    for (const status of statuses) {
      const { requests, waits } = await refusedBy(json({ error: { message: 'weird' } }, status), vendor, mode);
      counts.set(status, requests.length);
      expect(waits).toHaveLength(requests.length - 1);
      expect(new Set(requests.map(({ text }) => text)).size).toBe(1);
    }
    expect(Object.fromEntries(counts)).toEqual(
      Object.fromEntries(statuses.map((status) => [status, mayPass.includes(status) ? 6 : 1])),
    );
  });

  test('G6-21 what fetch itself sends again is bounded, too', async () => {
    const { requests } = await refusedBy(json({ error: { message: 'weird' } }, 421), vendor, mode);
    expect(requests.length).toBeLessThanOrEqual(12);
  });

  test('G6-21 the waits for what may pass are bounded, whatever the server asks for', async () => {
    const slow = { ...json({ error: { message: 'slow down' } }, 429), headers: { 'retry-after': '50' } };
    const { requests, waits } = await refusedBy(slow, vendor, mode);
    expect(requests).toHaveLength(3);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(120_000);
    const never = { ...slow, headers: { 'retry-after': '86400' } };
    expect((await refusedBy(never, vendor, mode)).requests).toHaveLength(1);
  });
});

test.each(Object.keys(vendors).flatMap((vendor) => ['run', 'runStream'].map((mode) => [vendor, mode] as const)))(
  'G6-21 %s, %s: a whole run ends with one request and the reason',
  async (vendor, mode) => {
    await using server = await startByteServer([json({ error: { message: `weird, said to ${key}` } }, 400)]);
    const engine = createEngine(retrying(vendor, server.url, []), createRegistry(), '/w');
    const ended: unknown[] = [];
    if (mode === 'run') ended.push(await engine.run('go'));
    else for await (const event of engine.runStream('go')) if (event.type === 'error') ended.push(event.data);
    expect(ended).toMatchObject([{ stopReason: 'error', turns: 1, error: { code: 'PROVIDER_BAD_REQUEST' } }]);
    expect(JSON.stringify(ended)).toContain('weird');
    expect(JSON.stringify(ended)).not.toContain(key);
    expect(server.requests).toHaveLength(1);
  },
);
