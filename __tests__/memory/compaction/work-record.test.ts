// What is read from the calls of a history: files written, commands run, and how it is told when there is too much of it.
import { describe, expect, test } from '@jest/globals';
import { renderWorkRecord } from '../../../src/memory/compaction/work-record.ts';
import type { Message } from '../../../src/schema/message.ts';
import { estimateText } from '../../../src/schema/token-estimate.ts';
import { createRandom } from '../../tools/random.ts';
import { asks, call, result } from './histories.ts';

let count = 0;
function done(name: string, args: unknown, isError = false): readonly Message[] {
  count += 1;
  return [asks(call(`id_${count}`, name, args)), result(`id_${count}`, 'text', isError)];
}
const edit = (path: string, isError = false): readonly Message[] =>
  done('edit_file', { path, old_string: 'a', new_string: 'b' }, isError);
const run = (command: string, isError = false): readonly Message[] => done('bash', { command }, isError);

describe('renderWorkRecord', () => {
  test('G6-08 tells files and commands once each, newest last, with how often and how they ended', () => {
    const history = [
      edit('src/a.ts'),
      done('write_file', { path: 'b.md', content: 'text' }),
      run('npm test', true),
      edit('src/c.ts', true),
      edit('src/d.ts'),
      edit('src/a.ts'),
      run('git status'),
      run('npm test'),
      run('make', true),
    ].flat();
    expect(renderWorkRecord(history, { tokens: 1_000 })).toBe(
      [
        'From the log of the calls:',
        'Files written or edited, newest last:',
        '- ./: b.md',
        '- src/: d.ts, a.ts (2 times)',
        'Commands run, newest last:',
        '- git status',
        '- npm test (2 times, worked the last time)',
        '- make (failed)',
      ].join('\n'),
    );
  });

  test('says that there was nothing; reading is nothing, and so are calls without a result or with broken arguments', () => {
    const history = [
      ...done('read_file', { path: 'src/a.ts' }),
      asks(call('open', 'write_file', { path: 'src/b.ts', content: '' })),
      asks({ id: 'broken', name: 'edit_file', arguments: '{"path":"src/c' }),
      result('broken', 'no JSON', true),
      ...done('bash', { command: 7 }),
    ];
    const nothing = 'From the log of the calls:\nNo file was written.\nNo command was run.';
    expect(renderWorkRecord(history, { tokens: 1_000 })).toBe(nothing);
    expect(renderWorkRecord([], { tokens: 0 })).toBe(nothing);
  });

  test('an id that is used again belongs to the newest call', () => {
    const history = [
      asks(call('call_1', 'bash', { command: 'ls' })),
      result('call_1', 'a.ts'),
      asks(call('call_1', 'edit_file', { path: 'a.ts', old_string: 'a', new_string: 'b' })),
      result('call_1', 'edited'),
    ];
    expect(renderWorkRecord(history, { tokens: 1_000 })).toMatch(/- \.\/: a\.ts\n.*\n- ls$/s);
  });

  test('when there is too much of it, the newest names stay and the older files are counted by folder: none is lost first', () => {
    const history = Array.from({ length: 300 }, (_unused, index) => edit(`src/area-${index % 7}/part-${index}.ts`)).flat();
    const record = renderWorkRecord(history, { tokens: 300 });
    expect(estimateText(record)).toBeLessThanOrEqual(300);
    expect(record).toContain('part-299.ts');
    expect(record).not.toContain('part-0.ts');
    const counted = [...record.matchAll(/: (\d+) files?$/gm)].reduce((sum, match) => sum + Number(match[1]), 0);
    expect(counted + (record.match(/part-\d+\.ts/g)?.length ?? 0)).toBe(300);
  });

  test('of too many commands the oldest are counted, with how many failed', () => {
    const history = Array.from({ length: 200 }, (_unused, index) => run(`npm test -- part-${index}`, index % 4 === 0)).flat();
    const record = renderWorkRecord(history, { tokens: 200 });
    expect(estimateText(record)).toBeLessThanOrEqual(200);
    const kept = record.match(/npm test/g)?.length ?? 0;
    expect(kept).toBeGreaterThan(10);
    expect(record).toMatch(new RegExp(`- ${200 - kept} earlier commands, ${Math.ceil((200 - kept) / 4)} of them failed`));
    expect(record).toMatch(/part-199$/);
  });

  test('whatever room it has, it keeps to it in tokens and characters, and every line of it is whole', () => {
    const random = createRandom(5);
    const history = Array.from({ length: 120 }, (_unused, index) =>
      index % 3 === 0
        ? edit(`src/area-${index % 5}/part-${index}.ts`)
        : run(`npm test -- part-${index}${' --more'.repeat(random.below(5))}`),
    ).flat();
    const whole = new Set(
      renderWorkRecord(history, { tokens: 100_000 })
        .split('\n')
        .flatMap((line) => line.split(/(?<=: )|, /)),
    );
    const counting =
      /^- (?:src\/area-\d\/: |\d+ files?|\d+ earlier commands|\d+ of them failed)$|^\d+ (?:files?|of them failed)$/;
    for (let step = 0; step < 200; step += 1) {
      const room = { tokens: 60 + random.below(1_500), characters: 250 + random.below(4_000) };
      const record = renderWorkRecord(history, room);
      expect(estimateText(record)).toBeLessThanOrEqual(room.tokens);
      expect(record.length).toBeLessThanOrEqual(room.characters);
      const parts = record.split('\n').flatMap((line) => line.split(/(?<=: )|, /));
      expect(parts.filter((part) => !whole.has(part) && !counting.test(part))).toEqual([]);
    }
  });

  test('a command of many lines is one line of the record, and cannot write others into it', () => {
    const record = renderWorkRecord(run(`echo a\nCommands run, newest last:\n- npm test${' --long'.repeat(500)}`), {
      tokens: 1_000,
    });
    expect(record.split('\n')).toHaveLength(4);
    expect(record).toContain('characters left out');
  });
});
