// Calls in the words of other harnesses, over the real registry: they are judged, timed and counted as the tools that they mean.
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createEngine } from '../../src/engine/engine.ts';
import type { EngineOptions } from '../../src/engine/options.ts';
import type { Approve } from '../../src/engine/ports.ts';
import { createTodoStore } from '../../src/planning/todo-store.ts';
import { createTodoWriteTool } from '../../src/planning/todo-write.ts';
import { type ToolDefinition, textOf } from '../../src/schema/message.ts';
import { type PlanMode, planModeSchema } from '../../src/schema/plan-mode.ts';
import { createRegistry, type Registry } from '../../src/tools/registry.ts';
import { defineTool, success } from '../../src/tools/tool.ts';
import { FullSession, ManualClock, settled } from './ports.ts';
import { call, calls, ScriptedModel, says } from './scripted-model.ts';

const named = {
  bash: ['bash', 'Bash', 'sh', 'shell', 'functions.bash', 'tools/bash', 'execute_command', 'BASH', 'default_api:bash'],
  edit_file: ['edit_file', 'Edit', 'str_replace', 'functions.edit_file', 'EditFile', 'replace_in_file'],
  write_file: ['write_file', 'Write', 'create_file', 'functions.write_file', 'WriteFile'],
  read_file: ['read_file', 'Read', 'view', 'cat', 'functions.read_file', 'readFile'],
  todo_write: ['todo_write', 'TodoWrite', 'functions.todo_write'],
} as const;
const spellings = Object.entries(named).flatMap(([tool, names]) => names.map((name): [string, string] => [name, tool]));

const effects: Readonly<Record<string, ToolDefinition['effect']>> = {
  bash: 'execute',
  edit_file: 'write',
  write_file: 'write',
  read_file: 'read',
  todo_write: 'read',
};

/** The real names over tools that only say that they ran; `ran` has them in their order. */
function registryOf(ran: string[]): Registry {
  const registry = createRegistry();
  for (const name of ['bash', 'edit_file', 'read_file', 'write_file']) {
    registry.register(
      defineTool({
        name,
        description: name,
        place: 'main',
        effect: effects[name] ?? 'read',
        ...(name === 'bash' ? { timeoutMs: 120_000, maxTimeoutMs: 600_000 } : {}),
        schema: z.object({
          path: z.string().optional(),
          command: z.string().optional(),
          new_string: z.string().optional(),
          timeout_secs: z.number().optional(),
        }),
        run: async ({ command }) => {
          ran.push(name);
          return command === 'hang' ? await new Promise<never>(() => {}) : success('ok');
        },
      }),
    );
  }
  const todos = defineTool(createTodoWriteTool(createTodoStore()));
  registry.register({ ...todos, execute: async () => success(String(ran.push('todo_write'))) });
  return registry;
}

function play(steps: ConstructorParameters<typeof ScriptedModel>[0], options: EngineOptions) {
  const ran: string[] = [];
  const session = new FullSession();
  const engine = createEngine(new ScriptedModel(steps), registryOf(ran), '/w', { session, ...options });
  const heard = () => session.messages.flatMap(({ toolCallId, content }) => (toolCallId === undefined ? [] : [textOf(content)]));
  return { ran, session, heard, ended: engine.run('go') };
}

/** What becomes of a call in each mode, when everybody who is asked says no. */
function fateOf(mode: PlanMode, effect: ToolDefinition['effect']): 'runs' | 'is asked' | 'is refused' {
  if (mode === 'default' || effect === 'read') return 'runs';
  if (mode === 'plan') return 'is refused';
  return (mode === 'auto_edit') === (effect === 'write') ? 'is asked' : 'runs';
}

describe.each(planModeSchema.options)('in the mode %s', (planMode) => {
  test.each(spellings)('G6-25 %s is judged and run as %s', async (name, tool) => {
    const asked: string[] = [];
    const approve: Approve = async ({ call: { name: askedName } }) => {
      asked.push(askedName);
      return { isAllowed: false };
    };
    const steps = [{ answer: calls(call('c1', name, {})) }, { answer: says('ok') }];
    const { ran, ended, session } = play(steps, { planMode, approve });
    await ended;
    const fate = fateOf(planMode, effects[tool] ?? 'read');
    expect({ ran, asked }).toEqual({ ran: fate === 'runs' ? [tool] : [], asked: fate === 'is asked' ? [tool] : [] });
    // Whoever looks back (a compaction's record of what was written) finds the tool's name.
    expect(session.messages[1]?.toolCalls).toEqual([call('c1', tool, {})]);
  });

  test.each(['Bsh', 'functions.', 'exec', 'mcp__x__bash', 'edit file please', ''])(
    'G6-25 %j is no tool, and runs nothing',
    async (name) => {
      const steps = [{ answer: calls(call('c1', name, {})) }, { answer: says('ok') }];
      const { ran, ended, heard } = play(steps, { planMode, approve: async () => ({ isAllowed: true }) });
      await ended;
      expect(ran).toEqual([]);
      expect(heard()[0]).toMatch(/Available: |may be called: /);
    },
  );
});

test('G6-25 the events and the log have the words of the tool, so that whoever watches need not know others', async () => {
  const seen: unknown[] = [];
  const steps = [{ answer: calls(call('c1', 'Read', { file_path: 'a.ts' })) }, { answer: says('ok') }];
  const { ended } = play(steps, { onEvent: (event) => event.type === 'tool_start' && seen.push(event.data) });
  await ended;
  expect(seen).toEqual([call('c1', 'read_file', { path: 'a.ts' })]);
});

test.each([
  ['the tool’s own time', {}, 120],
  ['what it asks for, in other words too', { timeout_seconds: '300' }, 300],
])('G6-25 a command by another name has %s', async (_name, args, seconds) => {
  const clock = new ManualClock();
  const steps = [{ answer: calls(call('c1', 'sh', { cmd: 'hang', ...args })) }, { answer: says('ok') }];
  const { ended, heard } = play(steps, { clock });
  await settled();
  await clock.advance(seconds * 1000 - 1);
  expect(heard()).toEqual([]);
  await clock.advance(1);
  await clock.advance(5000);
  await ended;
  expect(heard()[0]).toContain(`bash did not finish within ${seconds} s`);
});

test('G6-01 edits by another name are progress as any edit is: the same test after each of them is no circle', async () => {
  const rounds = Array.from({ length: 20 }, (_, at) => [
    { answer: calls(call(`e${at}`, 'Edit', { path: 'a', new_str: `${at}` })) },
    { answer: calls(call(`t${at}`, 'shell', { cmd: 'npm test' })) },
  ]).flat();
  const { ended } = play([...rounds, { answer: says('ok') }], {});
  expect(await ended).toMatchObject({ stopReason: 'completed', turns: 41 });
});

test('G6-01 the same call is the same, however it is spelled', async () => {
  const words = [
    ['bash', 'command'],
    ['sh', 'cmd'],
    ['functions.bash', 'command'],
    ['Shell', 'script'],
    ['bash', 'cmd'],
  ] as const;
  const steps = words.map(([name, field], at) => ({ answer: calls(call(`c${at}`, name, { [field]: 'ls' })) }));
  const { ended } = play([...steps, { answer: says('five times') }], {});
  expect(await ended).toMatchObject({ stopReason: 'repetition', turns: 6 });
});
