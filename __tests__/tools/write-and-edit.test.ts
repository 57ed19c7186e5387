import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { modeOf, useWorkspace } from './workspace.ts';

const workspace = useWorkspace();

describe('write_file', () => {
  test('[spec 003 write_file] creates with parents, overwrites, and says which', async () => {
    const { at, dir, call } = workspace();
    expect((await call('write_file', { path: 'a/b/c.txt', content: 'x\ny' })).text).toBe('Created a/b/c.txt: 3 bytes, 2 lines.');
    expect((await call('write_file', { path: `${dir}/a/b/c.txt`, content: 'z\n' })).text).toBe(
      'Overwrote a/b/c.txt: 2 bytes, 1 line.',
    );
    expect([readFileSync(at('a/b/c.txt'), 'utf8'), readdirSync(at('a/b'))]).toEqual(['z\n', ['c.txt']]);
  });

  test('G4-07 an existing byte order mark stays', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a'), '\uFEFFold');
    await call('write_file', { path: 'a', content: 'new' });
    expect(readFileSync(at('a'), 'utf8')).toBe('\uFEFFnew');
  });

  test('[spec 003 safePath] G4-16 C11 F5 nothing is written outside, through links, or into .git', async () => {
    const { at, outside, dir, call } = workspace();
    writeFileSync(path.join(outside, 'secret.txt'), 's');
    symlinkSync('../outside', at('link'));
    mkdirSync(at('.git/hooks'), { recursive: true });
    for (const target of [
      'link/secret.txt',
      'link/new.txt',
      '../x',
      '/etc/harness9-test',
      '.git/hooks/pre-commit',
      '.GIT/config',
      '.',
      dir,
    ]) {
      expect([target, (await call('write_file', { path: target, content: 'x' })).isError]).toEqual([target, true]);
    }
    expect([readFileSync(path.join(outside, 'secret.txt'), 'utf8'), readdirSync(outside), readdirSync(at('.git/hooks'))]).toEqual(
      ['s', ['secret.txt'], []],
    );
  });

  test('F2 a hard link keeps its other name as it was', async () => {
    const { at, outside, call } = workspace();
    writeFileSync(path.join(outside, 'other'), 'other');
    linkSync(path.join(outside, 'other'), at('name'));
    await call('write_file', { path: 'name', content: 'mine' });
    expect([readFileSync(path.join(outside, 'other'), 'utf8'), readFileSync(at('name'), 'utf8')]).toEqual(['other', 'mine']);
  });

  test('F1 a directory that is swapped for a link all the time never leads a write outside', async () => {
    const { at, dir, outside, call } = workspace();
    mkdirSync(at('d'));
    symlinkSync(outside, at('evil'));
    const swapper = execFile('python3', [
      '-c',
      'import os,sys\nos.chdir(sys.argv[1])\nwhile True:\n  os.rename("d","x"); os.rename("evil","d"); os.rename("d","evil"); os.rename("x","d")',
      dir,
    ]);
    let written = 0;
    for (let round = 0; round < 300; round += 1) {
      if (!(await call('write_file', { path: 'd/file', content: `${round}` })).isError) written += 1;
    }
    swapper.kill('SIGKILL');
    expect(readdirSync(outside)).toEqual([]);
    expect(written).toBeGreaterThan(0);
  });

  test('the redaction mark does not overwrite what it stands for, but may stand in a new file', async () => {
    const { at, call } = workspace();
    writeFileSync(at('.env'), 'KEY=value\nA=1\n');
    expect((await call('write_file', { path: '.env', content: 'KEY=***\nA=2\n' })).isError).toBe(true);
    expect(readFileSync(at('.env'), 'utf8')).toBe('KEY=value\nA=1\n');
    expect((await call('write_file', { path: 'new.md', content: '***\n' })).isError).toBe(false);
  });
});

