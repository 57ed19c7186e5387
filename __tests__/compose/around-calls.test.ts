// The small parts around calls: registries with fewer tools, hooks whose words are redacted, processes that may not start.
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { redactHook } from '../../src/compose/redacted-hook.ts';
import { restrictRegistry } from '../../src/compose/restricted-registry.ts';
import type { Hook } from '../../src/engine/ports.ts';
import { textOf, textPart } from '../../src/schema/message.ts';
import { notStarted } from '../../src/schema/not-started.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { createReadDouble, createSkillDouble } from '../contracts/doubles.ts';

const signal = new AbortController().signal;
const context = { signal, run: {} };

describe('a registry with fewer tools', () => {
  const registry = createRegistry();
  registry.register(createReadDouble());
  registry.register(createSkillDouble());
  const restricted = restrictRegistry(registry, (tools) => tools.filter(({ name }) => name === 'read_file'));
  const run = async (name: string) => {
    const result = await restricted.execute({ id: '1', name, arguments: '{"path": "a.txt"}' }, context);
    return [result.isError, textOf(result.output)];
  };

  test('offers and runs what is left', async () => {
    expect(restricted.getAvailableTools().map(({ name }) => name)).toEqual(['read_file']);
    expect((await run('read_file'))[0]).toBe(false);
  });

  test.each(['use_skill', 'skill', 'UseSkill', 'functions.use_skill'])(
    'does not run %s, which is there and was taken away',
    async (name) => {
      expect(await run(name)).toEqual([true, `There is no tool named "${name}". Available: read_file.`]);
    },
  );

  test('an alias of what is left is run', async () => {
    expect((await run('cat'))[0]).toBe(false);
  });
});

describe('a hook whose words enter the history', () => {
  const hook: Hook = {
    name: 'h',
    timeoutMs: 5,
    preToolUse: async () => ({ decision: 'deny', reason: 'has KEY', arguments: { a: 'KEY', KEY: [{ b: 'not KEY' }, 1, null] } }),
    postToolUse: async () => ({ output: [textPart('printed KEY')], isError: true }),
    stop: async () => ({ message: 'mend KEY' }),
  };
  const call = { id: '1', name: 'bash', arguments: '{}' };
  const redacted = redactHook(hook, (given) => given.replaceAll('KEY', '***'));

  test('says them without secrets, the arguments that it writes as well: the model is told them', async () => {
    expect(await redacted.preToolUse?.({ turn: 1, call, tool: undefined }, context)).toEqual({
      decision: 'deny',
      reason: 'has ***',
      arguments: { a: '***', '***': [{ b: 'not ***' }, 1, null] },
    });
    const result = { toolCallId: '1', output: [], isError: false };
    expect(await redacted.postToolUse?.({ turn: 1, call, result }, context)).toEqual({
      output: [textPart('printed ***')],
      isError: true,
    });
    expect(await redacted.stop?.({ turn: 1, finalMessage: '', sentBack: 0 }, context)).toEqual({ message: 'mend ***' });
    const told = redactHook({ name: 'n', turnComplete: async () => ({ note: 'saw KEY' }) }, (given) =>
      given.replaceAll('KEY', '***'),
    );
    expect(await told.turnComplete?.({ turn: 1, calls: [] }, context)).toEqual({ note: 'saw ***' });
    const silent = redactHook({ name: 'n', turnComplete: async () => undefined }, String);
    expect(await silent.turnComplete?.({ turn: 1, calls: [] }, context)).toBeUndefined();
  });

  test.each(['preToolUse', 'postToolUse', 'turnComplete', 'stop'] as const)(
    'a failed %s says why without secrets',
    async (kind) => {
      const fails = async (): Promise<never> => {
        throw new Error('the last line of stderr: KEY is wrong');
      };
      const failing = redactHook({ name: 'n', [kind]: fails }, (given) => given.replaceAll('KEY', '***'));
      const event = { turn: 1, call, tool: undefined, calls: [], finalMessage: '', sentBack: 0 };
      const result = { toolCallId: '1', output: [], isError: false };
      await expect(failing[kind]?.({ ...event, result }, context)).rejects.toThrow(/^the last line of stderr: \*\*\* is wrong$/);
    },
  );

  test('a failure without secrets is the one that it was', async () => {
    const reason = new Error('over');
    const failing = redactHook({ name: 'n', stop: () => Promise.reject(reason) }, String);
    await expect(failing.stop?.({ turn: 1, finalMessage: '', sentBack: 0 }, context)).rejects.toBe(reason);
  });

  test('says no more than a tool may', async () => {
    const long = { name: 'n', stop: async () => ({ message: 'x'.repeat(1_000_000) }) };
    const said = await redactHook(long, String).stop?.({ turn: 1, finalMessage: '', sentBack: 0 }, context);
    expect(said?.message?.length).toBeLessThan(51_000);
    const output = [textPart('y'.repeat(1_000_000))];
    const answer = await redactHook({ name: 'n', postToolUse: async () => ({ output }) }, String).postToolUse?.(
      { turn: 1, call, result: { toolCallId: '1', output: [], isError: false } },
      context,
    );
    expect(textOf(answer?.output ?? []).length).toBeLessThan(51_000);
  });

  test('is asked about nothing that it was not asked about before', () => {
    expect(Object.keys(redactHook({ name: 'n', turnComplete: async () => undefined }, String)).sort()).toEqual([
      'name',
      'turnComplete',
    ]);
    expect(redacted).toMatchObject({ name: 'h', timeoutMs: 5 });
  });

  test.each([
    ['no opinion', undefined],
    ['an opinion without words', { decision: 'allow' as const }],
  ])('%s stays what it is', async (_case, answer) => {
    const silent = redactHook({ name: 'n', preToolUse: async () => answer }, String);
    expect(await silent.preToolUse?.({ turn: 1, call, tool: undefined }, context)).toEqual(answer);
  });
});

test('a process that may not start ends at once, for the reason that is given', async () => {
  const running = notStarted('not here');
  running.stdin.end('input');
  running.kill();
  expect(await running.end).toEqual({ kind: 'failed', reason: 'not here' });
  expect([await text(running.stdout), await text(running.stderr)]).toEqual(['', '']);
});
