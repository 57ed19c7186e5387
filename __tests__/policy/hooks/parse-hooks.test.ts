// The hooks' configuration: what it becomes, and everything that is wrong with it, said together.
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { createCommandHooks } from '../../../src/policy/hooks/command-hooks.ts';
import { parseHooks, scriptPaths } from '../../../src/policy/hooks/parse-hooks.ts';
import { Harness9Error } from '../../../src/schema/error.ts';
import { createWorkspace } from './processes.ts';

const source = 'input `hooks`';

function problemsOf(value: unknown): readonly string[] {
  try {
    parseHooks(value, source);
  } catch (error) {
    if (!(error instanceof Harness9Error) || error.code !== 'HOOKS_INVALID') throw error;
    return error.message.split('\n').map((line) => line.replace(`${source}: `, ''));
  }
  return [];
}

const events = 'PreToolUse, PostToolUse, TurnComplete, Stop';
const shellText =
  'a text for bash: not empty, at most 128 KB, without NUL, and with no other interpreter than a shell in a first line with #!';
const common = 'command, script, name, timeout_secs, env';

describe('[spec 9 hooks] hooks in a configuration', () => {
  test('become definitions, in the order of the events and of each list, with their defaults', () => {
    const yaml = `
Stop:
  - script: ./.harness9/hooks/finish.sh
    max_send_backs: 2
  - command: "true"
PreToolUse:
  - matcher: bash(git push:*)
    command: ./scripts/check.sh --fast
    timeout_secs: 0.5
    env: { LEVEL: strict, EMPTY: "" }
    name: the check
  - command: "true"
`;
    const rest = { timeoutMs: 60_000, env: {}, matcher: undefined, maxSendBacks: 3 };
    expect(parseHooks(parse(yaml), source)).toEqual([
      {
        event: 'PreToolUse',
        name: 'the check',
        run: { kind: 'command', text: './scripts/check.sh --fast' },
        timeoutMs: 500,
        env: { LEVEL: 'strict', EMPTY: '' },
        matcher: 'bash(git push:*)',
        maxSendBacks: 3,
      },
      { ...rest, event: 'PreToolUse', name: 'PreToolUse[1]', run: { kind: 'command', text: 'true' } },
      {
        ...rest,
        event: 'Stop',
        name: 'Stop[0]',
        run: { kind: 'script', path: '.harness9/hooks/finish.sh' },
        maxSendBacks: 2,
      },
      { ...rest, event: 'Stop', name: 'Stop[1]', run: { kind: 'command', text: 'true' } },
    ]);
  });

  test('may be none, when that is written out', () => {
    expect([parseHooks({}, source), parseHooks({ Stop: [] }, source)]).toEqual([[], []]);
  });

  test('name each file of a script once, in one spelling', () => {
    const definitions = parseHooks(
      { PreToolUse: [{ script: './a.sh' }, { command: 'true' }], Stop: [{ script: 'a.sh' }, { script: './b/./c.sh' }] },
      source,
    );
    expect(scriptPaths(definitions)).toEqual(['a.sh', 'b/c.sh']);
  });

  const hook = (fields: object) => ({ PreToolUse: [{ command: 'true', ...fields }] });
  const seconds = 'expected a number of seconds above 0 and at most 600';
  const file = 'expected the path of a file within the repository, like ./.harness9/hooks/check.sh';
  const valueText = 'expected a text without NUL (numbers and booleans in quotes)';
  const variable = 'a name that cannot be used, expected the name of a variable that does not begin with HARNESS9_';
  const name = 'expected a name of one line and at most 80 characters';
  const sendBacks = 'expected a whole number from 0 to 20';
  const mapping = `expected a mapping of events (${events}) to lists of hooks`;
  test.each<[string, unknown, readonly string[]]>([
    ['nothing at all', null, [`nothing, ${mapping}`]],
    ['a text', 'PreToolUse', [`"PreToolUse", ${mapping}`]],
    ['a list of events', [{ PreToolUse: [] }], [`a list, ${mapping}`]],
    ['an unknown event', { SessionStart: [] }, [`SessionStart: an unknown name, expected one of ${events}`]],
    [
      'a slip in an event',
      { PreTolUse: [] },
      [`PreTolUse: an unknown name, expected one of ${events}; did you mean PreToolUse?`],
    ],
    [
      'another case of an event',
      { post_tool_use: [] },
      [`post_tool_use: an unknown name, expected one of ${events}; did you mean PostToolUse?`],
    ],
    ['a member of every object', JSON.parse('{"__proto__": []}'), [`__proto__: an unknown name, expected one of ${events}`]],
    ['an event without a list', { Stop: null }, ['Stop: nothing, expected a list of hooks']],
    ['one hook without a list', { Stop: { command: 'true' } }, ['Stop: a mapping of command, expected a list of hooks']],
    ['a command without a mapping', { Stop: ['true'] }, ['Stop[0]: "true", expected a hook: a mapping with command or script']],
    ['an empty hook', { Stop: [{}] }, ['Stop[0]: an empty mapping, expected exactly one of command and script']],
    [
      'both',
      hook({ script: './a.sh' }),
      ['PreToolUse[0]: a mapping of command, script, expected exactly one of command and script'],
    ],
    ['a blank command', hook({ command: ' \n' }), [`PreToolUse[0].command: "", expected ${shellText}`]],
    ['a command of nothing', hook({ command: null }), [`PreToolUse[0].command: nothing, expected ${shellText}`]],
    ['a list as a command', hook({ command: ['a', 'b'] }), [`PreToolUse[0].command: a list, expected ${shellText}`]],
    ['a NUL', hook({ command: 'a\0b' }), [`PreToolUse[0].command: "a b", expected ${shellText}`]],
    [
      'a long command',
      hook({ command: 'a'.repeat(131_072) }),
      [`PreToolUse[0].command: "${'a'.repeat(79)}…", expected ${shellText}`],
    ],
    [
      'another interpreter',
      hook({ command: '#!/usr/bin/env python3\nprint(1)' }),
      [`PreToolUse[0].command: "#!/usr/bin/env python3 print(1)", expected ${shellText}`],
    ],
    ['a path that leads out', { Stop: [{ script: './a/../../b.sh' }] }, [`Stop[0].script: "./a/../../b.sh", ${file}`]],
    ['an absolute path', { Stop: [{ script: '/etc/hook.sh' }] }, [`Stop[0].script: "/etc/hook.sh", ${file}`]],
    ['a folder', { Stop: [{ script: './hooks/' }] }, [`Stop[0].script: "./hooks/", ${file}`]],
    ['the repository', { Stop: [{ script: '.' }] }, [`Stop[0].script: ".", ${file}`]],
    ['an empty path', { Stop: [{ script: '' }] }, [`Stop[0].script: "", ${file}`]],
    ['backslashes', { Stop: [{ script: 'a\\b.sh' }] }, [`Stop[0].script: "a\\\\b.sh", ${file}`]],
    ['no time', hook({ timeout_secs: 0 }), [`PreToolUse[0].timeout_secs: 0, ${seconds}`]],
    ['too much time', hook({ timeout_secs: 601 }), [`PreToolUse[0].timeout_secs: 601, ${seconds}`]],
    ['endless time', hook({ timeout_secs: Number.POSITIVE_INFINITY }), [`PreToolUse[0].timeout_secs: Infinity, ${seconds}`]],
    ['time as a text', hook({ timeout_secs: '10s' }), [`PreToolUse[0].timeout_secs: "10s", ${seconds}`]],
    ['a list as environment', hook({ env: ['A=1'] }), ['PreToolUse[0].env: a list, expected a mapping of names to texts']],
    ['a number in the environment', hook({ env: { PORT: 8080 } }), [`PreToolUse[0].env.PORT: 8080, ${valueText}`]],
    ['a NUL in the environment', hook({ env: { A: '\0' } }), [`PreToolUse[0].env.A: "", ${valueText}`]],
    ['a bad name of a variable', hook({ env: { 'A-B': 'x' } }), [`PreToolUse[0].env.A-B: ${variable}`]],
    ['a variable of ours', hook({ env: { HARNESS9_TOOL_HOST: 'x' } }), [`PreToolUse[0].env.HARNESS9_TOOL_HOST: ${variable}`]],
    ['a name of two lines', hook({ name: 'a\nb' }), [`PreToolUse[0].name: "a b", ${name}`]],
    ['an empty name', hook({ name: '' }), [`PreToolUse[0].name: "", ${name}`]],
    [
      'an empty matcher',
      hook({ matcher: ' ' }),
      ['PreToolUse[0].matcher: "", expected a permission pattern, like bash(git push:*)'],
    ],
    [
      'a matcher where there is no call',
      { Stop: [{ command: 'a', matcher: 'bash' }] },
      [`Stop[0].matcher: an unknown name, expected one of ${common}, max_send_backs`],
    ],
    [
      'another shape of the time-out',
      hook({ timeout: 5, timeoutSecs: 5 }),
      [
        `PreToolUse[0].timeout: an unknown name, expected one of ${common}, matcher`,
        `PreToolUse[0].timeoutSecs: an unknown name, expected one of ${common}, matcher; did you mean timeout_secs?`,
      ],
    ],
    ['half a send-back', { Stop: [{ command: 'a', max_send_backs: 1.5 }] }, [`Stop[0].max_send_backs: 1.5, ${sendBacks}`]],
    ['send-backs without end', { Stop: [{ command: 'a', max_send_backs: 21 }] }, [`Stop[0].max_send_backs: 21, ${sendBacks}`]],
    [
      'send-backs of another event',
      { TurnComplete: [{ command: 'a', max_send_backs: 1 }] },
      [`TurnComplete[0].max_send_backs: an unknown name, expected one of ${common}`],
    ],
  ])('are refused for %s, with the place, what is there and what is expected', (_what, value, expected) => {
    expect(problemsOf(value)).toEqual(expected);
  });

  test('are refused with all problems together, whatever kinds they are of', () => {
    const value = {
      PreToolUse: [{ command: 'true' }, { timeout_secs: -1, matchr: 'bash' }],
      Stop: [{ command: 7, script: './a.sh', env: { A: 1, 'B C': 'x' } }],
      Stopp: [],
    };
    expect(problemsOf(value)).toEqual([
      `PreToolUse[1].timeout_secs: -1, ${seconds}`,
      `PreToolUse[1].matchr: an unknown name, expected one of ${common}, matcher; did you mean matcher?`,
      'PreToolUse[1]: a mapping of timeout_secs, matchr, expected exactly one of command and script',
      `Stop[0].command: 7, expected ${shellText}`,
      `Stop[0].env.A: 1, ${valueText}`,
      `Stop[0].env.B C: ${variable}`,
      'Stop[0]: a mapping of command, script, env, expected exactly one of command and script',
      `Stopp: an unknown name, expected one of ${events}; did you mean Stop?`,
    ]);
  });

  test('that name scripts are refused when a text is not there or not for bash, all together', () => {
    using workspace = createWorkspace();
    const definitions = parseHooks({ Stop: ['a', 'b', 'c', 'd'].map((script) => ({ script })) }, source);
    const scripts = new Map([
      ['a', '#!/bin/bash -e\ntrue'],
      ['b', '#!/usr/bin/env node\nprocess.exit(0)'],
      ['d', ''],
    ]);
    const { startProcess, dir: workDir } = workspace;
    const clock = { now: () => new Date(0), monotonicMs: () => 0, sleep: async () => undefined };
    const parts = { starterOf: () => startProcess, matches: () => true, scripts, workDir, clock, log: () => undefined };
    expect(() => createCommandHooks(definitions, parts)).toThrow(
      expect.objectContaining({
        code: 'HOOKS_INVALID',
        message: [
          `hook "Stop[1]": b: "#!/usr/bin/env node process.exit(0)" (35 bytes), expected ${shellText}`,
          `hook "Stop[2]": c: no such file, or no text, expected ${shellText}`,
          `hook "Stop[3]": d: "" (0 bytes), expected ${shellText}`,
        ].join('\n'),
      }),
    );
  });
});
