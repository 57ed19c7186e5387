// A real tool host over a real temporary workspace, for the tests of this folder.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach } from '@jest/globals';
import { childEnvironment } from '../../src/sandbox/child-environment.ts';
import { decideLevel, probeSandbox } from '../../src/sandbox/level.ts';
import type { ToolHost } from '../../src/sandbox/tool-host-client.ts';
import { startToolHost } from '../../src/sandbox/tool-host-client.ts';
import type { ToolDefinition } from '../../src/schema/message.ts';
import { textOf } from '../../src/schema/message.ts';
import { hostToolDefinitions } from '../../src/tools/host-tools.ts';
import { entryOf } from '../entries.ts';

export const entry = entryOf('tool-host');

export interface HostFixture {
  readonly host: ToolHost;
  readonly dir: string;
  readonly log: string[];
  call(name: string, args: unknown, signal?: AbortSignal): Promise<{ readonly text: string; readonly isError: boolean }>;
  remove(): Promise<void>;
}

interface FixtureOptions {
  readonly level?: 'auto' | 'readonly' | 'none';
  readonly entry?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly definitions?: readonly ToolDefinition[];
}

export async function startFixture(options: FixtureOptions = {}): Promise<HostFixture> {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'harness9-host-')));
  const places = { home: path.join(base, 'home'), tmpDir: path.join(base, 'tmp') };
  const dir = path.join(base, 'ws');
  for (const each of [places.home, places.tmpDir, dir]) mkdirSync(each);
  const log: string[] = [];
  const host = startToolHost({
    level: decideLevel(options.level ?? 'auto', await probeSandbox()),
    nodePath: process.execPath,
    entry: options.entry ?? entry,
    workDir: dir,
    env: childEnvironment(options.env ?? process.env, [], places),
    definitions: options.definitions ?? hostToolDefinitions(),
    redactionMark: '***',
    marker: randomBytes(16).toString('hex'),
    log: (line) => log.push(line),
  });
  let calls = 0;
  return {
    host,
    dir,
    log,
    call: async (name, args, signal = new AbortController().signal) => {
      calls += 1;
      const id = `call-${calls}`;
      const result = await host.registry.execute({ id, name, arguments: JSON.stringify(args) }, { signal });
      if (result.toolCallId !== id) throw new Error(`answered ${result.toolCallId} for ${id}`);
      return { text: textOf(result.output), isError: result.isError };
    },
    remove: async () => {
      await host.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** Starts hosts that are gone after the test. */
export function useHosts(): typeof startFixture {
  const fixtures: HostFixture[] = [];
  afterEach(async () => {
    await Promise.all(fixtures.splice(0).map((fixture) => fixture.remove()));
  });
  return async (options) => {
    const fixture = await startFixture(options);
    fixtures.push(fixture);
    return fixture;
  };
}
