import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { useWorkspace } from './workspace.ts';

const workspace = useWorkspace();
const numbers = Array.from({ length: 50 }, (_, number) => number);

describe('agents that write at the same time', () => {
  test('fifty edits of one file, under two names, are all in it', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a'), numbers.map((number) => `line ${number};\n`).join(''));
    symlinkSync('a', at('link'));
    const results = await Promise.all(
      numbers.map((number) =>
        call('edit_file', {
          path: number % 2 === 0 ? 'a' : 'link',
          old_string: `line ${number};`,
          new_string: `edited ${number}`,
        }),
      ),
    );
    expect(results.filter(({ isError }) => isError)).toEqual([]);
    expect(readFileSync(at('a'), 'utf8')).toBe(numbers.map((number) => `edited ${number}\n`).join(''));
  });

  test('a whole file that is written between two edits is what the second one finds', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a'), 'one\n');
    const results = await Promise.all([
      call('edit_file', { path: 'a', old_string: 'one', new_string: 'two' }),
      call('write_file', { path: 'a', content: 'three\n' }),
      call('edit_file', { path: 'a', old_string: 'three', new_string: 'four' }),
    ]);
    expect([results.map(({ isError }) => isError), readFileSync(at('a'), 'utf8')]).toEqual([[false, false, false], 'four\n']);
  });

  test('one that fails, and one that is cancelled while it waits, hold up nobody', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a'), 'one\n');
    const controller = new AbortController();
    const waiting = [
      call('edit_file', { path: 'missing', old_string: 'a', new_string: 'b' }),
      call('write_file', { path: '../outside', content: 'x' }),
      call('write_file', { path: 'a', content: 'cancelled' }, controller.signal),
      call('edit_file', { path: 'a', old_string: 'one', new_string: 'two' }),
    ];
    controller.abort();
    const results = await Promise.all(waiting);
    expect(results.map(({ isError }) => isError)).toEqual([true, true, true, false]);
    expect(results[2]?.text).toBe('write_file: cancelled before it began.');
    expect(readFileSync(at('a'), 'utf8')).toBe('two\n');
  });
});
