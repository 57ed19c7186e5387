// .github/HOOKS.md is true: each of its examples is run as it stands there, and says what it is told and what it answers.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { Hooks } from '../../../src/engine/hooks.ts';
import type { Hook } from '../../../src/engine/ports.ts';
import { textPart } from '../../../src/schema/message.ts';
import { systemClock } from '../../../src/schema/system-clock.ts';
import { hookOf } from '../../engine/hook-scene.ts';
import { context, createWorkspace } from './processes.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../../.github/HOOKS.md'), 'utf8');
const workspaceOnPage = '/home/runner/work/shop/shop';

interface Block {
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of each section, by its heading. */
const sections = new Map(
  page.split(/^## /m).map((section): [string, readonly Block[]] => {
    const blocks = [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
    return [section.split('\n', 1)[0] ?? '', blocks.map(([, language = '', text = '']) => ({ language, text }))];
  }),
);

function blocksOf(heading: string, language: string): readonly string[] {
  return (sections.get(heading) ?? []).filter((block) => block.language === language).map(({ text }) => text);
}

const callSchema = z.object({ tool_name: z.string(), tool_input: z.record(z.string(), z.unknown()), tool_call_id: z.string() });
const toldSchema = z.object({ event: z.string(), turn: z.number() });

function callOf(told: unknown) {
  const { tool_name: name, tool_input: input, tool_call_id: id } = callSchema.parse(told);
  return { id, name, arguments: JSON.stringify(input) };
}

/** Asks the hook about what the page says that it is told. */
const ask: Readonly<Record<string, (hook: Hook, told: unknown) => Promise<unknown> | undefined>> = {
  PreToolUse: (hook, told) => {
    const { turn } = toldSchema.parse(told);
    return hook.preToolUse?.({ turn, call: callOf(told), tool: undefined }, context());
  },
  PostToolUse: (hook, told) => {
    const fields = toldSchema.extend({ tool_output: z.string(), is_error: z.boolean() }).parse(told);
    const { turn, tool_output: output, is_error: isError } = fields;
    const call = callOf(told);
    return hook.postToolUse?.({ turn, call, result: { toolCallId: call.id, output: [textPart(output)], isError } }, context());
  },
  TurnComplete: (hook, told) => {
    const fields = toldSchema.extend({ calls: z.array(callSchema.omit({ tool_input: true })) }).parse(told);
    const calls = fields.calls.map(({ tool_name: name, tool_call_id: id }) => ({ id, name, arguments: '{}' }));
    return hook.turnComplete?.({ turn: fields.turn, calls }, context());
  },
  Stop: (hook, told) => {
    const fields = toldSchema.extend({ final_message: z.string(), sent_back: z.number() }).parse(told);
    return hook.stop?.({ turn: fields.turn, finalMessage: fields.final_message, sentBack: fields.sent_back }, context());
  },
};

/** Runs the example under a heading: what its process was told and wrote, and what the engine is answered. */
async function run(heading: string) {
  using workspace = createWorkspace();
  const told: string[] = [];
  const [yaml = ''] = blocksOf(heading, 'yaml');
  const [told0 = ''] = blocksOf(heading, 'json');
  const config: unknown = parse(yaml);
  const [event = ''] = Object.keys(z.record(z.string(), z.unknown()).parse(config));
  const scripts = new Map(blocksOf(heading, 'bash').map((text) => ['.harness9/hooks/finish.sh', text]));
  workspace.write('CHANGELOG.md', '# 1.0\n');
  const hook = workspace.hook(config, {
    scripts,
    workDir: workspaceOnPage,
    startProcess: (request, signal) => {
      const running = workspace.startProcess(request, signal);
      const { stdin } = running;
      const end = stdin.end.bind(stdin);
      stdin.end = (input: unknown) => {
        told.push(String(input));
        return end(input);
      };
      return running;
    },
  });
  const answer = await ask[event]?.(hook, JSON.parse(told0));
  const turns = event === 'TurnComplete' ? workspace.read('turns.jsonl') : '';
  return { told, stdout: workspace.ended.flatMap(({ stdout }) => stdout).join(''), answer, turns };
}

describe('[spec 9 hooks] an example of .github/HOOKS.md', () => {
  test.each(['Before a call', 'After a call', 'After a turn', 'At the end'])(
    'under "%s" is told what the page says',
    async (heading) => {
      const { told } = await run(heading);
      const [expected = ''] = blocksOf(heading, 'json');
      expect(told).toEqual([`${JSON.stringify(JSON.parse(expected))}\n`]);
    },
  );

  test('denies a call, and the model reads what the page says', async () => {
    const [words = ''] = blocksOf('Before a call', 'text');
    const { answer } = await run('Before a call');
    const call = callOf(JSON.parse(blocksOf('Before a call', 'json')[0] ?? ''));
    const silent = () => undefined;
    const hooks = [hookOf('preToolUse', 'no force', async () => answer)];
    const asked = new Hooks({ hooks, canonical: (given) => given, clock: systemClock, log: silent, note: silent });
    const { opinion } = await asked.preToolUse({ turn: 1, call, tool: undefined }, context());
    expect(opinion).toMatchObject({ kind: 'deny', text: words.trim() });
  });

  test.each<[string, boolean]>([
    ['git push -f origin main', true],
    ['git push -uf origin main', true],
    ['git push --force-with-lease', true],
    ['git push origin +main', true],
    ['git push origin main', false],
    ['git push -u origin fix-force', false],
  ])('before a call says of %s: denied %s', async (command, isDenied) => {
    using workspace = createWorkspace();
    const hook = workspace.hook(parse(blocksOf('Before a call', 'yaml')[0] ?? ''));
    const call = { id: '1', name: 'bash', arguments: JSON.stringify({ command }) };
    const answer = await hook.preToolUse?.({ turn: 1, call, tool: undefined }, context());
    expect(answer?.decision).toBe(isDenied ? 'deny' : undefined);
  });

  test('changes a result by the answer on the page', async () => {
    const { stdout, answer } = await run('After a call');
    const [, expected = ''] = blocksOf('After a call', 'json');
    expect(JSON.parse(stdout)).toEqual(JSON.parse(expected));
    expect(answer).toEqual({ output: [textPart(JSON.parse(expected).tool_output)] });
  });

  test('writes down what it is told after a turn', async () => {
    const { told, turns, answer } = await run('After a turn');
    expect([turns, answer]).toEqual([told.join(''), undefined]);
  });

  test('sends the agent back with the answer on the page', async () => {
    const { stdout, answer } = await run('At the end');
    const [, expected = ''] = blocksOf('At the end', 'json');
    expect([JSON.parse(stdout), answer]).toEqual([JSON.parse(expected), JSON.parse(expected)]);
  });

  test('is there for each block of the page', () => {
    const counts = [...sections].map(([heading, blocks]) => [heading, blocks.map(({ language }) => language).join(' ')]);
    expect(counts.filter(([, languages]) => languages !== '')).toEqual([
      ['Before a call', 'yaml json text'],
      ['After a call', 'yaml json json'],
      ['After a turn', 'yaml json'],
      ['At the end', 'yaml bash json json'],
    ]);
  });
});