describe('edit_file', () => {
  test('[spec 003 edit_file] changes the file and shows the lines as they are now', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a.js'), 'one\ntwo\nthree\nfour\nfive\nsix\n');
    expect(await call('edit_file', { path: 'a.js', old_string: 'three\nfour', new_string: '3\n3.5\nfour' })).toEqual({
      text: 'Edited a.js in 1 place. The lines are now:\n1\tone\n2\ttwo\n3\t3\n4\t3.5\n5\tfour\n6\tfive',
      isError: false,
    });
    expect(readFileSync(at('a.js'), 'utf8')).toBe('one\ntwo\n3\n3.5\nfour\nfive\nsix\n');
  });

  test('G4-12 replace_all says how many places it changed', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a'), 'foo\nfoo\nfoo\n');
    expect((await call('edit_file', { path: 'a', old_string: 'foo', new_string: 'bar' })).text).toContain(
      '3 times (lines 1, 2, 3)',
    );
    expect((await call('edit_file', { path: 'a', old_string: 'foo', new_string: 'bar', replace_all: true })).text).toMatch(
      /^Edited a in 3 places\./,
    );
    expect(readFileSync(at('a'), 'utf8')).toBe('bar\nbar\nbar\n');
  });

  test('G4-07 a byte order mark stays the first three bytes', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a.cs'), '\uFEFFusing A;\nclass B {}\n');
    await call('edit_file', { path: 'a.cs', old_string: 'using A;', new_string: 'using C;' });
    expect(readFileSync(at('a.cs'), 'utf8')).toBe('\uFEFFusing C;\nclass B {}\n');
  });

  test('G4-18 the mode of a file stays, read-only ones included', async () => {
    const { at, call } = workspace();
    for (const wanted of [0o755, 0o600, 0o444, 0o664]) {
      writeFileSync(at(`f${wanted}`), 'old');
      chmodSync(at(`f${wanted}`), wanted);
      expect((await call('edit_file', { path: `f${wanted}`, old_string: 'old', new_string: 'new' })).isError).toBe(false);
      expect([modeOf(at(`f${wanted}`)), readFileSync(at(`f${wanted}`), 'utf8')]).toEqual([wanted, 'new']);
    }
  });

  test('G4-19 an edit through a link changes its target and leaves the link', async () => {
    const { at, call } = workspace();
    writeFileSync(at('AGENTS.md'), 'old\n');
    symlinkSync('AGENTS.md', at('CLAUDE.md'));
    await call('edit_file', { path: 'CLAUDE.md', old_string: 'old', new_string: 'new' });
    await call('write_file', { path: 'CLAUDE.md', content: `${readFileSync(at('AGENTS.md'), 'utf8')}more\n` });
    expect([
      lstatSync(at('CLAUDE.md')).isSymbolicLink(),
      readlinkSync(at('CLAUDE.md')),
      readFileSync(at('AGENTS.md'), 'utf8'),
    ]).toEqual([true, 'AGENTS.md', 'new\nmore\n']);
  });

  test('a refused edit says so and leaves the bytes and the time of the file alone', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a'), 'x\n');
    const before = statSync(at('a'));
    const { text, isError } = await call('edit_file', { path: 'a', old_string: 'nope', new_string: 'y' });
    expect([isError, text.startsWith('a is unchanged: ')]).toEqual([true, true]);
    expect([statSync(at('a')).ino, statSync(at('a')).mtimeMs]).toEqual([before.ino, before.mtimeMs]);
  });

  test('missing, binary, huge and odd files are refused in words', async () => {
    const { at, call } = workspace();
    writeFileSync(at('foo.ts'), '');
    writeFileSync(at('bin'), Buffer.from([0, 1, 2]));
    execFileSync('truncate', ['-s', '3G', at('huge')]);
    execFileSync('mkfifo', [at('fifo')]);
    const edit = async (file: string) => (await call('edit_file', { path: file, old_string: 'a', new_string: 'b' })).text;
    expect([await edit('Foo.ts'), await edit('bin'), await edit('huge'), await edit('fifo')]).toEqual([
      'There is no "Foo.ts". Near names: "foo.ts". Use write_file to make a new file.',
      '"bin" is binary data; edit_file changes text only.',
      'edit_file: the file has 3221225472 bytes, over the 10485760 that this tool takes. Use bash.',
      'edit_file: "fifo" is a FIFO, not a regular file',
    ]);
  });

  test('a new text with the redaction mark is refused, one that the file has too is not', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a.md'), 'KEY=secret\n***\n');
    expect((await call('edit_file', { path: 'a.md', old_string: 'KEY=secret', new_string: 'KEY=***' })).isError).toBe(true);
    expect((await call('edit_file', { path: 'a.md', old_string: '***\n', new_string: '***\nmore\n' })).isError).toBe(false);
    expect(readFileSync(at('a.md'), 'utf8')).toBe('KEY=secret\n***\nmore\n');
  });
});
