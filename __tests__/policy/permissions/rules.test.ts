import { describe, expect, test } from '@jest/globals';
import { toolName } from '../../../src/compose/guidance.ts';
import {
  findIdle,
  isEmpty,
  mayEver,
  parseMatcher,
  parsePermissionRules,
  parseToolLists,
} from '../../../src/policy/permissions/rules.ts';
import { Harness9Error } from '../../../src/schema/error.ts';

const nothing = { allowedTools: null, disallowedTools: null, permissionRules: null };

/** What is read of the rules: effect, text and line. */
function read(given: Partial<typeof nothing> | Record<string, string>): unknown {
  const { rules } = parsePermissionRules({ ...nothing, ...given });
  return rules.map(({ effect, text, line }) => [effect, text, line]);
}

function problemsOf(given: Record<string, string>): readonly string[] {
  try {
    parsePermissionRules({ ...nothing, ...given }, { toolName, workDir: '/work/repository', sourceOf: (input) => input });
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
      expect.stringMatching(/^allowed_tools, line 1: "bash\(npm test" is no rule: expected a \) at its end/),
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
    ['use_skill( )', 'one name in the parentheses'],
    ['use_skill("release")', 'one name in the parentheses, without quotes'],
    ['task(a, b)', 'one name in the parentheses'],
    ['edit_file("src/**")', 'the path without quotes around it'],
    ['edit_file(src/**, docs/**)', 'one path: a rule for each, or names in braces'],
    ['edit_file(src/**,docs/**)', 'one path: a rule for each, or names in braces'],
    ['edit_file(src\\**)', 'folders with / between them'],
    ['edit_file(src\\a)', 'folders with / between them'],
    ['edit_file(path:src/**)', 'the path alone'],
    ['edit_file(C:\\src)', 'the path alone'],
    ['edit_file(/work/repository/src/**)', 'a path relative to the workspace: src/**'],
    ['edit_file(/work/repository)', 'a path relative to the workspace: **'],
    ['edit_file(/home/me/repository/src/**)', 'a path within the workspace and relative to it'],
    ['read_file(~/.ssh/**)', 'a path within the workspace and relative to it'],
    ['bash("git push":*)', 'the words of the command without quotes around them'],
    ["bash('npm test')", 'the words of the command without quotes around them'],
    ['bash(git:push)', ':* at the very end'],
    ['bash(git:push:*)', ':* at the very end'],
    ['bash(git push:)', ':* at the very end'],
    ['bash(git push: *)', ':* at the very end'],
    ['bash(ls', 'a ) at its end'],
    ['bash(ls) x', 'nothing behind the )'],
    ['bash (ls)', 'no blank before the ('],
    ['todo_write(x)', 'todo_write without a pattern'],
    ['*(x)', '* without a pattern'],
    ['a b', 'the name of a tool'],
    ['(x)', 'the name of a tool'],
  ])('the pattern %s is refused: expected %s', (pattern, expected) => {
    expect(problemsOf({ permissionRules: `deny ${pattern}` })).toEqual([expect.stringContaining(expected)]);
  });

  test.each([
    ['bash(npm run test:unit)', 'a blank or a colon in a later word'],
    ['bash("./my script.sh" a)', 'a path with a blank'],
    ['edit_file(src/{a,b}/**)', 'braces'],
    ['edit_file(app/\\[id\\]/page.tsx)', 'plain brackets'],
    ['edit_file(./src//a/./b)', 'a path that is not as short as it could be'],
    ['edit_file(/secrets/)', 'a folder at the top'],
  ])('the pattern %s is read: %s', (pattern) => {
    expect(problemsOf({ permissionRules: `deny ${pattern}` })).toEqual([]);
  });

  test.each([
    ['- deny bash(x)', 'without the dash in front'],
    ['permission_rules: |\n  deny bash', 'the rules alone, without the name of the input'],
    ['deny "bash(x)"', 'the pattern itself, without quotes and brackets around it'],
    ['deny deny bash', 'the pattern alone, without allow, deny or ask'],
  ])('a line that is nearly a rule is told apart: %j', (permissionRules, expected) => {
    expect(problemsOf({ permissionRules })).toEqual([expect.stringContaining(expected)]);
  });

  test('a list with dashes or as JSON is told so', () => {
    expect(problemsOf({ allowedTools: '- bash\n- task' })).toEqual([
      expect.stringMatching(/^allowed_tools, line 1: "- bash" is no rule: expected the pattern without the dash/),
      expect.stringMatching(/^allowed_tools, line 2: "- task"/),
    ]);
    expect(problemsOf({ disallowedTools: '["bash"]' })).toEqual([expect.stringContaining('without quotes and brackets')]);
  });

  test.each([
    ['{"allow": ["a"', /line 1: .* is no rule/],
    ['{"alow": ["a"]}', /"alow" is no rule: expected allow, deny or ask, each with a list/],
    ['allow: bash', /"allow" is no rule: expected allow, deny or ask, each with a list/],
    ['deny:\n  - task\n  - [b]', /line 3: .* is no rule: expected a pattern as a text/],
    ['deny:\n  - *\n', /line 2: .* is no rule/],
    [
      'deny:\n  - bash\n allow:\n  - task',
      /line 3: "allow:" is no rule: expected lists of patterns .* as YAML or JSON \(here: All mapping/,
    ],
    ['deny:\n  - 1\n', /line 2: "1" is no rule: expected a pattern as a text/],
  ])('data that is no rules is refused: %j', (permissionRules, problem) => {
    expect(problemsOf({ permissionRules })).toEqual([expect.stringMatching(problem)]);
  });
});

