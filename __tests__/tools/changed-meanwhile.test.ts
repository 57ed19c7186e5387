// Files that somebody else changes: between two calls, and in the middle of one.
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { createEditFileTool } from '../../src/tools/edit-file/edit-file.ts';
import { createSeenFiles } from '../../src/tools/seen-files.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { createWriteFileTool } from '../../src/tools/write-file.ts';
import { useWorkspace } from './workspace.ts';

const workspace = useWorkspace();
const staleWords = 'was changed by something else since you last read or wrote it';

describe('a file that changed since it was read', () => {
  test('is edited, and the change is told', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a'), 'one\ntwo\n');
    await call('read_file', { path: 'a' });
    writeFileSync(at('a'), 'one\ntwo\nthree\n');
    const edit = (from: string, to: string) => call('edit_file', { path: 'a', old_string: from, new_string: to });
    expect((await edit('one', '1')).text).toBe(
      `Edited a in 1 place. The file ${staleWords}. The lines are now:\n1\t1\n2\ttwo\n3\tthree`,
    );
    expect((await edit('two', '2')).text).not.toContain(staleWords);
  });

  test('an edit that finds nothing there says to read it again', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a'), 'one\n');
    await call('read_file', { path: 'a' });
    writeFileSync(at('a'), 'completely different\n');
    const { text, isError } = await call('edit_file', { path: 'a', old_string: 'one', new_string: 'two' });
    expect([isError, text.endsWith(` The file ${staleWords}. Read it again.`)]).toEqual([true, true]);
  });

  test('is not overwritten unseen: refused once, until it was read, or asked for again', async () => {
    const { at, call } = workspace();
    const write = (content: string) => call('write_file', { path: 'a', content });
    const change = () => writeFileSync(at('a'), 'somebody else\n');
    await write('mine\n');
    change();
    expect(await write('mine again\n')).toEqual({
      text: `"a" ${staleWords}. Nothing was written. Read it again and keep that change; the same call again overwrites it.`,
      isError: true,
    });
    expect(readFileSync(at('a'), 'utf8')).toBe('somebody else\n');
    expect((await write('mine again\n')).text).toMatch(/^Overwrote a/);
    change();
    await call('read_file', { path: 'a', limit: 1 });
    expect((await write('mine again\n')).isError).toBe(false);
    change();
    await call('bash', { command: 'cat a' });
    expect((await write('mine once more\n')).isError).toBe(true);
  });

  test('our own edits and writes are no change, nor are a touch, the same content again, another name, and a file never read', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a'), 'one\n');
    symlinkSync('a', at('link'));
    await call('read_file', { path: 'link' });
    await call('edit_file', { path: 'a', old_string: 'one', new_string: 'two' });
    utimesSync(at('a'), 1, 1);
    expect((await call('write_file', { path: 'link', content: 'three\n' })).isError).toBe(false);
    writeFileSync(at('b'), 'three\n');
    renameSync(at('b'), at('a'));
    expect((await call('write_file', { path: 'a', content: 'four\n' })).isError).toBe(false);
    writeFileSync(at('c'), 'never read\n');
    expect((await call('write_file', { path: 'c', content: 'x\n' })).text).toMatch(/^Overwrote c/);
    rmSync(at('c'));
    expect((await call('write_file', { path: 'c', content: 'x\n' })).text).toMatch(/^Created c/);
  });

  test('two sets of tools do not share what they have seen', async () => {
    const { dir, at, call } = workspace();
    writeFileSync(at('a'), 'one\n');
    await call('read_file', { path: 'a' });
    writeFileSync(at('a'), 'two\n');
    const options = { workDir: dir, redactionMark: '***', randomHex: () => 'x', seen: createSeenFiles() };
    const context = { signal: new AbortController().signal };
    expect(await createWriteFileTool(options).execute({ path: 'a', content: 'b' }, context)).toMatchObject({ isError: false });
    expect((await call('write_file', { path: 'a', content: 'c' })).isError).toBe(true);
  });
});

describe('a file that changes while it is written', () => {
  const makers: readonly (readonly [string, typeof createWriteFileTool, object])[] = [
    ['write_file', createWriteFileTool, { path: 'd/a', content: 'mine\n' }],
    ['edit_file', createEditFileTool, { path: 'd/a', old_string: 'one', new_string: 'two' }],
  ];
  const changes: readonly (readonly [string, (at: (name: string) => string) => void])[] = [
    ['other content', (at) => writeFileSync(at('d/a'), 'not mine\n')],
    ['other content of the same length', (at) => writeFileSync(at('d/a'), 'One\n')],
    [
      'another file in its place',
      (at) => {
        writeFileSync(at('other'), 'other\n');
        renameSync(at('other'), at('d/a'));
      },
    ],
    ['gone', (at) => unlinkSync(at('d/a'))],
    [
      'a link in its place',
      (at) => {
        unlinkSync(at('d/a'));
        symlinkSync('../../outside/secret', at('d/a'));
      },
    ],
  ];
  const cases = makers.flatMap(([name, create, args]) =>
    changes.map(([what, change]) => [name, what, { create, args, change }] as const),
  );

  test.each(cases)('%s: %s: nothing is lost, and it is told', async (_name, _what, { create, args, change }) => {
    const { dir, at, outside } = workspace();
    mkdirSync(at('d'));
    writeFileSync(at('d/a'), 'one\n');
    writeFileSync(`${outside}/secret`, 's\n');
    // Asked for the name of the new file: after the old one was read, before anything is written.
    const randomHex = () => {
      change(at);
      return 'x';
    };
    const tool: Tool = create({ workDir: dir, redactionMark: '***', randomHex, seen: createSeenFiles() });
    const context = { signal: new AbortController().signal };
    await expect(tool.execute(args, context)).rejects.toMatchObject({ name: 'PathError' });
    const left = readdirSync(at('d')).map((name) => readFileSync(at(`d/${name}`), 'utf8'));
    expect(left.some((content) => ['mine\n', 'two\n'].includes(content))).toBe(false);
    expect(readFileSync(`${outside}/secret`, 'utf8')).toBe('s\n');
    expect(readdirSync(at('d')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('a file that appears where none was is not overwritten', async () => {
    const { dir, at } = workspace();
    const randomHex = () => {
      writeFileSync(at('new'), 'not mine\n');
      return 'x';
    };
    const tool = createWriteFileTool({ workDir: dir, redactionMark: '***', randomHex, seen: createSeenFiles() });
    await expect(
      tool.execute({ path: 'new', content: 'mine\n' }, { signal: new AbortController().signal }),
    ).rejects.toMatchObject({
      code: 'PATH_CHANGED',
      message: '"new" was changed by something else at the same moment; nothing was written',
    });
    expect(readFileSync(at('new'), 'utf8')).toBe('not mine\n');
  });
});
