// A rule that keeps a file from being read keeps it from being found by a search, too.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { hideFiles } from '../../src/compose/hidden-files.ts';
import { composePermissions } from '../../src/compose/permissions.ts';
import { flagSource } from '../../src/compose/trusted-config.ts';
import { textOf } from '../../src/schema/message.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { createGlobTool } from '../../src/tools/search/glob.ts';
import { createGrepTool } from '../../src/tools/search/grep.ts';
import type { SearchPlaces } from '../../src/tools/search/search-root.ts';
import { noSettings, setAgent } from './agent-scene.ts';
import { acts, answers } from './golden-scene.ts';

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'harness9-hidden-')));
  mkdirSync(path.join(dir, 'src/secrets'), { recursive: true });
  for (const file of ['.env', 'src/.env', 'src/secrets/key', 'src/a.ts']) writeFileSync(path.join(dir, file), 'TOKEN\n');
});
afterEach(() => rmSync(dir, { recursive: true }));

interface Lists {
  readonly tools?: readonly string[];
  readonly disallowedTools: readonly string[];
}

async function searchUnder(
  permissionRules: string,
  name: string,
  args: object,
  { workDir = dir, readableFolders = [], ...lists }: Partial<Lists & SearchPlaces> = {},
): Promise<string> {
  const settings = { ...noSettings, permissionRules };
  const permissions = await composePermissions({ settings, source: flagSource(dir), workDir, named: {} });
  const registry = createRegistry();
  const places = { workDir, readableFolders };
  for (const tool of [createGlobTool(places), createGrepTool(places)]) registry.register(tool);
  const { disallowedTools } = lists;
  const agent = disallowedTools === undefined ? undefined : { name: 'child', tools: undefined, ...lists, disallowedTools };
  const ofRun = hideFiles(registry, permissions.hiddenFrom);
  const hiding = agent === undefined ? ofRun : hideFiles(ofRun, permissions.narrowedTo(agent).hiddenFrom);
  const call = { id: 'c', name, arguments: JSON.stringify(args) };
  return textOf((await hiding.execute(call, { signal: new AbortController().signal, run: {} })).output);
}

const inSrc = 'src/a.ts:1: TOKEN\n[1 matching line in 1 file; 3 left out by exclude or by a permission rule]';

test.each([
  ['deny read_file(.env)\ndeny read_file(src/secrets/**)', inSrc],
  ['deny grep(.env)\ndeny read_file(src/secrets)', inSrc],
  ['ask read_file(.env)\ndeny read_file(key)', inSrc],
])('what %j speaks of is not printed by grep, and that is said', async (rules, answer) => {
  expect(await searchUnder(rules, 'grep', { pattern: 'TOKEN' })).toBe(answer);
});

