import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { collectChanges } from '../../../src/github/change/collect-changes.ts';
import { takeManifest } from '../../../src/github/change/manifest.ts';
import { temporaryFileName } from '../../../src/schema/temporary-file.ts';
import { baseOf, gitPath, never, type Place, placeAt, repositories, runGit } from '../git-workspace.ts';
import { changesAfter, limits } from './changes-after.ts';

const repository = repositories();

const at = (place: Place, path: string) => join(place.workDir, path);

describe('collectChanges', () => {
  test('nothing changed gives nothing, though files were touched (G1-42)', async () => {
    const place = repository({ 'a.txt': 'a\n', 'src/b.ts': 'b\n' });
    const collected = await changesAfter(place, () => {
      utimesSync(at(place, 'a.txt'), 1, 1);
      writeFileSync(at(place, 'src/b.ts'), 'b\n');
    });
    expect(collected).toEqual({ changes: [], leftOut: [] });
  });

  test('an edit, a new file and a deletion come out as data with patches', async () => {
    const place = repository({ 'a.txt': 'one\ntwo\nthree\n', 'gone.txt': 'bye\n' });
    const collected = await changesAfter(place, () => {
      place.write('a.txt', 'one\n2\nthree\n');
      place.write('src/new.ts', 'export {};\n');
      unlinkSync(at(place, 'gone.txt'));
    });
    expect(collected).toEqual({
      leftOut: [],
      changes: [
        {
          kind: 'write',
          path: 'a.txt',
          isNew: false,
          mode: '100644',
          content: { encoding: 'utf-8', data: 'one\n2\nthree\n' },
          patch: 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
        },
        {
          kind: 'delete',
          path: 'gone.txt',
          patch:
            'diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-bye\n',
        },
        {
          kind: 'write',
          path: 'src/new.ts',
          isNew: true,
          mode: '100644',
          content: { encoding: 'utf-8', data: 'export {};\n' },
          patch:
            'diff --git a/src/new.ts b/src/new.ts\nnew file mode 100644\n--- /dev/null\n+++ b/src/new.ts\n@@ -0,0 +1,1 @@\n+export {};\n',
        },
      ],
    });
  });

  test('what a killed tool left beside a file is nobody’s change', async () => {
    const place = repository({ 'src/a.txt': 'a\n' });
    const collected = await changesAfter(place, () => place.write(`src/${temporaryFileName('00ff')}`, 'half'));
    expect(collected).toEqual({ changes: [], leftOut: [] });
  });

  test('a change of the same length in the same tick is found', async () => {
    const place = repository({ 'a.txt': 'aaaa\n' });
    const collected = await changesAfter(place, () => writeFileSync(at(place, 'a.txt'), 'bbbb\n'));
    expect(collected.changes.map((change) => change.path)).toEqual(['a.txt']);
  });

  test('a stamp from the manifest’s own tick is not trusted', async () => {
    const place = repository({ 'a.txt': 'aaaa\n' });
    const base = await baseOf(place);
    const commit = place.git('rev-parse', 'HEAD').trim();
    const request = { workDir: place.workDir, commit, git: runGit, base };
    const before = await takeManifest({ ...request, clock: { now: () => new Date() } }, never);
    writeFileSync(at(place, 'a.txt'), 'bbbb\n');
    // As if the change had fallen into the tick in which the manifest was taken: the stamps cannot tell.
    const stamped = await takeManifest({ ...request, clock: { now: () => new Date() } }, never);
    const pathsOf = async (untrustedFromMs: number) => {
      const manifest = { ...before, tracked: stamped.tracked, untrustedFromMs };
      const tracked = new Map([...manifest.tracked].map(([path, file]) => [path, { ...file, dirtyHash: null }]));
      const { changes } = await collectChanges(
        { before: { ...manifest, tracked }, workDir: place.workDir, base, limits: { ...limits, maxPatchBytes: 99 } },
        never,
      );
      return changes.map((change) => change.path);
    };
    expect(await pathsOf(before.untrustedFromMs)).toEqual(['a.txt']);
    expect(await pathsOf(Number.MAX_SAFE_INTEGER)).toEqual([]);
  });

  test('what was dirty before and is still the same is nobody’s change; what the agent then edits is', async () => {
    const place = repository({ 'lock.json': '1\n', 'other.json': '1\n' });
    place.write('lock.json', '2\n');
    place.write('other.json', '2\n');
    place.write('report.txt', 'from an earlier step\n');
    const collected = await changesAfter(place, () => {
      place.write('other.json', '3\n');
      utimesSync(at(place, 'lock.json'), 1, 1);
    });
    expect(collected.changes.map((change) => change.path)).toEqual(['other.json']);
  });

  test('the executable bit and symbolic links are kept as modes and link text (G1-27)', async () => {
    const place = repository({ 'run.sh': '#!/bin/sh\n', 'README.md': '# hi\n', 'docs/a.md': 'a\n' });
    const collected = await changesAfter(place, () => {
      chmodSync(at(place, 'run.sh'), 0o755);
      symlinkSync('README.md', at(place, 'link'));
      symlinkSync('../nowhere', at(place, 'docs/dangling'));
    });
    expect(collected.leftOut).toEqual([]);
    expect(collected.changes.map((change) => change.kind === 'write' && [change.path, change.mode, change.content.data])).toEqual(
      [
        ['docs/dangling', '120000', '../nowhere'],
        ['link', '120000', 'README.md'],
        ['run.sh', '100755', '#!/bin/sh\n'],
      ],
    );
  });

  test('a tracked link that is left alone stays unchanged, one that is repointed is a change (G1-27)', async () => {
    const place = repository({ 'README.md': '# hi\n' });
    symlinkSync('README.md', at(place, 'left'));
    symlinkSync('README.md', at(place, 'moved'));
    place.git('add', '-A');
    place.git('commit', '--quiet', '-m', 'links');
    const collected = await changesAfter(place, () => {
      unlinkSync(at(place, 'moved'));
      symlinkSync('left', at(place, 'moved'));
    });
    expect(collected.changes.map((change) => [change.kind, change.path])).toEqual([['write', 'moved']]);
  });

  test('links that leave the tree or enter .git are left out with the reason (E8)', async () => {
    const place = repository({ 'docs/a.md': 'a\n' });
    const collected = await changesAfter(place, () => {
      symlinkSync('/etc/passwd', at(place, 'docs/x'));
      symlinkSync('../../.git/config', at(place, 'docs/y'));
      symlinkSync('.GIT/config', at(place, 'z'));
    });
    expect(collected.changes).toEqual([]);
    expect(collected.leftOut).toEqual([
      { path: 'docs/x', reason: 'the link points to an absolute path', patch: '' },
      { path: 'docs/y', reason: 'the link points outside the repository', patch: '' },
      { path: 'z', reason: 'the link points into a .git folder', patch: '' },
    ]);
  });

  test('a folder replaced by a link is not read through it', async () => {
    const place = repository({ 'src/a.ts': 'a\n', 'README.md': 'r\n' });
    mkdirSync(join(place.root, 'outside'));
    writeFileSync(join(place.root, 'outside/a.ts'), 'stolen\n');
    const collected = await changesAfter(place, () => {
      rmSync(at(place, 'src'), { recursive: true });
      symlinkSync(join(place.root, 'outside'), at(place, 'src'));
    });
    expect(JSON.stringify(collected)).not.toContain('stolen');
    expect(collected.changes.map((change) => [change.kind, change.path])).toEqual([['delete', 'src/a.ts']]);
    expect(collected.leftOut.map((left) => left.path)).toEqual(['src']);
  });

  test('hooks, configuration, filters and nested repositories of the workspace are never run (E1, E2, E3, E4, E5)', async () => {
    const place = repository({ 'a.txt': 'a\n', '.gitattributes': '*.evil filter=evil\n', 'b.evil': 'b\n' });
    const proof = join(place.root, 'pwned');
    const collected = await changesAfter(place, () => {
      const script = `#!/bin/sh\ntouch ${proof}\n`;
      for (const hook of ['pre-commit', 'post-index-change', 'reference-transaction']) {
        writeFileSync(at(place, `.git/hooks/${hook}`), script, { mode: 0o755 });
      }
      writeFileSync(join(place.root, 'evil.sh'), script, { mode: 0o755 });
      const evil = join(place.root, 'evil.sh');
      const config = `[core]\n\tfsmonitor = ${evil}\n\tsshCommand = ${evil}\n[filter "evil"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n\tprocess = ${evil}\n[diff]\n\texternal = ${evil}\n`;
      writeFileSync(at(place, '.git/config'), config, { flag: 'a' });
      place.write('b.evil', 'changed\n');
      place.write('a.txt', 'changed\n');
      place.write('sub/.git/config', config);
      place.write('sub/file.txt', 'x\n');
    });
    expect(existsSync(proof)).toBe(false);
    expect(collected.changes.map((change) => change.path)).toEqual(['a.txt']);
    expect(collected.leftOut).toEqual([
      { path: 'b.evil', reason: 'the file goes through the filter "evil" (.gitattributes), which is not run', patch: '' },
      { path: 'sub', reason: 'it is a git repository of its own', patch: '' },
    ]);
  });

  test('a replaced .git changes nothing but is not followed (E5)', async () => {
    const place = repository({ 'a.txt': 'a\n' });
    const collected = await changesAfter(place, () => {
      renameSync(at(place, '.git'), join(place.root, 'moved.git'));
      symlinkSync('/etc', at(place, '.git'));
      place.write('a.txt', 'b\n');
    });
    expect(collected.changes.map((change) => change.path)).toEqual(['a.txt']);
    expect(collected.leftOut).toEqual([]);
  });

  test('an unchanged submodule is nobody’s change; one that was moved, replaced or removed is left out with the reason (G1-36)', async () => {
    const place = repository({ 'a.txt': 'a\n' });
    const inner = repository({ 'inner.txt': 'i\n' });
    for (const name of ['same', 'moved', 'replaced', 'removed']) {
      place.git('submodule', '--quiet', 'add', inner.workDir, `vendor/${name}`);
    }
    place.git('commit', '--quiet', '-m', 'submodule');
    const collected = await changesAfter(place, () => {
      const sub = placeAt(place.root, at(place, 'vendor/moved'));
      sub.write('inner.txt', 'changed\n');
      sub.git('commit', '--quiet', '-am', 'moved');
      for (const name of ['replaced', 'removed']) rmSync(at(place, `vendor/${name}`), { recursive: true });
      place.write('vendor/replaced', 'x\n');
    });
    expect(collected.changes).toEqual([]);
    expect(collected.leftOut.map(({ path, reason }) => [path, reason])).toEqual([
      ['vendor/moved', 'a submodule stands on another commit; harness9 does not change submodules'],
      ['vendor/removed', 'a submodule was removed; harness9 does not change submodules'],
      ['vendor/replaced', 'a submodule was replaced by something else; harness9 does not change submodules'],
    ]);
  });

  test('new files less the ignore rules of the commit, nested ones too; `.git/info/exclude` says nothing', async () => {
    const place = repository({ '.gitignore': 'dist/\n*.log\n', 'pkg/.gitignore': '!keep.log\n/out\n', 'pkg/a.ts': 'a\n' });
    const collected = await changesAfter(place, () => {
      place.write('dist/x.js', 'x');
      place.write('a.log', 'x');
      place.write('pkg/keep.log', 'x');
      place.write('pkg/out/x', 'x');
      place.write('pkg/src/out/x', 'x');
      place.write('.git/info/exclude', 'secret.txt\n');
      place.write('secret.txt', 'x');
    });
    expect(collected.changes.map((change) => change.path)).toEqual(['pkg/keep.log', 'pkg/src/out/x', 'secret.txt']);
  });

  test('a .gitignore that the agent writes hides more, and cannot bring back what the commit ignores', async () => {
    const place = repository({ '.gitignore': '*.env\n' });
    const collected = await changesAfter(place, () => {
      place.write('.gitignore', '!*.env\nnode_modules/\n');
      place.write('node_modules/x/index.js', 'x');
      place.write('prod.env', 'x');
    });
    expect(collected.changes.map((change) => change.path)).toEqual(['.gitignore']);
  });

  test('line ends are stored as .gitattributes says', async () => {
    const place = repository({ '.gitattributes': '* text=auto\n*.bat text eol=crlf\n*.raw -text\n', 'a.txt': 'a\n' });
    place.write('win.bat', 'x\r\n');
    place.git('add', '-A');
    place.git('commit', '--quiet', '-m', 'bat');
    const collected = await changesAfter(place, () => {
      place.write('a.txt', 'a\r\nb\r\n');
      place.write('win.bat', 'x\r\n');
      place.write('new.bat', 'y\r\n');
      place.write('c.raw', 'z\r\n');
    });
    expect(collected.changes.map((change) => change.kind === 'write' && [change.path, change.content.data])).toEqual([
      ['a.txt', 'a\nb\n'],
      ['c.raw', 'z\r\n'],
      ['new.bat', 'y\n'],
    ]);
  });

  test('LFS content is left out with the reason (E13)', async () => {
    const place = repository({ '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n', 'a.txt': 'a\n' });
    const collected = await changesAfter(place, () => {
      place.write('.gitattributes', '');
      place.write('big.bin', Buffer.from([1, 2, 3]));
    });
    expect(collected.changes.map((change) => change.path)).toEqual(['.gitattributes']);
    expect(collected.leftOut).toEqual([
      { path: 'big.bin', reason: 'the file is kept in Git LFS; harness9 does not upload LFS content', patch: '' },
    ]);
  });

  test('pipes are not opened, binaries travel as base64, big files are left out', async () => {
    const place = repository({ 'a.txt': 'a\n' });
    const collected = await changesAfter(
      place,
      () => {
        execFileSync('mkfifo', [at(place, 'pipe')]);
        place.write('logo.png', Buffer.from([0x89, 0x50, 0, 1]));
        place.write('huge.txt', 'x'.repeat(3000));
        unlinkSync(at(place, 'a.txt'));
        execFileSync('mkfifo', [at(place, 'a.txt')]);
      },
      { maxPatchBytes: 2048 },
    );
    expect(collected.leftOut).toEqual([
      { path: 'a.txt', reason: 'it is no regular file (a pipe, a socket or a device)', patch: '' },
      { path: 'huge.txt', reason: 'it has 3 KB; the limit (max_patch_kb) is 2 KB', patch: '' },
      { path: 'pipe', reason: 'it is no regular file (a pipe, a socket or a device)', patch: '' },
    ]);
    expect(collected.changes).toEqual([
      {
        kind: 'write',
        path: 'logo.png',
        isNew: true,
        mode: '100644',
        content: { encoding: 'base64', data: 'iVAAAQ==' },
        patch: 'diff --git a/logo.png b/logo.png\nnew file mode 100644\nBinary files /dev/null and b/logo.png differ\n',
      },
    ]);
  });

  test('a byte order mark and a missing last line end survive', async () => {
    const place = repository({ 'a.txt': '\ufeffa' });
    const collected = await changesAfter(place, () => place.write('a.txt', '\ufeffb'));
    expect(collected.changes.map((change) => change.kind === 'write' && change.content.data)).toEqual(['\ufeffb']);
  });

  test('git applies the patches to the commit and comes to the workspace', async () => {
    const place = repository({
      'a b.txt': 'one\ntwo\n',
      'no-end': 'x',
      'é"q.txt': 'q\n',
      'to-link': 'f\n',
      'x.sh': 'echo\n',
      gone: 'g\n',
    });
    const collected = await changesAfter(place, () => {
      place.write('a b.txt', 'one\n2\nthree');
      place.write('no-end', 'x\n');
      place.write('é"q.txt', 'Q\n');
      unlinkSync(at(place, 'to-link'));
      symlinkSync('x.sh', at(place, 'to-link'));
      chmodSync(at(place, 'x.sh'), 0o755);
      unlinkSync(at(place, 'gone'));
      place.write('empty', '');
      place.write('deep/er/new', 'n\n');
    });
    const other = join(place.root, 'other');
    place.git('worktree', 'add', '--quiet', '--detach', other, 'HEAD');
    const patch = join(place.root, 'all.patch');
    writeFileSync(patch, collected.changes.map((change) => change.patch).join(''));
    execFileSync(gitPath, ['apply', patch], { cwd: other });
    for (const path of ['a b.txt', 'no-end', 'é"q.txt', 'x.sh', 'empty', 'deep/er/new']) {
      expect(readFileSync(join(other, path), 'utf8')).toBe(readFileSync(at(place, path), 'utf8'));
    }
    expect(readlinkSync(join(other, 'to-link'))).toBe('x.sh');
    expect(lstatSync(join(other, 'x.sh')).mode & 0o111).toBe(0o111);
    expect(existsSync(join(other, 'gone'))).toBe(false);
  });
});
