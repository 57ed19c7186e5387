import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isInside, safePath } from '../../src/tools/safe-path.ts';
import { createRandom } from './random.ts';
import { useWorkspace } from './workspace.ts';

const workspace = useWorkspace();

describe('safePath', () => {
  test('a path inside is made absolute, also when it does not exist, and an absolute one inside is taken', () => {
    const { dir } = workspace();
    expect([safePath(dir, 'a/b.txt'), safePath(dir, './a/../c'), safePath(dir, `${dir}/x`), safePath(dir, '')]).toEqual([
      `${dir}/a/b.txt`,
      `${dir}/c`,
      `${dir}/x`,
      dir,
    ]);
  });

  test('[spec 003 safePath] G4-16 C11 what leads outside is refused: dots, absolute paths, siblings, links, dangling links, /proc, home', () => {
    const { dir, outside } = workspace();
    writeFileSync(path.join(outside, 'secret.txt'), 's');
    symlinkSync('../outside', path.join(dir, 'link'));
    symlinkSync('../outside/not-there', path.join(dir, 'dangling'));
    symlinkSync('/proc', path.join(dir, 'p'));
    mkdirSync(`${dir}-evil`);
    const attacks = [
      '../x',
      '../../etc/passwd',
      '/etc/passwd',
      `${dir}-evil/x`,
      'link',
      'link/secret.txt',
      'link/new.txt',
      'dangling',
      'dangling/x',
      'p/self/environ',
      '/proc/self/environ',
      '/proc/self/root/etc/passwd',
      '/dev/zero',
      '~/x',
      '~',
    ];
    for (const attack of attacks) {
      expect(() => safePath(dir, attack)).toThrow(expect.objectContaining({ code: 'PATH_OUTSIDE' }));
    }
  });

  test('G4-16 links inside work, and a workspace reached through a link is the same workspace', () => {
    const { dir, at } = workspace();
    mkdirSync(at('real'));
    symlinkSync('real', at('alias'));
    symlinkSync('new-file', at('to-new'));
    symlinkSync(dir, `${dir}-link`);
    expect([
      safePath(dir, 'alias/x'),
      safePath(dir, 'to-new'),
      safePath(`${dir}-link`, 'real/x'),
      safePath(`${dir}-link`, `${dir}-link/y`),
    ]).toEqual([`${dir}/real/x`, `${dir}/new-file`, `${dir}/real/x`, `${dir}/y`]);
  });

  test('F6 NUL, overlong names, link loops and files used as directories are refused in words', () => {
    const { dir, at } = workspace();
    symlinkSync('loop', at('loop'));
    writeFileSync(at('file'), '');
    for (const bad of ['a\0b', 'x'.repeat(5000), 'x'.repeat(300), 'loop', 'loop/a', 'file/x']) {
      expect(() => safePath(dir, bad)).toThrow(expect.objectContaining({ name: 'PathError' }));
    }
  });

  test.each([
    '.git/config',
    'sub/.git/hooks/pre-commit',
    '.GIT/config',
    '.git\u200c/config',
    '.git./x',
    'GIT~1/config',
    '.git',
    'gitlink/x',
    '.git::$INDEX_ALLOCATION/x',
  ])('F5 %j is not written, but may be read', (attack) => {
    const { dir, at } = workspace();
    mkdirSync(at('.git'));
    symlinkSync('.git', at('gitlink'));
    expect(() => safePath(dir, attack, 'write')).toThrow(expect.objectContaining({ code: 'PATH_PROTECTED' }));
    expect(safePath(dir, attack)).toContain(dir);
    expect(safePath(dir, '.github/x.git', 'write')).toBe(`${dir}/.github/x.git`);
  });

  test('2,000 random paths through random links never leave the workspace', () => {
    const { dir, outside } = workspace();
    const random = createRandom(7);
    const names = ['a', 'b', 'c', 'l1', 'l2', 'l3', '..', '.', '', 'new'];
    const targets = ['..', '../..', '.', 'a', '../outside', '/', dir, outside, 'l1/..', 'nowhere', '../ws/b'];
    for (const folder of ['', 'a', 'a/b', 'b', 'b/c']) {
      mkdirSync(path.join(dir, folder), { recursive: true });
      for (const link of ['l1', 'l2', 'l3']) symlinkSync(random.pick(targets), path.join(dir, folder, link));
    }
    let allowed = 0;
    for (let round = 0; round < 2000; round += 1) {
      const input =
        random.pick(['', `${dir}/`, '/']) + Array.from({ length: 1 + random.below(6) }, () => random.pick(names)).join('/');
      let real: string;
      try {
        real = safePath(dir, input);
      } catch (error) {
        expect(error).toMatchObject({ name: 'PathError' });
        continue;
      }
      allowed += 1;
      // The kernel's word for the deepest part that exists.
      let existing = real;
      while (!exists(existing)) existing = path.dirname(existing);
      expect([input, isInside(dir, realpathSync(existing)), existing]).toEqual([input, true, realpathSync(existing)]);
    }
    expect(allowed).toBeGreaterThan(300);
    expect(allowed).toBeLessThan(1900);
  });
});

function exists(file: string): boolean {
  try {
    realpathSync(file);
    return true;
  } catch {
    return false;
  }
}