test('neither by another name of the tool, nor when it is named itself, nor by an exclude of the model’s own', async () => {
  const rules = 'deny read_file(.env)\ndeny read_file(src/secrets/)';
  expect(await searchUnder(rules, 'Grep', { regex: 'TOKEN', exclude: ['*.ts'] })).toMatch(/^No line/);
  expect(await searchUnder(rules, 'ripgrep', { query: 'TOKEN', directory: 'src' })).toMatch(/^src\/a\.ts:1: TOKEN\n\[1 /);
  symlinkSync('src/secrets', path.join(dir, 'link'));
  expect(await searchUnder('deny read_file(link)', 'grep', { pattern: 'TOKEN', path: 'link' })).toMatch(/is not searched/);
  for (const place of ['link', '.env', 'src/.env', 'src/secrets', 'src/secrets/key', path.join(dir, '.env')]) {
    expect(await searchUnder(rules, 'grep', { pattern: 'TOKEN', path: place })).toMatch(
      /is not searched: exclude or a permission rule leaves it out/,
    );
  }
});

const ruled = [
  'src/**',
  'src/*',
  '.env*',
  '.*',
  '*.ENV',
  'app/(shop)/**',
  'app/[id]',
  '[!a]*',
  '{src,app}/**',
  '/SRC/',
  'a?ts',
  '**/*.ts',
  '*(shop)*',
];

test.each(ruled)(
  'of read_file(%s) a rule denies just the files that a search does not see, whatever the pattern',
  async (pattern) => {
    const files = [
      '.env',
      'src/.env',
      'src/secrets/key',
      'src/a.ts',
      'Src/b.ts',
      'prod.env',
      'app/(shop)/x',
      'app/[id]/x',
      'app/i/x',
      'a.ts',
      'b',
    ];
    for (const file of files) {
      mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
      writeFileSync(path.join(dir, file), 'TOKEN\n');
    }
    const settings = { ...noSettings, permissionRules: `deny read_file(${pattern})` };
    const { checker } = await composePermissions({ settings, source: flagSource(dir), workDir: dir, named: {} });
    const found = await searchUnder(settings.permissionRules, 'grep', { pattern: 'TOKEN', files_only: true });
    for (const file of files) {
      const call = { id: 'c', name: 'read_file', arguments: JSON.stringify({ path: file }) };
      const decision = await checker?.check(call, undefined, { signal: new AbortController().signal, run: {} });
      expect([file, found.split('\n').includes(`${file}: 1`)]).toEqual([file, decision?.kind !== 'deny']);
    }
  },
);

test('a link is one by whichever name the workspace goes, and what lies beside the workspace is nothing that rules of files are about', async () => {
  const beside = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'harness9-beside-')));
  try {
    mkdirSync(path.join(beside, 'out'));
    writeFileSync(path.join(beside, 'out/.env'), 'TOKEN\n');
    symlinkSync(dir, path.join(beside, 'alias'));
    symlinkSync('src', path.join(dir, 'link'));
    const workDir = path.join(beside, 'alias');
    for (const place of ['link', path.join(workDir, 'link'), path.join(dir, 'link')]) {
      const found = await searchUnder('deny read_file(link)', 'grep', { pattern: 'TOKEN', path: place }, { workDir });
      expect(found).toMatch(/is not searched/);
    }
    const rules = 'deny read_file(out)\ndeny read_file(.*)';
    const places = { readableFolders: [path.join(beside, 'out')] };
    expect(await searchUnder(rules, 'grep', { pattern: 'TOKEN', path: path.join(beside, 'out') }, places)).toMatch(
      /:1: TOKEN\n\[1 /,
    );
  } finally {
    rmSync(beside, { recursive: true });
  }
});

test('names are told by glob unless a rule is about glob', async () => {
  expect(await searchUnder('deny read_file(.env)', 'glob', { pattern: '.env' })).toBe('.env\nsrc/.env\n[2 files]');
  expect(await searchUnder('deny glob(.env)', 'glob', { pattern: '.env' })).toMatch(
    /^No file .*\[2 left out by exclude or by a permission rule\]$/s,
  );
});

test('a sub-agent’s own lists hide files as well', async () => {
  const lists = { disallowedTools: ['read_file(src/**)'] };
  expect(await searchUnder('deny read_file(.env)', 'grep', { pattern: 'TOKEN' }, lists)).toMatch(/^No line/);
  expect(await searchUnder('deny read_file(.env)', 'grep', { pattern: 'TOKEN' })).toMatch(/^src\/a\.ts:1/);
});

test('an exclude that is no list is refused by the tool, and rules about everything leave nothing', async () => {
  expect(await searchUnder('deny read_file(.env)', 'grep', { pattern: 'TOKEN', exclude: 'x' })).toMatch(
    /"exclude" is "x"; expected: array/,
  );
  expect(await searchUnder('deny read_file(**)', 'grep', { pattern: 'TOKEN' })).toMatch(/^No line|not searched/);
});

test('an agent and its sub-agents search with their rules', async () => {
  const look = acts(['grep', { pattern: 'total' }]);
  await using scene = await setAgent('run', [look, acts(['task', { agent: 'a', prompt: 'look' }]), answers('Over.')], {
    settings: { permissionRules: 'deny read_file(notes/**)' },
    children: { a: [look, answers('Nothing.')] },
    definitions: { a: { disallowedTools: ['read_file(src/**)'] } },
  });
  mkdirSync(path.join(scene.dir, 'notes'));
  writeFileSync(path.join(scene.dir, 'notes/n.txt'), 'total\n');
  await scene.play();
  expect(scene.heard(0)).toMatch(
    /^src\/cart\.js:\d+: .*\[\d matching lines? in 1 file; 1 left out by exclude or by a permission rule\]$/s,
  );
  const told = textOf(scene.children.a?.requests[1]?.messages.at(-1)?.content ?? []);
  expect(told).toMatch(/^No line matches "total".*\[2 left out by exclude or by a permission rule\]$/s);
});
