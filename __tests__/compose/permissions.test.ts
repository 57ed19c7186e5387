import { describe, expect, test } from '@jest/globals';
import { composePermissions } from '../../src/compose/permissions.ts';
import { baseSource, type ConfigSource, flagSource } from '../../src/compose/trusted-config.ts';
import type { EdgeSettings } from '../../src/schema/settings.ts';
import { noSettings } from './agent-scene.ts';

const workDir = '/work/repository';
const action = baseSource({ read: async (file) => (file === 'rules.txt' ? '# ours\ndeny Bash(git push:*)\n' : null) });
const terminal = flagSource(workDir);

const compose = (settings: Partial<EdgeSettings>, source: ConfigSource = action) =>
  composePermissions({ settings: { ...noSettings, ...settings }, source, workDir, named: { task: ['explorer'] } });

async function denialOf(settings: Partial<EdgeSettings>, source: ConfigSource): Promise<unknown> {
  const { checker } = await compose(settings, source);
  const call = { id: '1', name: 'bash', arguments: '{"command":"git push"}' };
  return await checker?.check(call, undefined, { signal: AbortSignal.abort(), run: {} });
}

describe('the rules of a run', () => {
  test.each([
    ['an input', { permissionRules: 'deny bash(git push:*)' }, action, 'bash(git push:*) (input `permission_rules`, line 1)'],
    ['a file', { permissionRules: './rules.txt' }, action, 'Bash(git push:*) (./rules.txt, line 2)'],
    ['a list', { disallowedTools: 'Bash' }, action, 'Bash (input `disallowed_tools`, line 1)'],
    ['a flag', { permissionRules: 'deny bash(git push:*)' }, terminal, 'bash(git push:*) (--permission-rules, line 1)'],
    ['a list of all', { allowedTools: 'Read' }, terminal, 'all that may run (--allowed-tools)'],
  ])('a denial names where the rule stands: %s', async (_case, settings, source, place) => {
    expect(await denialOf(settings, source)).toMatchObject({ kind: 'deny', text: expect.stringContaining(place) });
  });

  test('errors name it as well', async () => {
    await expect(compose({ allowedTools: 'bahs' }, terminal)).rejects.toThrow(/^--allowed-tools, line 1: "bahs" is no rule/);
    await expect(compose({ permissionRules: 'rules.txt' })).rejects.toThrow('looks like the path of a file');
  });

  test('rules and matchers that are about no call of the run are told, whoever may call our tools', async () => {
    const permissions = await compose({ disallowedTools: 'mcp__githup__*, todo_write, Task(nobody), use_skill(any)' });
    permissions.matcherOf('mcp__shop__sell', 'input `hooks`: guard');
    permissions.matcherOf('Edit', 'input `hooks`: format');
    const warnings = permissions.warnings({ names: ['mcp__github__get'], prefixes: [] });
    expect(warnings).toEqual([
      expect.stringMatching(/^The rule `mcp__githup__\*` \(input `disallowed_tools`, line 1\) is about no call: no MCP server/),
      expect.stringMatching(/^The rule `Task\(nobody\)` .* is about no call: there is only explorer\.$/),
      expect.stringMatching(/^The rule `mcp__shop__sell` \(input `hooks`: guard\) is about no call: no MCP server/),
    ]);
  });

  test('a matcher that can be about no tool is refused, and one in the words of others is about ours', async () => {
    const permissions = await compose({});
    expect(() => permissions.matcherOf('bahs', 'input `hooks`: a')).toThrow(
      /^input `hooks`: a: "bahs" is no rule: expected a tool .*; the nearest is bash$/,
    );
    const isAbout = permissions.matcherOf('Bash(git push:*)', 'input `hooks`: a');
    expect(await isAbout({ id: '1', name: 'bash', arguments: '{"command":"git push"}' })).toBe(true);
  });
});
