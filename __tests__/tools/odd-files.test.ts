// Modes, links, kinds and names of files that are unusual.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { toldByPath } from '../../src/tools/path-error.ts';
import { modeOf, useWorkspace } from './workspace.ts';

const workspace = useWorkspace();

describe('modes', () => {
  test('G4-18 stay on edit and overwrite: executable, private, read-only, setuid, sticky', async () => {
    const { at, call } = workspace();
    for (const wanted of [0o755, 0o600, 0o444, 0o400, 0o664, 0o4755, 0o2755, 0o1644, 0o777]) {
      const name = `f${wanted}`;
      writeFileSync(at(name), 'old');
      chmodSync(at(name), wanted);
      expect((await call('edit_file', { path: name, old_string: 'old', new_string: 'new' })).isError).toBe(false);
      expect([modeOf(at(name)), readFileSync(at(name), 'utf8')]).toEqual([wanted, 'new']);
      await call('write_file', { path: name, content: 'newer' });
      expect([modeOf(at(name)), readFileSync(at(name), 'utf8')]).toEqual([wanted, 'newer']);
    }
  });

  test('a new file and new directories have what the umask leaves', async () => {
    const { at, call } = workspace();
    await call('write_file', { path: 'a/b/c', content: 'x' });
    const umask = process.umask();
    expect([modeOf(at('a/b/c')), modeOf(at('a/b'))]).toEqual([0o666 & ~umask, 0o777 & ~umask]);
  });
});

describe('links', () => {
  test('G4-19 links to links and to missing files are written through, inside the workspace', async () => {
    const { at, call } = workspace();
    mkdirSync(at('deep/er'), { recursive: true });
    symlinkSync('two', at('one'));
    symlinkSync('deep/er/three', at('two'));
    symlinkSync('../../new/place/file', at('deep/er/three'));
    expect((await call('write_file', { path: 'one', content: 'x\n' })).text).toBe('Created new/place/file: 2 bytes, 1 line.');
    await call('edit_file', { path: 'two', old_string: 'x', new_string: 'y' });
    expect([readFileSync(at('new/place/file'), 'utf8'), readlinkSync(at('one')), readlinkSync(at('deep/er/three'))]).toEqual([
      'y\n',
      'two',
      '../../new/place/file',
    ]);
  });

  test('G4-16 dangling links and chains of links out of the workspace lead nowhere', async () => {
    const { at, outside, call } = workspace();
    symlinkSync(`${outside}/new`, at('dangling'));
    symlinkSync('dangling', at('chain'));
    symlinkSync(outside, at('dir'));
    writeFileSync(`${outside}/x`, 'x');
    for (const path of ['dangling', 'chain', 'dir/new', 'dir/new/deeper', 'dir/x', 'chain/x']) {
      const answers = await Promise.all([
        call('read_file', { path }),
        call('write_file', { path, content: 'y' }),
        call('edit_file', { path, old_string: 'x', new_string: 'y' }),
      ]);
      expect([path, answers.map(({ isError }) => isError)]).toEqual([path, [true, true, true]]);
    }
    expect([readdirSync(outside), readFileSync(`${outside}/x`, 'utf8')]).toEqual([['x'], 'x']);
  });

  test('F2 other hard links keep what they had, and that is told', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a'), 'one\n');
    linkSync(at('a'), at('b'));
    expect((await call('edit_file', { path: 'a', old_string: 'one', new_string: 'two' })).text).toContain(
      'Its other hard links keep the old content.',
    );
    linkSync(at('b'), at('c'));
    expect((await call('write_file', { path: 'c', content: 'three\n' })).text).toBe(
      'Overwrote c: 6 bytes, 1 line. Its other hard links keep the old content.',
    );
    expect(['a', 'b', 'c'].map((name) => readFileSync(at(name), 'utf8'))).toEqual(['two\n', 'one\n', 'three\n']);
    expect((await call('write_file', { path: 'c', content: 'four\n' })).text).toBe('Overwrote c: 5 bytes, 1 line.');
  });
});

