import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createDiskSkillFiles } from '../../src/skills/disk-files.ts';
import { loadSkills } from '../../src/skills/load-skills.ts';
import { skillText } from './skill-files.ts';

let base = '';
let workDir = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'harness9-skills-')));
  workDir = path.join(base, 'ws');
  mkdirSync(workDir);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(file: string, content: string | Buffer = 'x'): void {
  const at = path.join(workDir, file);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, content);
}

const files = () => createDiskSkillFiles(workDir);

describe('the files on disk', () => {
  test('are listed below a folder, sorted, without those of git and packages', async () => {
    for (const file of ['b.md', 'skills/z.md', 'skills/a/SKILL.md', '.git/config', 'node_modules/p/AGENTS.md', 'a/.git/x'])
      write(file);
    expect(await files().list('')).toEqual(['b.md', 'skills/a/SKILL.md', 'skills/z.md']);
    expect(await files().list('skills')).toEqual(['skills/a/SKILL.md', 'skills/z.md']);
    expect(await files().list('nowhere')).toEqual([]);
    expect(await files().list('b.md')).toEqual([]);
  });

  test('are loaded as skills', async () => {
    write('skills/a/SKILL.md', skillText('description: d'));
    write('.claude/skills/b.md', skillText('description: e'));
    const { skills, problems } = await loadSkills(files());
    expect([skills.map(({ name }) => name), problems]).toEqual([['a', 'b'], []]);
  });

  test('are never outside, by a path or by a link', async () => {
    writeFileSync(path.join(base, 'secret.md'), 'secret');
    mkdirSync(path.join(base, 'ws-other'));
    writeFileSync(path.join(base, 'ws-other/x.md'), 'secret');
    write('real.md', 'real');
    write('..dots.md', 'dots');
    symlinkSync('../secret.md', path.join(workDir, 'out.md'));
    symlinkSync('..', path.join(workDir, 'up'));
    symlinkSync('real.md', path.join(workDir, 'in.md'));
    const read = files().read;
    expect(await read('in.md')).toBe('real');
    expect(await read('..dots.md')).toBe('dots');
    for (const file of ['out.md', 'up/secret.md', '../secret.md', '../ws-other/x.md', 'skills/../../secret.md', '.', 'nope.md']) {
      expect(await read(file)).toBeNull();
    }
    for (const folder of ['up', '..', '../ws-other']) expect(await files().list(folder)).toEqual([]);
  });

  test('a folder of skills may be a link inside; loops and links below it are not walked into', async () => {
    write('docs/skills/a/SKILL.md', skillText('description: d'));
    symlinkSync('docs/skills', path.join(workDir, 'skills'));
    symlinkSync('..', path.join(workDir, 'docs/skills/loop'));
    expect(await files().list('skills')).toEqual(['skills/a/SKILL.md', 'skills/loop']);
    expect((await loadSkills(files())).skills.map(({ path: file }) => file)).toEqual(['skills/a/SKILL.md']);
  });

  test('are listed within bounds, what is near the root first', async () => {
    write('a/b/c/d/e/deep.md');
    write('a/b/c/d/e/f/deeper.md');
    for (let index = 0; index < 5_100; index += 1) write(`a/many/${String(index).padStart(4, '0')}`, '');
    write('zzz.md');
    const listed = await files().list('');
    expect(listed).toHaveLength(5_000);
    expect(listed).toContain('zzz.md');
    rmSync(path.join(workDir, 'a/many'), { recursive: true });
    expect(await files().list('')).toEqual(['a/b/c/d/e/deep.md', 'zzz.md']);
  });

  test('are text, cut at 256 KB; a pipe is not waited for', async () => {
    write('big.md', 'x'.repeat(300_000));
    write('binary.md', Buffer.from([1, 0, 2]));
    execFileSync('mkfifo', [path.join(workDir, 'pipe.md')]);
    expect(await files().read('big.md')).toHaveLength(262_144);
    expect(await files().read('binary.md')).toBeNull();
    expect(await files().read('pipe.md')).toBeNull();
  });
});
