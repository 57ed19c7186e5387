// No form of a key, and no piece of one, is left of what a server says back.
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { createAnthropicProvider } from '../../src/provider/anthropic/anthropic-provider.ts';
import { cleanText } from '../../src/provider/clean-text.ts';
import { parseConnection } from '../../src/provider/connection.ts';
import { createOpenAIProvider } from '../../src/provider/openai/openai-provider.ts';
import { createRandom } from '../tools/random.ts';
import { json, startByteServer } from './byte-server.ts';
import { contextOf, hello } from './calling.ts';

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_';
const special = `${alphabet}+/=.~%`;

function keyOf(seed: number): string {
  const random = createRandom(seed);
  const letters = seed % 3 === 0 ? special : alphabet;
  const prefix = ['sk-', 'sk-ant-api03-', 'sk-proj-', 'AIza', ''][seed % 5] ?? '';
  return prefix + Array.from({ length: 20 + random.below(60) }, () => letters[random.below(letters.length)]).join('');
}

/** How a key may come back. */
const forms: Readonly<Record<string, (key: string) => string>> = {
  plain: (key) => key,
  'in capitals': (key) => key.toUpperCase(),
  'URL-encoded': (key) => encodeURIComponent(key),
  'URL-encoded to the last letter': (key) => Buffer.from(key).toString('hex').replaceAll(/../g, '%$&'),
  base64: (key) => Buffer.from(key).toString('base64'),
  'base64 of user and password': (key) => Buffer.from(`user:${key}`).toString('base64'),
  'base64 for addresses': (key) => Buffer.from(`Bearer ${key}`).toString('base64url'),
  hex: (key) => Buffer.from(key).toString('hex'),
  'as a header': (key) => `{"authorization":"Bearer ${key}","x-api-key":"${key}"}`,
  'masked in the middle': (key) => `${key.slice(0, 5)}${'*'.repeat(10)}${key.slice(-4)}`,
  'masked with points': (key) => `${key.slice(0, 7)}...${key.slice(-3)}`,
  'masked with dots': (key) => `${key.slice(0, 6)}••••`,
  'masked at the front': (key) => `****${key.slice(-6)}`,
  'cut off': (key) => key.slice(0, 16),
  'its end': (key) => key.slice(-14),
  'split by quotes': (key) => `"${key.slice(0, 10)}" + "${key.slice(10)}"`,
  'over two lines': (key) => `${key.slice(0, 12)}\n   ${key.slice(12)}`,
  'letter by letter': (key) => [...key].join(' '),
  'with escapes': (key) => key.replaceAll('-', '\\u002d'),
  'twice in a row': (key) => key + key,
};

/** Runs of letters and digits that a text and a key have in common; a key's own prefix says nothing. */
function leaks(text: string, key: string): boolean {
  const squeeze = (value: string) => value.replaceAll(/[^a-z0-9]/gi, '').toLowerCase();
  const [said, secret] = [squeeze(text), squeeze(key.replace(/^(sk-ant-api03-|sk-proj-|sk-|AIza)/, ''))];
  return Array.from({ length: Math.max(0, secret.length - 7) }, (_, at) => secret.slice(at, at + 8)).some((run) =>
    said.includes(run),
  );
}

const vendor = {
  provider: 'openai',
  keyVariable: 'K',
  urlVariable: 'U',
  defaultBaseUrl: 'https://api.example.com',
  endings: [],
};

function connectionWith(apiKey: string, rest: object = {}) {
  return parseConnection(vendor, 'm', { apiKey, env: {}, ...rest });
}

describe.each(Object.entries(forms))('a key that comes back %s', (name, form) => {
  test('is not in what is said', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const key = keyOf(seed);
      const text = `Incorrect API key provided: ${form(key)}. You can find yours at the usual place.`;
      const clean = cleanText(text, connectionWith(key));
      expect([clean, leaks(clean, key)]).toEqual([expect.stringContaining('Incorrect API key'), false]);
      expect(clean).toContain('[redacted]');
      if (name.startsWith('masked')) for (const end of [key.slice(0, 5), key.slice(-3)]) expect(clean).not.toContain(end);
    }
  });
});

