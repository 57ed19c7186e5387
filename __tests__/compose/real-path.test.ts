// A file is judged by where the tools would write it, also through links to what is not there yet.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { composePermissions } from '../../src/compose/permissions.ts';
import { flagSource } from '../../src/compose/trusted-config.ts';
import { createSeenFiles } from '../../src/tools/seen-files.ts';
import { createWriteFileTool } from '../../src/tools/write-file.ts';
import { noSettings } from './agent-scene.ts';

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'harness9-real-path-')));
  for (const folder of ['src', 'migrations']) mkdirSync(path.join(dir, folder));
  const links = {
    'src/file': '../migrations/new.sql',
    'src/folder': '../migrations/new',
    'src/chain': 'file',
    'src/deep': '../gone/../migrations/x/y',
    'src/whole': path.join(dir, 'migrations/whole.sql'),
    alias: 'src/folder',
    'migrations/back': '../src/back',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(dir, name));
});
afterEach(() => rmSync(dir, { recursive: true }));

test.each([
  ['src/file', 'migrations/new.sql', 'deny'],
  ['src/chain', 'migrations/new.sql', 'deny'],
  ['src/folder/a/b.sql', 'migrations/new/a/b.sql', 'deny'],
  ['alias/b.sql', 'migrations/new/b.sql', 'deny'],
  ['src/deep', 'migrations/x/y', 'deny'],
  ['src/whole', 'migrations/whole.sql', 'deny'],
  ['migrations/back', 'src/back', 'deny'],
  ['src/new/a.ts', 'src/new/a.ts', 'allow'],
])('%s would be written to %s, and a rule about that place says %s', async (given, place, kind) => {
  const settings = { ...noSettings, permissionRules: 'allow write_file(src/**)\ndeny write_file(migrations/**)' };
  const { checker } = await composePermissions({ settings, source: flagSource(dir), workDir: dir, named: {} });
  const context = { signal: new AbortController().signal, run: {} };
  const call = { id: 'c', name: 'write_file', arguments: JSON.stringify({ path: given }) };
  expect((await checker?.check(call, undefined, context))?.kind).toBe(kind);
  const tool = createWriteFileTool({ workDir: dir, redactionMark: '***', randomHex: () => 'a', seen: createSeenFiles() });
  await tool.execute({ path: given, content: '' }, context);
  expect(existsSync(path.join(dir, place))).toBe(true);
});
