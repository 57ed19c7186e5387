import { describe, expect, test } from '@jest/globals';
import { Denials } from '../../src/engine/denials.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { Hook, PermissionChecker } from '../../src/engine/ports.ts';
import type { Denial } from '../../src/schema/run-scope.ts';
import { echo, registryOf } from './ports.ts';
import { type Mode, modes, setScene } from './scene.ts';
import { call, calls, ScriptedModel, type Step, says } from './scripted-model.ts';

const end: Step = { answer: says('ok') };
const bash = (id: string, command: string) => call(id, 'bash', { command });

/** Denies every push, asks about what publishes. */
const permissions: PermissionChecker = {
  check: async ({ arguments: args }) => {
    if (args.includes('push')) return { kind: 'deny', text: 'No push.', why: 'by the rule `bash(git push:*)` (rules, line 1)' };
    return args.includes('publish') ? { kind: 'ask', rule: 'bash(npm publish)' } : { kind: 'none' };
  },
};

describe.each(modes)('%s', (mode: Mode) => {
  test('what rules and hooks deny is told to people: each in the log, all of them in one note', async () => {
    const log: string[] = [];
    const hook: Hook = {
      name: 'sql',
      preToolUse: async ({ call: { arguments: args } }) =>
        args.includes('psql') ? { decision: 'deny', reason: 'Ask the owner.' } : undefined,
    };
    const wanted = [
      bash('a', 'git push `x`'),
      bash('b', 'git push\norigin'),
      bash('c', 'npm publish'),
      bash('d', 'psql x'),
      bash('e', 'ls'),
    ];
    const { play, ran } = setScene(mode, [{ answer: calls(...wanted) }, end], {
      permissions,
      hooks: [hook],
      log: (line) => void log.push(line),
    });
    expect((await play()).notes).toEqual([
      "4 calls were denied: bash `git push 'x'` by the rule `bash(git push:*)` (rules, line 1) (2 times); " +
        'bash `npm publish` since the permission rule bash(npm publish) wants it confirmed and nobody can answer here; ' +
        'bash `psql x` by the hook "sql" (Ask the owner.).',
    ]);
    expect(ran).toEqual(['e']);
    expect(log.filter((line) => line.includes('state=denied')).map((line) => line.replace(/^\S+ /, ''))).toEqual([
      'tool=bash id=a state=denied why=by the rule `bash(git push:*)` (rules, line 1) about=git push `x`',
      'tool=bash id=b state=denied why=by the rule `bash(git push:*)` (rules, line 1) about=git push origin',
      'tool=bash id=c state=denied why=since the permission rule bash(npm publish) wants it confirmed and nobody can answer here about=npm publish',
      'tool=bash id=d state=denied why=by the hook "sql" (Ask the owner.) about=psql x',
    ]);
  });

  test('what a person denies, or the plan mode, is no news', async () => {
    const said = setScene(mode, [{ answer: calls(bash('a', 'npm publish')) }, end], {
      permissions,
      approve: async () => ({ isAllowed: false }),
    });
    expect((await said.play()).notes).toBeUndefined();
    const planned = setScene(mode, [{ answer: calls(bash('a', 'ls')) }, end], { planMode: 'plan' });
    expect((await planned.play()).notes).toBeUndefined();
  });

  test('what is denied to a run within it is told by both', async () => {
    const note = 'A call was denied: bash `git push` by the rule `bash(git push:*)` (rules, line 1).';
    const inner: unknown[] = [];
    const { play } = setScene(mode, [{ answer: calls(call('t', 'task')) }, end], {
      tools: {
        task: {
          ...echo,
          run: async (_call, { signal, run }) => {
            const model = new ScriptedModel([{ answer: calls(bash('a', 'git push')) }, end]);
            const engine = createEngine(model, registryOf({ bash: echo }), '/w', { within: run, permissions });
            inner.push((await engine.run('sub', signal)).notes);
            return 'done';
          },
        },
      },
    });
    expect([(await play()).notes, inner]).toEqual([[note], [[note]]]);
  });
});

describe('Denials', () => {
  test('a few kinds are told and the rest counted, however many there are', () => {
    const around: Denial[] = [];
    const denials = new Denials((denial) => around.push(denial));
    expect(denials.note()).toBeUndefined();
    for (let at = 0; at < 500; at += 1) denials.add({ tool: 't', about: 'x'.repeat(at % 2), why: `by the hook (${at})` });
    expect(denials.note()).toBe(
      '500 calls were denied: t by the hook (0); t `x` by the hook (1); t by the hook (2); t `x` by the hook (3); and 496 more.',
    );
    expect(around).toHaveLength(500);
  });
});
