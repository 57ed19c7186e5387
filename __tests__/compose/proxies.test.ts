// Which requests go through the proxies of the environment, by names and ports.
import http from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { useProxies } from '../../src/compose/proxies.ts';
import { startProxy } from '../e2e/loopback-proxy.ts';
import { startLoopback } from '../github/loopback-server.ts';

type Proxy = Awaited<ReturnType<typeof startProxy>>;
let proxy: Proxy;
let restore: () => void;
const never = new AbortController().signal;

beforeAll(async () => {
  proxy = await startProxy();
  // What a test sets for this process is taken back in the end.
  restore = http.setGlobalProxyFromEnv({ http_proxy: proxy.url });
});
afterAll(() => {
  restore();
  proxy.close();
});
beforeEach(() => proxy.hosts.clear());

/** Whether the proxy was asked for it; a name that is excepted is nobody's. */
async function isProxied(url: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const logged: string[] = [];
  useProxies({ http_proxy: proxy.url, ...env }, (line) => logged.push(line));
  await fetch(url, { signal: never }).then(
    (answer) => answer.text(),
    () => undefined,
  );
  expect(logged).toEqual([]);
  return proxy.hosts.has(new URL(url).host);
}

test.each([
  ['', true],
  ['ghe.corp.invalid', false],
  ['corp.invalid', false],
  ['.corp.invalid', false],
  ['*.corp.invalid', false],
  ['GHE.Corp.invalid', false],
  ['other.invalid, corp.invalid', false],
  ['*', false],
  ['other.invalid,*', false],
  ['ghe.corp.invalid:PORT', false],
  ['corp.invalid:PORT', false],
  ['ghe.corp.invalid:1', true],
  ['he.corp.invalid', true],
  ['corp.invalid.example', true],
])('NO_PROXY=%s: the proxy is asked: %s', async (exceptions, expected) => {
  await using server = await startLoopback(() => ({}));
  const { port } = new URL(server.url);
  const no = exceptions.replace('PORT', port);
  for (const name of ['NO_PROXY', 'no_proxy']) {
    proxy.hosts.clear();
    expect(await isProxied(`http://ghe.corp.invalid:${port}/`, { [name]: no })).toBe(expected);
  }
});

test('what runs on this machine is asked without a proxy', async () => {
  await using server = await startLoopback(() => ({}));
  expect(await isProxied(`${server.url}/`, {})).toBe(false);
  expect(server.asked.length).toBe(1);
});

test('without a proxy nothing is set, and one that is no address is said in the log', () => {
  const logged: string[] = [];
  useProxies({ NO_PROXY: 'corp.invalid', PATH: '/bin' }, (line) => logged.push(line));
  expect(logged).toEqual([]);
  useProxies({ https_proxy: 'nonsense://' }, (line) => logged.push(line));
  expect(logged).toEqual([expect.stringMatching(/^\[proxy\] warning=proxy_not_used error=/)]);
});
