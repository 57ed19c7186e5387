import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { commitAll, type Place, repositories } from '../git-workspace.ts';
import { changesAfter } from './changes-after.ts';

const repository = repositories();

const at = (place: Place, path: string) => join(place.workDir, path);
const edited = [
  {
    kind: 'write',
    path: 'a.txt',
    isNew: false,
    mode: '100644',
    content: { encoding: 'utf-8', data: 'b\n' },
    patch: 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-a\n+b\n',
  },
];
const editedUnseen = [{ ...edited[0], patch: 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+b\n' }];

/** A program that leaves a proof, and a configuration that would start it for every object that is missing. */
function createTrap(place: Place) {
  const proof = join(place.root, 'pwned');
  const program = join(place.root, 'evil.sh');
  writeFileSync(program, `#!/bin/sh\ntouch ${proof}\nexit 1\n`, { mode: 0o755 });
  const config = `[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = ext::${program}\n\tpromisor = true\n[protocol]\n\tallow = always\n[protocol "ext"]\n\tallow = always\n`;
  return { proof, config };
}

describe('collectChanges after an agent that may write everywhere', () => {
  test('our own git folder is made anew: what the agent wrote into the one from before is not read (E2, E5)', async () => {
    const place = repository({ 'a.txt': 'a\n' });
    const { proof, config } = createTrap(place);
    const collected = await changesAfter(place, () => {
      const folder = join(place.root, 'private');
      writeFileSync(join(folder, 'config'), config);
      rmSync(join(folder, 'objects/info/alternates'));
      place.write('a.txt', 'b\n');
    });
    expect(existsSync(proof)).toBe(false);
    expect(collected).toEqual({ changes: edited, leftOut: [] });
  });

  test('a promisor in the workspace, and alternates of it that lead to one, start nothing (E2, E5)', async () => {
    const place = repository({ 'a.txt': 'a\n' });
    const { proof, config } = createTrap(place);
    const collected = await changesAfter(place, () => {
      const objects = at(place, '.git/objects');
      const other = join(place.root, 'other.git');
      mkdirSync(join(other, 'objects/info'), { recursive: true });
      mkdirSync(join(other, 'refs'));
      writeFileSync(join(other, 'HEAD'), 'ref: refs/heads/main\n');
      writeFileSync(join(other, 'config'), config);
      writeFileSync(at(place, '.git/config'), config);
      for (const name of readdirSync(objects)) rmSync(join(objects, name), { recursive: true });
      mkdirSync(join(objects, 'info'));
      mkdirSync(join(objects, 'pack'));
      writeFileSync(join(objects, 'info/alternates'), `${other}/objects\n`);
      writeFileSync(join(objects, 'info/http-alternates'), `ext::${join(place.root, 'evil.sh')}\n`);
      writeFileSync(join(objects, `pack/pack-${'1'.repeat(40)}.promisor`), '');
      place.write('a.txt', 'b\n');
    });
    expect(existsSync(proof)).toBe(false);
    expect(collected).toEqual({ changes: editedUnseen, leftOut: [] });
  });

  test('without our folder, its parent and the workspace’s git the changes are still collected', async () => {
    const place = repository({ 'a.txt': 'a\n' });
    const collected = await changesAfter(place, () => {
      rmSync(join(place.root, 'private'), { recursive: true });
      rmSync(at(place, '.git'), { recursive: true });
      place.write('a.txt', 'b\n');
    });
    expect(collected).toEqual({ changes: editedUnseen, leftOut: [] });
  });
});

describe('collectChanges and what git was told', () => {
  test.each(['--skip-worktree', '--assume-unchanged'])(
    'a file marked %s that differed before is nobody’s change',
    async (flag) => {
      const place = repository({ 'config.json': '{}\n', 'other.json': '{}\n' });
      for (const name of ['config.json', 'other.json']) {
        place.git('update-index', flag, name);
        place.write(name, '{"password":"x"}\n');
      }
      const collected = await changesAfter(place, () => {
        utimesSync(at(place, 'config.json'), 1, 1);
        place.write('other.json', '{"mine":1}\n');
      });
      expect(collected.changes.map(({ path }) => path)).toEqual(['other.json']);
    },
  );

  test('core.autocrlf turns new line ends as git add would; what has CRLF in the commit keeps it', async () => {
    const place = repository({ 'a.txt': 'a\nb\n', 'dos.txt': 'a\r\nb\r\n', '.gitattributes': '*.raw -text\n' });
    place.git('config', 'core.autocrlf', 'true');
    unlinkSync(at(place, 'a.txt'));
    place.git('checkout', '--quiet', 'a.txt');
    const collected = await changesAfter(place, () => {
      place.git('config', 'core.autocrlf', 'false');
      expect(readFileSync(at(place, 'a.txt'), 'utf8')).toBe('a\r\nb\r\n');
      utimesSync(at(place, 'a.txt'), 1, 1);
      place.write('dos.txt', 'a\r\nc\r\n');
      place.write('new.txt', 'n\r\n');
      place.write('new.raw', 'n\r\n');
      place.write('new.bin', 'n\0\r\n');
    });
    expect(collected.changes.map((change) => change.kind === 'write' && [change.path, change.content.data])).toEqual([
      ['dos.txt', 'a\r\nc\r\n'],
      ['new.bin', 'n\0\r\n'].map((text) => (text.includes('\0') ? Buffer.from(text).toString('base64') : text)),
      ['new.raw', 'n\r\n'],
      ['new.txt', 'n\n'],
    ]);
  });

  test('.git/info/attributes is the one from before the agent', async () => {
    const place = repository({ 'a.txt': 'a\nb\n' });
    mkdirSync(at(place, '.git/info'), { recursive: true });
    writeFileSync(at(place, '.git/info/attributes'), '*.txt text eol=crlf\n');
    unlinkSync(at(place, 'a.txt'));
    place.git('checkout', '--quiet', 'a.txt');
    const collected = await changesAfter(place, () => {
      writeFileSync(at(place, '.git/info/attributes'), '* -text\n');
      utimesSync(at(place, 'a.txt'), 1, 1);
      place.write('new.txt', 'n\r\n');
    });
    expect(collected.changes.map((change) => change.kind === 'write' && [change.path, change.content.data])).toEqual([
      ['new.txt', 'n\n'],
    ]);
  });

  test('LFS by a macro is LFS (E13)', async () => {
    const place = repository({ '.gitattributes': '[attr]lfs filter=lfs diff=lfs merge=lfs -text\n*.lfs lfs\n', 'a.txt': 'a\n' });
    const collected = await changesAfter(place, () => place.write('big.lfs', 'x'));
    expect(collected).toEqual({
      changes: [],
      leftOut: [{ path: 'big.lfs', reason: 'the file is kept in Git LFS; harness9 does not upload LFS content', patch: '' }],
    });
  });
});

describe('collectChanges and names that cannot be published', () => {
  test('a tracked name that is not UTF-8 is left out when it is changed or removed, and only then', async () => {
    const place = repository({ 'a.txt': 'a\n' });
    const sh = (script: string) => execFileSync('sh', ['-c', script], { cwd: place.workDir });
    sh('for n in same changed removed; do echo 1 > "$(printf "$n\\\\377")"; done');
    commitAll(place, 'names');
    const collected = await changesAfter(place, () => {
      sh('echo 22 > "$(printf \'changed\\377\')"; rm "$(printf \'removed\\377\')"; echo 3 > "$(printf \'new\\377\')"');
    });
    expect(collected).toEqual({
      changes: [],
      leftOut: ['changed', 'new', 'removed'].map((name) => ({
        path: `${name}\ufffd`,
        reason: 'the path is not UTF-8',
        patch: '',
      })),
    });
  });

  test('a tracked name with a control character is not offered for deletion, which would refuse the whole change', async () => {
    const place = repository({ 'a.txt': 'a\n', 'b\nc.txt': 'b\n' });
    const collected = await changesAfter(place, () => {
      unlinkSync(at(place, 'a.txt'));
      renameSync(at(place, 'b\nc.txt'), join(place.root, 'gone'));
    });
    expect(collected.changes.map(({ path }) => path)).toEqual(['a.txt']);
    expect(collected.leftOut).toEqual([{ path: 'b\ufffdc.txt', reason: 'the path holds a control character', patch: '' }]);
  });
});
