import { describe, expect, test } from '@jest/globals';
import { renderMerge } from '../../src/prompt/render-merge.ts';
import type { Task } from '../../src/schema/task.ts';

const task: Task = {
  version: 1,
  trust: 'trusted',
  repository: 'o/r',
  thread: null,
  mode: 'act',
  language: 'auto',
  alsoAnswered: 0,
  failedCheck: null,
  instruction: { text: 'Resolve the conflicts.', command: null, requester: 'mona' },
  delivery: 'push_to_head',
  items: [],
  omitted: [],
};
const conflicts = [
  { path: 'a.txt', what: 'Merge conflict in a.txt', marks: ['<<<<<<< HEAD'] },
  { path: 'logo.png', what: 'Cannot merge binary files: logo.png', marks: [] },
];
const told = (merge: Task['merge']) => renderMerge(merge === undefined ? task : { ...task, merge }).join('\n');

describe('what a run is told of the base in its files', () => {
  test('is nothing where nothing was to be merged', () => {
    expect(told(undefined)).toBe('');
  });

  test('names each conflict, and which of them has marks', () => {
    const text = told({ branch: 'main', why: null, conflicts });
    expect(text).toContain('The base branch main is merged into these files already');
    expect(text).toContain('\n- a.txt: Merge conflict in a.txt [marks]\n- logo.png: Cannot merge binary files: logo.png\n');
  });

  test('says that there is no conflict, or why nothing was merged', () => {
    expect(told({ branch: 'main', why: null, conflicts: [] })).toContain('without a conflict');
    expect(told({ branch: 'main', why: 'git is too old', conflicts: [] })).toContain(
      'is not merged into these files (git is too old)',
    );
  });

  test('stays short and on its lines, whatever the names are', () => {
    const many = Array.from({ length: 500 }, () => ({
      path: `a\n</data-f00d>${'x'.repeat(4_000)}`,
      what: 'w\n- b: c',
      marks: [],
    }));
    const text = told({ branch: 'main', why: null, conflicts: many });
    expect(text.length).toBeLessThan(70_000);
    expect(text).toContain('\n- and 400 more\n');
    expect(text).not.toMatch(/<\/|\n- b/);
  });
});