describe('what is no file', () => {
  test('is not written, and said to be what it is', async () => {
    const { at, call } = workspace();
    mkdirSync(at('dir'));
    execFileSync('mkfifo', [at('fifo')]);
    writeFileSync(at('file'), 'x');
    const write = async (path: string) => (await call('write_file', { path, content: 'y' })).text;
    expect([await write('dir'), await write('fifo'), await write('file/x'), await write('dir/'), await write('new/.')]).toEqual([
      'write_file: "dir" is a directory, not a regular file',
      'write_file: "fifo" is a FIFO, not a regular file',
      'write_file: "file/x" goes through a file as if it were a directory',
      'write_file: "dir/" names a directory. Give the path of a file.',
      'write_file: "new/." names a directory. Give the path of a file.',
    ]);
    expect((await call('edit_file', { path: 'dir', old_string: 'a', new_string: 'b' })).text).toBe(
      'edit_file: "dir" is a directory, not a regular file',
    );
    expect([lstatSync(at('fifo')).isFIFO(), existsSync(at('new'))]).toEqual([true, false]);
  });
});

describe('what the file system refuses', () => {
  test.each([
    ['EACCES', '"a/b": permission denied (EACCES)'],
    ['ENOSPC', '"a/b": no space is left on the disk (ENOSPC)'],
    ['EROFS', '"a/b": the file system is read-only (EROFS)'],
  ])('is told by the path that was given: %s', async (code, message) => {
    const cause = Object.assign(new Error(`${code}: x, open '/proc/self/fd/7/b'`), { code });
    const refused = toldByPath('a/b', () => Promise.reject(cause));
    await expect(refused).rejects.toMatchObject({ name: 'PathError', code: 'PATH_REFUSED', message, cause });
  });

  test('other errors stay what they are', async () => {
    const fault = new TypeError('a fault of ours');
    await expect(toldByPath('a', () => Promise.reject(fault))).rejects.toBe(fault);
    expect(await toldByPath('a', async () => 7)).toBe(7);
  });

  test('no answer names a path of ours', async () => {
    const { at, call } = workspace();
    mkdirSync(at('closed'), { mode: 0 });
    writeFileSync(at('secret'), 'x', { mode: 0 });
    for (const path of ['closed/new', 'secret']) {
      const answers = await Promise.all([
        call('read_file', { path }),
        call('write_file', { path, content: 'x' }),
        call('edit_file', { path, old_string: 'x', new_string: 'y' }),
      ]);
      for (const { text } of answers) expect(text).not.toMatch(/\/proc|\.tmp|harness9/);
    }
    // Or nobody but root could take it away.
    chmodSync(at('closed'), 0o755);
  });
});

