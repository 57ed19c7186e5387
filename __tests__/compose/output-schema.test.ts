// The setting output_schema in a whole agent: where it is read, who it is for, and what it is checked against: the answer that was verified.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { composeOutgoing } from '../../src/compose/outgoing.ts';
import { loadOutputSchema } from '../../src/compose/output-schema.ts';
import { baseSource, flagSource } from '../../src/compose/trusted-config.ts';
import { textOf } from '../../src/schema/message.ts';
import { taskCall } from '../agents/engine-scene.ts';
import { type Mode, modes } from '../engine/scene.ts';
import { call, calls, type Step, says } from '../engine/scripted-model.ts';
import { setAgent } from './agent-scene.ts';

const schema = JSON.stringify({ type: 'object', properties: { done: { type: 'boolean' } }, required: ['done'] });
const outgoing = (secrets: readonly string[] = []) => composeOutgoing({ stderr: () => undefined }, secrets);

describe('the text', () => {
  const files = new Map([['schemas/answer.json', schema]]);
  const base = baseSource({ read: async (file) => files.get(file) ?? null });

  test('is the setting itself or a file of the base commit, and none without a setting', async () => {
    expect(await loadOutputSchema(null, base, outgoing())).toBeUndefined();
    expect((await loadOutputSchema(schema, base, outgoing()))?.schema).toEqual(JSON.parse(schema));
    expect((await loadOutputSchema('./schemas/answer.json', base, outgoing()))?.check('{"done":true}')).toEqual({
      value: { done: true },
    });
  });

  test.each([
    ['./schemas/none.json', 'CONFIG_UNREADABLE', 'input `output_schema`: "./schemas/none.json" is read as a file'],
    ['./../answer.json', 'CONFIG_UNREADABLE', 'the base commit has no such text file'],
    ['schemas/answer.json', 'CONFIG_UNREADABLE', 'looks like the path of a file'],
    ['the answer, please', 'OUTPUT_SCHEMA', 'input `output_schema`: the JSON Schema cannot be used: it is no JSON'],
  ])('%s is refused by the name that people know', async (value, code, words) => {
    await expect(loadOutputSchema(value, base, outgoing())).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
    });
  });

  test('in the terminal is a file of the disk', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'harness9-schema-'));
    try {
      await writeFile(path.join(dir, 'a.json'), `\uFEFF${schema}\n`);
      const read = await loadOutputSchema('./a.json', flagSource(dir), outgoing());
      expect(read?.check('{}')).toHaveProperty('problems');
      await expect(loadOutputSchema('{"type":1}', flagSource(dir), outgoing())).rejects.toThrow(
        '--output-schema: the JSON Schema',
      );
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  test('holds no secret of ours when it goes to the model', async () => {
    const secret = 'key-0123456789abcdef';
    const read = await loadOutputSchema(
      JSON.stringify({ type: 'object', description: `say ${secret}` }),
      base,
      outgoing([secret]),
    );
    expect(JSON.stringify(read?.schema)).not.toContain('0123456789');
  });
});

describe.each(modes)('an agent, %s', (mode: Mode) => {
  const good: Step = { answer: says('Done:\n```json\n{"done":true}\n```') };

  test('answers in the form, and is not told to write for people', async () => {
    await using scene = await setAgent(mode, [good], { outputSchema: schema });
    expect(await scene.play()).toMatchObject({ stopReason: 'completed', structuredOutput: { done: true } });
    const system = textOf(scene.model.requests[0]?.messages[0]?.content ?? []);
    expect(system).toContain(`# Your last message\nA program reads it`);
    expect(system.endsWith(schema)).toBe(true);
    expect(system).not.toContain('write Markdown');
  });

  test('in plan mode writes its plan for people', async () => {
    await using scene = await setAgent(mode, [{ answer: says('1. Mend it.') }], { outputSchema: schema, planMode: 'plan' });
    expect(await scene.play()).toMatchObject({ stopReason: 'completed', finalMessage: '1. Mend it.' });
    const system = textOf(scene.model.requests[0]?.messages[0]?.content ?? []);
    expect(system).toContain('write Markdown');
    expect(system).not.toContain(schema);
  });

  test('has sub-agents that report in words', async () => {
    await using scene = await setAgent(mode, [{ answer: calls(taskCall('t', 'Look.', { agent: 'child' })) }, good], {
      outputSchema: schema,
      children: { child: [{ answer: says('I looked.') }] },
    });
    expect(await scene.play()).toHaveProperty('structuredOutput', { done: true });
    const [asked] = scene.children.child?.requests ?? [];
    expect(asked).not.toHaveProperty('outputSchema');
    expect(textOf(asked?.messages[0]?.content ?? [])).not.toContain(schema);
    expect(scene.heard(0)).toContain('I looked.');
  });

  test('is checked when its work is verified: the answer after the last run of verify_command is the one that counts', async () => {
    const mends: Step = { answer: calls(call('w', 'write_file', { path: 'mended', content: 'x\n' })) };
    const edits: Step = { answer: calls(call('v', 'write_file', { path: 'other', content: 'x\n' })) };
    await using scene = await setAgent(
      mode,
      [edits, good, mends, { answer: says('Mended.') }, { answer: says('{"done":false}') }],
      {
        outputSchema: schema,
        settings: { verifyCommand: 'test -f mended' },
      },
    );
    const result = await scene.play();
    expect(result).toMatchObject({
      stopReason: 'completed',
      structuredOutput: { done: false },
      finalMessage: '{"done":false}',
      turns: 5,
    });
    expect(result.error).toBeUndefined();
    expect(result.notes).toEqual(['`test -f mended` (verify_command) passed.']);
    expect(scene.model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'auto', 'auto', 'none']);
  });
});
