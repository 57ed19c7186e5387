import { describe, expect, test } from '@jest/globals';
import {
  findUnknownTools,
  isEmpty,
  mayEver,
  parsePermissionRules,
  parseToolLists,
} from '../../../src/policy/permissions/rules.ts';
import { Harness9Error } from '../../../src/schema/error.ts';
import type { ToolDefinition } from '../../../src/schema/message.ts';

const nothing = { allowedTools: null, disallowedTools: null, permissionRules: null };

function tool(name: string): ToolDefinition {
  return { name, description: '', inputSchema: {}, place: 'host', effect: 'read' };
}

/** What is read of the rules: effect, text and line. */
function read(given: Partial<typeof nothing> | Record<string, string>): unknown {
  const { rules } = parsePermissionRules({ ...nothing, ...given });
  return rules.map(({ effect, text, line }) => [effect, text, line]);
}

function problemsOf(given: Record<string, string>): readonly string[] {
  try {
    parsePermissionRules({ ...nothing, ...given });
  } catch (error) {
    if (!(error instanceof Harness9Error)) throw error;
    expect(error.code).toBe('PERMISSION_RULES');
    return error.message.split('\n');
  }
  return [];
}

describe('reading of rules', () => {
  test('lists of tools are split at commas and lines, not within parentheses and quotes', () => {
    expect(
      read({
        allowedTools: 'read_file, bash(npm test:*),bash(git commit -m "a, b)" *)\n  glob  # all of it\n# nothing\nmcp__github__*',
      }),
    ).toEqual([
      ['allow', 'read_file', 1],
      ['allow', 'bash(npm test:*)', 1],
      ['allow', 'bash(git commit -m "a, b)" *)', 1],
      ['allow', 'glob', 2],
      ['allow', 'mcp__github__*', 4],
    ]);
    expect(read({ disallowedTools: 'bash(echo \\), a), task' })).toEqual([
      ['deny', 'bash(echo \\), a)', 1],
      ['deny', 'task', 1],
    ]);
  });

  test('rules are lines of an effect and a pattern, with comments and blank lines', () => {
    expect(
      read({
        permissionRules:
          '# what may run\nallow bash(npm test:*)\n\n  deny   bash(git push:*)  # never\nask write_file(docs/**)\r\n',
      }),
    ).toEqual([
      ['allow', 'bash(npm test:*)', 2],
      ['deny', 'bash(git push:*)', 4],
      ['ask', 'write_file(docs/**)', 5],
    ]);
  });

  test.each([
    ['JSON', '{"allow": ["bash(npm test:*)"],\n "deny": ["task"], "ask": []}', 2],
    ['YAML', '# rules\nallow:\n  - bash(npm test:*)\ndeny: [task]\nask:\n', 4],
  ])('rules are lists under their effects in %s, with their lines', (_, permissionRules, line) => {
    expect(read({ permissionRules })).toEqual([
      ['allow', 'bash(npm test:*)', line === 2 ? 1 : 3],
      ['deny', 'task', line],
    ]);
  });

  test('nothing given is nothing asked', () => {
    expect(isEmpty(parsePermissionRules(nothing))).toBe(true);
    expect(isEmpty(parsePermissionRules({ ...nothing, allowedTools: ' \n', permissionRules: '# nothing\n' }))).toBe(true);
    expect(isEmpty(parsePermissionRules({ ...nothing, permissionRules: 'ask task' }))).toBe(false);
    expect(isEmpty(parsePermissionRules({ ...nothing, allowedTools: 'task' }))).toBe(false);
  });

  test('all problems are told together, each with its input, its line, what was seen and what is expected', () => {
    const problems = problemsOf({
      allowedTools: 'read_file, bash(npm test',
      disallowedTools: ',',
      permissionRules: 'alow bash(x)\ndeny mcp__x(y)\nask bash(a && b)\nask',
    });
    expect(problems).toEqual([
      expect.stringMatching(/^disallowed_tools: "," is no rule: expected tools/),
      expect.stringMatching(/^permission_rules, line 1: "alow bash\(x\)" is no rule: expected allow, deny or ask/),
      expect.stringMatching(/^permission_rules, line 4: "ask" is no rule: expected allow, deny or ask/),
      expect.stringMatching(/^allowed_tools, line 1: "bash\(npm test" is no rule: expected the name of a tool/),
      expect.stringMatching(
        /^permission_rules, line 2: "mcp__x\(y\)" is no rule: expected mcp__x without a pattern: .* bash, read_file/,
      ),
      expect.stringMatching(
        /^permission_rules, line 3: "bash\(a && b\)" is no rule: expected the words of one command: .* a rule for each/,
      ),
    ]);
  });

  test.each([
    ['bash()', 'the words of a command'],
    ['bash(A=1)', 'the words of a command'],
    ['bash(A=* npm)', 'the values of variables to the letter'],
    ['bash(echo "a)', 'every quote closed'],
    ['bash(echo $HOME)', 'without variables'],
    ['bash(echo > f)', 'no redirects: write_file'],
    ['bash(a; b)', 'the words of one command'],
    ['read_file(../x)', 'within the workspace'],
    ['read_file(!x)', 'write a deny rule'],
    ['read_file( )', 'a path or a pattern of paths'],
    ['use_skill( )', 'a name in the parentheses'],
    ['todo_write(x)', 'todo_write without a pattern'],
    ['*(x)', '* without a pattern'],
    ['Bash(npm test:*)', 'Bash without a pattern'],
    ['a b', 'the name of a tool'],
    ['(x)', 'the name of a tool'],
  ])('the pattern %s is refused: expected %s', (pattern, expected) => {
    expect(problemsOf({ permissionRules: `deny ${pattern}` })).toEqual([expect.stringContaining(expected)]);
  });

  test.each([
    ['{"allow": ["a"', /line 1: .* is no rule/],
    ['{"alow": ["a"]}', /"alow" is no rule: expected allow, deny or ask, each with a list/],
    ['allow: bash', /"allow" is no rule: expected allow, deny or ask, each with a list/],
    ['deny:\n  - a\n  - [b]', /line 3: .* is no rule: expected a pattern as a text/],
    ['deny:\n  - *\n', /line 2: .* is no rule/],
    ['deny:\n  - 1\n', /line 2: "1" is no rule: expected a pattern as a text/],
  ])('data that is no rules is refused: %j', (permissionRules, problem) => {
    expect(problemsOf({ permissionRules })).toEqual([expect.stringMatching(problem)]);
  });
});