describe('names', () => {
  test.each([
    ' leading',
    'trailing ',
    'a%20b',
    '-rf',
    '--help',
    '*',
    'a\\b',
    '$HOME',
    '~x',
    'new\nline',
    '"quoted"',
    'é.txt'.normalize('NFD'),
    'é.txt'.normalize('NFC'),
    '🌍',
    '...',
    '.gitignore',
    'x'.repeat(255),
  ])('G4-28 %j is exactly the name that is written, edited and read', async (name) => {
    const { at, dir, call } = workspace();
    expect((await call('write_file', { path: name, content: 'one\n' })).isError).toBe(false);
    expect(readdirSync(dir)).toEqual([name]);
    expect((await call('edit_file', { path: name, old_string: 'one', new_string: 'two' })).isError).toBe(false);
    expect([(await call('read_file', { path: name })).text, readFileSync(at(name), 'utf8')]).toEqual([
      '1\ttwo\n[1 line]',
      'two\n',
    ]);
  });

  test('G4-28 the two forms of one name are two files, and one that is missing is told by the other', async () => {
    const { at, call } = workspace();
    writeFileSync(at('é.txt'.normalize('NFD')), 'x\n');
    expect((await call('edit_file', { path: 'é.txt'.normalize('NFC'), old_string: 'x', new_string: 'y' })).text).toContain(
      JSON.stringify('é.txt'.normalize('NFD')),
    );
    await call('write_file', { path: 'é.txt'.normalize('NFC'), content: 'y\n' });
    expect(readFileSync(at('é.txt'.normalize('NFD')), 'utf8')).toBe('x\n');
  });

  test('a name that cannot be seen is listed as it can be given, and one that is not UTF-8 is not proposed', async () => {
    const { at, call } = workspace();
    const turned = 'a\u202eb\u{e0001}\n.txt';
    writeFileSync(at(turned), 'x\n');
    writeFileSync(Buffer.concat([Buffer.from(at('caf')), Buffer.from([0xe9])]), 'x\n');
    const shown = '"a\\u202eb\\udb40\\udc01\\n.txt"';
    expect((await call('read_file', { path: '.' })).text.split('\n').slice(1)).toEqual([
      shown,
      'caf\uFFFD (the name is not UTF-8, no tool can take it)',
    ]);
    expect((await call('glob', { pattern: '*' })).text).toBe(`${shown}\n[1 file; 1 left out whose names are not UTF-8]`);
    expect((await call('read_file', `{"path":${shown}}`)).text).toBe('1\tx\n[1 line]');
    expect((await call('read_file', { path: 'caf\uFFFD' })).text).not.toContain('Near names');
  });

  test('long names are listed as far as a page goes, and read on or told where', async () => {
    const { at, call } = workspace();
    mkdirSync(at('d'));
    const names = Array.from({ length: 190 }, (_, number) => `${1000 + number}${'x'.repeat(251)}`);
    for (const name of names) writeFileSync(at(`d/${name}`), '');
    const listed: string[] = [];
    for (let offset: number | undefined = 1; offset !== undefined; ) {
      const { text } = await call('read_file', { path: 'd', offset });
      expect(Buffer.byteLength(text)).toBeLessThan(17_000);
      listed.push(...text.split('\n').filter((line) => names.includes(line)));
      const next = /read on with offset=(\d+)/.exec(text)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(listed).toEqual(names);
    const found = (await call('glob', { pattern: '*' })).text.split('\n');
    expect(found.at(-1)).toMatch(new RegExp(`^\\[the first ${found.length - 1} of 190 files`));
  });

  test('half a character is no name', async () => {
    const { dir, call } = workspace();
    expect((await call('write_file', '{"path":"a\\ud800","content":"x"}')).text).toBe(
      'write_file: the path holds half a character',
    );
    expect(readdirSync(dir)).toEqual([]);
  });

  test('a file that is missing is told where its name is, in other directories too, and never outside', async () => {
    const { at, outside, call } = workspace();
    for (const folder of ['src/tools', 'node_modules/x', '.git']) mkdirSync(at(folder), { recursive: true });
    for (const file of ['src/tools/Deep.ts', 'node_modules/x/deep.ts', '.git/deep.ts']) writeFileSync(at(file), '');
    writeFileSync(`${outside}/deep.ts`, '');
    symlinkSync(outside, at('out'));
    expect([
      (await call('read_file', { path: 'deep.ts' })).text,
      (await call('read_file', { path: 'lib/deep.ts' })).text,
      (await call('read_file', { path: 'nowhere.ts' })).text,
      (await call('read_file', { path: at('deep.ts') })).text,
    ]).toEqual([
      'There is no "deep.ts". Of that name there is: "src/tools/Deep.ts".',
      'There is no "lib/deep.ts": the directory "lib" does not exist. Of that name there is: "src/tools/Deep.ts".',
      'There is no "nowhere.ts" in the workspace.',
      `There is no "${at('deep.ts')}". Of that name there is: "${at('src/tools/Deep.ts')}".`,
    ]);
  });
});
