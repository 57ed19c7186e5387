import { appendFile, lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { guardFiles } from '../../src/sandbox/guard-files.ts';

describe('guarded files', () => {
  let dir: string;
  const at = (name: string) => path.join(dir, name);
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'harness9-guard-'));
    await mkdir(at('dist/post'), { recursive: true });
    await writeFile(at('dist/post/index.js'), 'post');
    await writeFile(at('state'), 'phase=accepted\n');
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  test('that nobody touched are left alone', async () => {
    const guarded = await guardFiles([at('dist'), at('state'), at('missing')]);
    expect(await guarded.restore()).toEqual([]);
  });

  test('that were changed, deleted or replaced by a link are named and put back (D1, D6)', async () => {
    await writeFile(at('dist/main.js'), 'main');
    await writeFile(at('elsewhere'), 'not ours');
    const guarded = await guardFiles([at('dist'), at('state')]);
    await appendFile(at('state'), 'phase=finished\n');
    await rm(at('dist/main.js'));
    await rm(at('dist/post/index.js'));
    await symlink(at('elsewhere'), at('dist/post/index.js'));

    expect([...(await guarded.restore())].sort()).toEqual([at('dist/main.js'), at('dist/post/index.js'), at('state')]);

    expect(await readFile(at('state'), 'utf8')).toBe('phase=accepted\n');
    expect(await readFile(at('dist/main.js'), 'utf8')).toBe('main');
    expect(await readFile(at('dist/post/index.js'), 'utf8')).toBe('post');
    expect((await lstat(at('dist/post/index.js'))).isFile()).toBe(true);
    expect(await readFile(at('elsewhere'), 'utf8')).toBe('not ours');
  });
});
