import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createPermissionChecker } from '../../../src/policy/permissions/checker.ts';
import { parsePermissionRules } from '../../../src/policy/permissions/rules.ts';
import { hasCode } from '../../../src/schema/error.ts';
import { type Asked, askOf } from './scene.ts';

let root: string;
let workDir: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'permissions-')));
  workDir = path.join(root, 'work');
  for (const folder of ['work/src', 'work/secret', 'work/out', 'outside'])
    mkdirSync(path.join(root, folder), { recursive: true });
  writeFileSync(path.join(workDir, 'secret/key'), '');
  const links = {
    'src/door': '../secret',
    'secret/window': '../src',
    'src/exit': '../../outside',
    'src/loop': 'loop',
    'src/key.ts': '../secret/key',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(workDir, name));
  symlinkSync(workDir, path.join(root, 'alias'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** As the integrator has it: the deepest ancestor that is there, resolved by the system. */
async function realPath(absolute: string): Promise<string> {
  try {
    return realpathSync(absolute);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    return path.join(await realPath(path.dirname(absolute)), path.basename(absolute));
  }
}

function ask(permissionRules: string, from = workDir): Asked {
  const rules = parsePermissionRules({ allowedTools: null, disallowedTools: null, permissionRules });
  return askOf(createPermissionChecker(rules, { workDir: from, realPath }));
}

describe('paths and where they lead', () => {
  test.each([
    ['src/a.ts', 'allow'],
    ['src/new/deep/a.ts', 'allow'],
    ['src/door/key', 'deny'],
    ['src/key.ts', 'deny'],
    ['secret/key', 'deny'],
    ['secret/window/a.ts', 'deny'],
    ['src/exit/a.ts', 'none'],
    ['src/loop/a.ts', 'deny'],
    ['../work/src/a.ts', 'allow'],
    ['lib/a.ts', 'none'],
  ])('%s is answered with %s: the path as it is written and the real one both count', async (file, kind) => {
    const { call } = ask('allow read_file(src/**)\ndeny read_file(secret/**)');
    expect((await call('read_file', { path: file })).kind).toBe(kind);
    expect((await call('read_file', { path: path.join(workDir, file) })).kind).toBe(kind);
  });

  test('a path that is long and deep is judged at once; one that is too long to be any may be any', async () => {
    const { call } = ask('deny read_file(**/a/**/a/**/a/**/*a*a*a*b)');
    expect((await call('read_file', { path: 'a/'.repeat(90) })).kind).toBe('none');
    expect((await call('read_file', { path: `${'a'.repeat(250)}/x` })).kind).toBe('none');
    expect((await call('read_file', { path: 'a/'.repeat(2_000) })).kind).toBe('none');
    expect((await call('read_file', { path: `${'a/'.repeat(2_000)}aaab` })).kind).toBe('deny');
    expect((await call('read_file', { path: 'a/'.repeat(3_000) })).kind).toBe('deny');
  });

  test('a workspace that is reached through a link is the same workspace', async () => {
    const { call } = ask('allow read_file(src/**)', path.join(root, 'alias'));
    expect((await call('read_file', { path: 'src/a.ts' })).kind).toBe('allow');
    expect((await call('read_file', { path: path.join(workDir, 'src/a.ts') })).kind).toBe('allow');
    expect((await call('read_file', { path: path.join(root, 'alias/src/a.ts') })).kind).toBe('allow');
    expect((await call('read_file', { path: path.join(root, 'outside/a') })).kind).toBe('none');
  });

  test.each([
    ['echo > out/log', 'allow'],
    ['echo > "$PWD/out/log"', 'deny'],
    ['echo > src/door/key', 'deny'],
    ['echo > src/exit/a', 'none'],
    // bash goes back from where the link leads, which is not where it stands.
    ['echo > src/exit/../out/log', 'deny'],
    ['cd src && echo > out/log', 'deny'],
  ])('a redirect leads where bash would write: %s is answered with %s', async (command, kind) => {
    const { bash } = ask(
      'allow bash(echo:*)\nallow bash(cd:*)\nallow write_file(out/**)\nallow write_file(src/**)\ndeny write_file(secret/**)',
    );
    expect((await bash(command)).kind).toBe(kind);
  });

  test('behind a cd an absolute target can be judged', async () => {
    const { bash } = ask('allow bash(echo:*)\nallow bash(cd:*)\nallow write_file(out/**)');
    expect((await bash(`cd src && echo > ${workDir}/out/log`)).kind).toBe('allow');
    expect((await bash(`cd src && echo > ${root}/outside/log`)).kind).toBe('none');
  });
});
