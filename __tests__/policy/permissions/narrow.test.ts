import { describe, expect, test } from '@jest/globals';
import { createPermissionChecker, narrow } from '../../../src/policy/permissions/checker.ts';
import { parseToolLists } from '../../../src/policy/permissions/rules.ts';
import { createRandom, type Random } from '../../tools/random.ts';
import { askOf, checkerOf, parts } from './scene.ts';

const strictness = ['deny', 'ask', 'none', 'allow'];

const patterns = [
  'bash',
  'bash(git:*)',
  'bash(git push:*)',
  'bash(npm test)',
  'read_file',
  'read_file(src/**)',
  'write_file(src/**)',
  'mcp__*',
  'task',
  'use_skill(a)',
];
const calls: readonly (readonly [string, Record<string, string>])[] = [
  ['bash', { command: 'git status' }],
  ['bash', { command: 'git push' }],
  ['bash', { command: 'npm test && git status' }],
  ['bash', { command: 'npm test > src/log' }],
  ['bash', { command: 'echo "' }],
  ['bash', { command: '$x' }],
  ['read_file', { path: 'src/a' }],
  ['read_file', { path: 'a' }],
  ['write_file', { path: 'src/a' }],
  ['mcp__a__b', {}],
  ['task', { agent: 'a' }],
  ['use_skill', { skill_name: 'b' }],
  ['todo_write', {}],
];

function randomRules(random: Random) {
  const some = (count: number) => Array.from({ length: random.below(count) }, () => random.pick(patterns));
  const rules = Array.from(
    { length: random.below(4) },
    () => `${random.pick(['allow', 'ask', 'deny'])} ${random.pick(patterns)}`,
  );
  return {
    allowedTools: random.below(2) === 0 ? null : some(4).join(',') || null,
    disallowedTools: some(2).join(',') || null,
    permissionRules: rules.join('\n'),
  };
}

describe('narrowed permissions', () => {
  test('both together are exactly as strict as the stricter one, whatever the rules and the call', async () => {
    const random = createRandom(20);
    let strict = 0;
    for (let round = 0; round < 150; round += 1) {
      const [one, other] = [checkerOf(randomRules(random)), checkerOf(randomRules(random))];
      const both = askOf(narrow(one.checker, other.checker));
      for (const [name, args] of calls) {
        const kinds = await Promise.all(
          [one, other, both].map(async ({ call }) => strictness.indexOf((await call(name, args)).kind)),
        );
        const [first = 0, second = 0, together] = kinds;
        expect(together).toBe(Math.min(first, second));
        if (first !== second) strict += 1;
      }
    }
    expect(strict).toBeGreaterThan(300);
  });

  test('a sub-agent has of what its definition lists only what its parent has, and is told whose rule it is', async () => {
    const parent = checkerOf({ disallowedTools: 'bash(git push:*)' }).checker;
    const definition = parseToolLists(
      { tools: ['bash(git:*)', 'read_file'], disallowedTools: ['bash(git log:*)'] },
      'the agent "historian"',
    );
    const { bash, call } = askOf(narrow(parent, createPermissionChecker(definition, parts)));
    expect((await bash('git push')).kind).toBe('deny');
    expect((await bash('git status')).kind).toBe('none');
    expect((await call('read_file', { path: 'a' })).kind).toBe('none');
    expect(await bash('git log')).toMatchObject({ text: expect.stringContaining('bash(git log:*) (the agent "historian")') });
    expect(await call('write_file', { path: 'a' })).toMatchObject({
      text: expect.stringContaining('a list of all that may run (the agent "historian")'),
    });
  });
});
