// Keys and base URLs: where they come from, what is refused, and what is never said.
import { expect, test } from '@jest/globals';
import { createAnthropicProvider } from '../../src/provider/anthropic/anthropic-provider.ts';
import type { ProviderOptions } from '../../src/provider/connection.ts';
import { parseEndpoint } from '../../src/provider/endpoint.ts';
import { createOpenAIProvider } from '../../src/provider/openai/openai-provider.ts';
import type { LLMProvider } from '../../src/provider/port.ts';
import { contextOf, hello } from './calling.ts';

const rules = { endings: ['/chat/completions'], allowInsecure: false };

test.each([
  ['https://h/v1', 'https://h/v1'],
  ['https://h/v1/', 'https://h/v1'],
  ['https://h//', 'https://h'],
  ['https://h', 'https://h'],
  ['https://h/v1/chat/completions', 'https://h/v1'],
  ['https://h/v1/chat/completions/', 'https://h/v1'],
  [' https://h/v1 ', 'https://h/v1'],
  ['http://localhost:11434/v1', 'http://localhost:11434/v1'],
  ['http://127.0.0.1:1/v1', 'http://127.0.0.1:1/v1'],
  ['http://[::1]:1/v1', 'http://[::1]:1/v1'],
])('the base URL %s is %s (G2-37)', (text, url) => {
  expect(parseEndpoint(text, rules).identity).toBe(url);
});

test('a query is kept for the request and is no part of the identity', () => {
  expect(parseEndpoint('https://h/v1?api-version=2', rules)).toEqual({
    host: 'h',
    identity: 'https://h/v1',
    query: 'api-version=2',
  });
});

test.each<[string, (options: ProviderOptions) => LLMProvider, string]>([
  ['openai', (options) => createOpenAIProvider('m', options), 'https://h/x/chat/completions?code=a%2Bb&x=1'],
  ['anthropic', (options) => createAnthropicProvider('m', 1, options), 'https://h/x/v1/messages?code=a%2Bb&x=1'],
])('%s: the query of the base URL stands behind the whole path', async (_, create, url) => {
  const asked: string[] = [];
  const fetch = async (input: Parameters<typeof globalThis.fetch>[0]) => {
    asked.push(String(input));
    return Response.json({ error: { message: 'no' } }, { status: 400 });
  };
  const provider = create({ apiKey: 'k', env: {}, baseUrl: 'https://h/x/?code=a%2Bb&x=1', fetch });
  await expect(provider.generate(hello, contextOf())).rejects.toThrow();
  expect(asked).toEqual([url]);
});

test.each(['localhost:8080', 'api.example.com/v1', 'h'])('the base URL %s is told that its scheme is not there', (text) => {
  const message = `a text of ${text.length} characters that does not begin with https:// or http://.`;
  expect(() => parseEndpoint(text, rules)).toThrow(`The base URL of the model cannot be used: got ${message}`);
});

test.each([
  'nonsense',
  'ftp://h',
  'https://user:secret@h',
  'https://user@h',
  'http://example.com/v1',
  'http://10.0.0.1',
  'http://127.0.0.1.evil.com',
  'http://localhost.evil.com',
])('the base URL %s is refused (I2)', (text) => {
  expect(() => parseEndpoint(text, rules)).toThrow(
    /^The base URL of the model(?:, with the host .+,)? (?:cannot be used|holds|is plain http)/,
  );
});

test('plain http beyond loopback is taken when it is allowed', () => {
  expect(parseEndpoint('http://10.0.0.1/v1', { ...rules, allowInsecure: true }).host).toBe('10.0.0.1');
});

test('a refusal does not repeat what may be a secret', () => {
  expect(() => parseEndpoint('https://user:hunter2@h?key=abc', rules)).toThrow(
    expect.not.objectContaining({ message: expect.stringMatching(/hunter2|abc/) }),
  );
});

test('a missing key names the input and the variable, before any call', () => {
  expect(() => createOpenAIProvider('m', { env: {} })).toThrow(/api_key.*OPENAI_API_KEY/);
  expect(() => createAnthropicProvider('m', 1, { env: { ANTHROPIC_API_KEY: ' ' } })).toThrow(/api_key.*ANTHROPIC_API_KEY/);
});

test('key and base URL come from the given environment when the options have none', () => {
  const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://example.com' };
  expect(() => createOpenAIProvider('m', { env })).toThrow(/example\.com/);
  expect(() => createOpenAIProvider('m', { env, baseUrl: 'https://h' })).not.toThrow();
});
