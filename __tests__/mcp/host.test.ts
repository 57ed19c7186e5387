// Servers whose processes run in the tool host, as in a run: large answers, deaths, and an end that leaves nothing.
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type HostFixture, startFixture } from '../sandbox/host-fixture.ts';
import { isDead } from '../sandbox/running.ts';
import { raw, type Scene, startScene } from './scene.ts';

let fixture: HostFixture;
beforeAll(async () => {
  fixture = await startFixture({ level: 'auto', env: { PATH: process.env.PATH, MCP_TOKEN: 'geheim', GITHUB_TOKEN: 'geheim' } });
});
afterAll(async () => await fixture.remove());

const start = (servers: Readonly<Record<string, unknown>>): Promise<Scene> =>
  startScene(servers, { startProcess: fixture.host.startProcess });

test('a server in the tool host stands in the workspace and has no secret of ours', async () => {
  await using scene = await start({ s: raw({}, { env: { MINE: '1' } }) });
  const { text } = await scene.call('mcp__s__environment');
  expect(JSON.parse(text)).toMatchObject({ cwd: fixture.dir, env: { MINE: '1' } });
  expect(text).not.toContain('geheim');
});

test('its answers of 5 MB arrive, beside calls of the host’s own tools', async () => {
  await using scene = await start({ s: raw() });
  const [big, own] = await Promise.all([
    scene.call('mcp__s__big', { bytes: 5 * 1024 * 1024 }),
    fixture.call('bash', { command: 'echo own' }),
  ]);
  expect(big.text).toMatch(/^<é+\n\[… 519\d{4} bytes omitted …\]\né+>$/);
  expect(own.text).toContain('own');
});

test('a line of 20 MB ends it, a crash ends it, and it starts again', async () => {
  await using scene = await start({ s: raw(), t: raw() });
  expect((await scene.call('mcp__s__endless_line')).text).toContain('it sent a line of more than 16 MB');
  expect((await scene.call('mcp__t__crash')).text).toContain(
    'it ended with exit code 3; the end of its stderr: warming up | segment 7 is broken',
  );
  for (const name of ['s', 't']) expect((await scene.call(`mcp__${name}__echo`, { a: 1 })).text).toBe('{"a":1}');
});

test('closing leaves none of its processes; the host goes on', async () => {
  const scene = await start({ s: raw(), t: raw() });
  const pids = await Promise.all(
    ['s', 't'].map(async (name) => JSON.parse((await scene.call(`mcp__${name}__environment`)).text).pid),
  );
  expect(pids.map(isDead)).toEqual([false, false]);
  await scene[Symbol.asyncDispose]();
  expect(pids.map(isDead)).toEqual([true, true]);
  expect((await fixture.call('bash', { command: `basename ${path.basename(fixture.dir)}` })).isError).toBe(false);
});

test('a host that dies takes its servers with it, which is told and mended once', async () => {
  await using scene = await start({ s: raw() });
  await fixture.call('bash', { command: 'kill -9 $PPID' });
  expect((await scene.call('mcp__s__echo', { a: 1 })).text).toMatch(/\{"a":1\}|was gone before it answered/);
  expect((await scene.call('mcp__s__echo', { a: 2 })).text).toBe('{"a":2}');
});
