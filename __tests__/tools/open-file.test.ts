import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { holdDirectory, openRegularFile } from '../../src/tools/open-file.ts';
import { useWorkspace } from './workspace.ts';

const workspace = useWorkspace();

describe('opening what was checked', () => {
  test('F1 a held directory stays the same one when its path leads elsewhere by now', async () => {
    const { at, outside } = workspace();
    mkdirSync(at('d'));
    const held = await holdDirectory(at('d'));
    renameSync(at('d'), at('moved'));
    symlinkSync(outside, at('d'));
    await writeFile(held.at('file'), 'x');
    await held[Symbol.asyncDispose]();
    expect([readdirSync(at('moved')), readdirSync(outside)]).toEqual([['file'], []]);
  });

  test('F1 a path that goes through a link since it was checked is refused, the last part and the ones before', async () => {
    const { at, outside } = workspace();
    writeFileSync(`${outside}/secret`, 's');
    mkdirSync(`${outside}/folder`);
    symlinkSync(outside, at('d'));
    symlinkSync(`${outside}/secret`, at('file'));
    for (const file of ['d/secret', 'file']) {
      await expect(openRegularFile(at(file))).rejects.toMatchObject({ code: 'PATH_OUTSIDE' });
    }
    for (const directory of ['d/folder', 'd']) {
      await expect(holdDirectory(at(directory))).rejects.toMatchObject({ name: expect.stringMatching(/Error/) });
    }
  });
});