test('a key in the query and one in a header are secrets like the key itself, and names of parameters are not', () => {
  const inQuery = 'AIzaSy-0123456789abcdefghij';
  const inHeader = 'hdr-9876543210zyxwvutsrq';
  const connection = connectionWith('sk-other-key-000111222333', {
    baseUrl: `https://api.example.com/v1?key=${inQuery}&api-version=2024-10-21`,
    headers: { 'x-gateway': inHeader },
  });
  const said = `key=${inQuery.slice(0, 14)} and ${inHeader.slice(3)} for query parameter api-version`;
  expect(cleanText(said, connection)).toBe('key=[redacted] and -[redacted] for query parameter api-version');
});

test('words are left as they are', () => {
  const words =
    'This model’s maximum context length is 8192 tokens... **However**, you requested 9000 (x-request-id: 00aa11bb22cc33dd).';
  expect(cleanText(words, connectionWith('sk-test-0123456789abcdef'))).toBe(words);
});

test('a long text is cleaned before it is cut', () => {
  const key = keyOf(7);
  const clean = cleanText(`${'x'.repeat(480)} ${key}${'*'.repeat(1_000_000)}`, connectionWith(key));
  expect(clean.length).toBeLessThanOrEqual(500);
  expect(leaks(clean, key)).toBe(false);
});

const createFor = {
  openai: (options: object) => createOpenAIProvider('m', { env: {}, ...options }),
  anthropic: (options: object) => createAnthropicProvider('m', 4096, { env: {}, ...options }),
};

describe.each(Object.entries(createFor))('%s: an error with all that hangs on it', (_vendor, create) => {
  const key = 'sk-live-Zq8Vt3Lm0Xc7Bn5Rk2Wp9Jd4';
  const header = 'gw-Hy6Gt5Fr4De3Sw2Aq1';
  const queryKey = 'qk-Pl0Ok9Ij8Uh7Yg6Tf5';

  async function errorOf(reply: Parameters<typeof startByteServer>[0][number], url?: string): Promise<unknown> {
    await using server = await startByteServer([reply]);
    const options = { apiKey: key, headers: { 'x-gateway': header }, baseUrl: `${url ?? server.url}/v1?key=${queryKey}` };
    return await create(options)
      .generate(hello, contextOf())
      .then(
        () => undefined,
        (error: unknown) => error,
      );
  }

  /** As some HTTP clients do: address, headers and all. */
  async function errorOfFetch(): Promise<unknown> {
    const request = { url: `https://h/v1?key=${queryKey}`, headers: { authorization: `Bearer ${key}`, 'x-gateway': header } };
    const cause = Object.assign(new Error(`reset: ${request.url}`), { code: 'ECONNRESET', request });
    const fetch = () => Promise.reject(new TypeError(`fetch failed for ${key}`, { cause }));
    return await create({ apiKey: key, headers: { 'x-gateway': header }, baseUrl: `https://h/v1?key=${queryKey}`, fetch })
      .generate(hello, contextOf())
      .catch((error: unknown) => error);
  }

  const echo = { error: { type: 'x', message: `no: ${key} ${header} ${queryKey}`, headers: { authorization: key } } };

  test.each([
    ['a refusal that says everything back', () => errorOf(json(echo, 401))],
    ['the same in a header', () => errorOf({ ...json(echo, 400), headers: { 'x-echo': key, 'retry-after': key } })],
    ['an error inside an answer', () => errorOf(json(echo))],
    ['a page', () => errorOf({ type: 'text/html', chunks: [`<html>${key}</html>`] })],
    ['no JSON', () => errorOf({ type: 'application/json', chunks: [`${key} ${header}`] })],
    ['JSON of another form', () => errorOf(json({ choices: key, content: header, usage: queryKey }))],
    ['a connection that breaks', () => errorOf({ type: 'application/json', chunks: [key], end: 'reset' })],
    ['a redirect', () => errorOf({ ...json({}, 302), headers: { location: `http://127.0.0.1:1/?${key}` } })],
    ['nobody there', () => errorOf(json({}), 'http://127.0.0.1:1')],
    ['a connection whose error keeps the request', () => errorOfFetch()],
  ])('%s', async (_name, ask) => {
    const error = await ask();
    const said = [inspect(error, { depth: 20, showHidden: true }), JSON.stringify(error), String(error), chainOf(error)].join(
      '\n',
    );
    expect(said).toContain('ProviderError');
    expect(said).toContain('(model m)');
    for (const secret of [key, header, queryKey]) expect([said, leaks(said, secret)]).toEqual([said, false]);
    expect(said).not.toContain('?key=');
  });
});

function chainOf(error: unknown): string {
  return error instanceof Error ? `${error.stack} ${JSON.stringify(Object.entries(error))} ${chainOf(error.cause)}` : '';
}