describe('rules and tools', () => {
  const names = ['mcp__github__get'];

  test('a rule is told that is about no call: of no server, or with a name that there is not', () => {
    const { rules } = parsePermissionRules({
      ...nothing,
      permissionRules: [
        'ask mcp__gitlab__*',
        'allow mcp__github__*',
        'deny mcp__github__delete',
        'allow *',
        'deny mcp__absent__anything',
        'deny mcp__abs*',
        'deny task(nobody)',
        'deny task(expl*)',
        'allow use_skill(release)',
        'deny glob',
        'deny read_file(none)',
      ].join('\n'),
    });
    const named = { task: ['explorer', 'general'], use_skill: [] };
    expect(findIdle(rules, { names, prefixes: ['mcp__absent__'], named })).toEqual([
      'The rule `mcp__gitlab__*` (permission_rules, line 1) is about no call: no MCP server of this run has such a tool.',
      'The rule `mcp__github__delete` (permission_rules, line 3) is about no call: no MCP server of this run has such a tool.',
      'The rule `task(nobody)` (permission_rules, line 7) is about no call: there is only explorer, general.',
      'The rule `use_skill(release)` (permission_rules, line 9) is about no call: there is nothing to name.',
    ]);
    expect(findIdle(rules, { names, prefixes: ['mcp__'], named: {} })).toEqual([]);
  });

  test.each([
    ['Bash', 'bash'],
    ['Bash(git push:*)', 'bash'],
    ['Read(src/**)', 'read_file'],
    ['Edit', 'edit_file'],
    ['Write(a)', 'write_file'],
    ['shell', 'bash'],
    ['TodoWrite', 'todo_write'],
    ['Task(explorer)', 'task'],
    ['Skill(release)', 'use_skill'],
    ['Grep', 'grep'],
  ])('what others call a tool is ours, in rules, lists and matchers: %s is about %s', (pattern, tool) => {
    const naming = { toolName, workDir: undefined, sourceOf: (input: string) => input };
    for (const { rules } of [
      parsePermissionRules({ ...nothing, disallowedTools: pattern }, naming),
      parsePermissionRules({ ...nothing, allowedTools: pattern }, naming),
      parsePermissionRules({ ...nothing, permissionRules: `ask ${pattern}` }, naming),
      parseMatcher(pattern, 'hooks', naming),
      parseToolLists({ tools: undefined, disallowedTools: [pattern] }, 'an agent', naming),
    ])
      expect(rules).toMatchObject([{ tool: [tool], text: pattern }]);
  });

  test.each([
    ['bahs', '; the nearest is bash'],
    ['reed_file(src/**)', '; the nearest is read_file'],
    ['WebFetch', 'one of an MCP server (mcp__server__tool)'],
    ['edit*_', 'a tool (bash, read_file, write_file'],
    ['./allowed.txt', 'the tools themselves, and no path of a file'],
  ])('%s can be no tool: refused in rules, lists and matchers', (pattern, expected) => {
    const said = [expect.stringContaining(expected)];
    expect(problemsOf({ permissionRules: `deny ${pattern}` })).toEqual(said);
    expect(problemsOf({ allowedTools: pattern })).toEqual(said);
    expect(() => parseMatcher(pattern, 'hooks: a')).toThrow(expected);
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