describe('rules and tools', () => {
  const tools = ['bash', 'read_file', 'mcp__github__get'].map(tool);

  test('a rule about a tool that is not there is a warning with the nearest name', () => {
    const rules = parsePermissionRules({
      ...nothing,
      permissionRules: 'deny Bash\nallow read_fil\nask mcp__gitlab__*\nallow mcp__github__*\nallow *',
    });
    expect(findUnknownTools(rules, tools)).toEqual([
      'permission_rules: "Bash" is about no call: there is no tool Bash; did you mean bash?',
      'permission_rules: "read_fil" is about no call: there is no tool read_fil; did you mean read_file?',
      'permission_rules: "mcp__gitlab__*" is about no call: no tool is named like mcp__gitlab__*',
    ]);
  });

  test.each([
    ['no rules', {}, 'bash', true],
    ['a denied tool', { disallowedTools: 'bash' }, 'bash', false],
    ['a tool denied in all its calls', { disallowedTools: 'bash(*)' }, 'bash', false],
    ['a tool denied by a part of its name', { disallowedTools: 'mcp__*' }, 'mcp__github__get', false],
    ['some calls denied', { disallowedTools: 'bash(git push:*)' }, 'bash', true],
    ['a list without it', { allowedTools: 'read_file' }, 'bash', false],
    ['a list with some of its calls', { allowedTools: 'bash(npm test:*)' }, 'bash', true],
    ['a list, and a rule beside it', { allowedTools: 'read_file', permissionRules: 'allow bash(ls)' }, 'bash', true],
    ['a list, and a question beside it', { allowedTools: 'read_file', permissionRules: 'ask bash(ls)' }, 'bash', false],
    ['a list, and a tool of the run itself', { allowedTools: 'read_file' }, 'task', true],
    ['a denied tool of the run itself', { disallowedTools: 'task' }, 'task', false],
  ])('with %s a tool may ever run or not', (_, given, name, may) => {
    expect(mayEver(parsePermissionRules({ ...nothing, ...given }), name)).toBe(may);
  });

  test("the lists of a sub-agent's definition are rules that bear its name", () => {
    const rules = parseToolLists({ tools: ['bash(npm test:*)'], disallowedTools: ['read_file'] }, 'the agent "tester"');
    expect([mayEver(rules, 'bash'), mayEver(rules, 'read_file'), mayEver(rules, 'write_file')]).toEqual([true, false, false]);
    expect(mayEver(parseToolLists({ tools: undefined, disallowedTools: [] }, 'x'), 'bash')).toBe(true);
    expect(mayEver(parseToolLists({ tools: [], disallowedTools: [] }, 'x'), 'bash')).toBe(false);
    expect(() => parseToolLists({ tools: ['bash(a|b)'], disallowedTools: [] }, 'the agent "tester"')).toThrow(
      'the agent "tester": "bash(a|b)" is no rule',
    );
  });
});
