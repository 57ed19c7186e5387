// Logins at proxies: which values of the environment must be seen nowhere.
import { expect, test } from '@jest/globals';
import { proxySecrets } from '../../src/compose/proxy-secrets.ts';
import { createRedactor } from '../../src/redact/redactor.ts';

const sent = (login: string) => Buffer.from(login).toString('base64');

const token = 'hcaik_01hqk4k20cjeh63wca8vva5stw';

test.each([
  ['with a scheme', 'http://build:quiet-words-9@proxy.corp:3128', ['quiet-words-9', sent('build:quiet-words-9')]],
  ['without one', 'build:quiet-words-9@proxy.corp:3128', ['quiet-words-9', sent('build:quiet-words-9')]],
  ['escaped', 'https://b:quiet%40w%3Ards@p/', ['quiet%40w%3Ards', 'quiet@w:rds', sent('b:quiet@w:rds')]],
  ['with its own signs', 'http://b:quiet@w:rds%@p', ['quiet@w:rds%', sent('b:quiet@w:rds%')]],
  ['that is a token alone', `http://${token}@p:1`, [token, sent(`${token}:`)]],
  ['that is a name alone, which may be any word', 'http://developer@p:1', []],
  ['that nobody needs', 'http://proxy.corp:3128', []],
  ['in a path, where it is none', 'http://proxy.corp:3128/a:b@c', []],
  ['of nothing', '', []],
])('C12 a login %s', (_what, address, secrets) => {
  for (const name of ['https_proxy', 'HTTP_PROXY', 'ALL_PROXY']) expect(proxySecrets({ [name]: address })).toEqual(secrets);
  expect(proxySecrets({ NO_PROXY: address, PROXY: address })).toEqual([]);
});

test('C12 a log line of git or of a library that names the proxy shows no password', () => {
  const address = 'http://build:quiet-words-9@proxy.corp:3128';
  const { outward } = createRedactor(proxySecrets({ https_proxy: address }));
  expect(outward(`fatal: unable to access via ${address}/`)).toBe(
    'fatal: unable to access via http://build:***@proxy.corp:3128/',
  );
  expect(outward(`Proxy-Authorization: Basic ${sent('build:quiet-words-9')}`)).not.toContain(sent('build:quiet-words-9'));
});
