// What holds for a run holds for its sub-agents: its rules, its hooks around calls, its limits, its redaction, its traces.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { agentWith, taskCall } from '../agents/engine-scene.ts';
import { call, calls, type Step, says } from '../engine/scripted-model.ts';
import { misplaced, startReceiver, treeOf } from '../observe/otel/receiver.ts';
import { type EdgePlace, secret, startEdgePlace } from './edge-place.ts';

let place: EdgePlace;
beforeAll(async () => {
  place = await startEdgePlace();
});
beforeEach(() => place.clear());
afterAll(async () => await place[Symbol.asyncDispose]());

const agent = agentWith({ model: 'child' });
const background = { background: true };
const asks = (more: object = {}): Step => ({ answer: calls(taskCall('t', 'A part.', more)) });
const ends = (text = 'Done.'): Step => ({ answer: says(text) });
const writes = (id: string, file: string) => call(id, 'write_file', { path: file, content: 'x\n' });
const runs = (id: string, command: string) => call(id, 'bash', { command });

describe('a sub-agent', () => {
  test('is held to the rules of its parent, narrowed by its own lists and never widened', async () => {
    const tools = ['write_file(src/**)', 'write_file(docs/**)', 'bash(touch:*)', 'bash(echo:*)'];
    const steps = [
      calls(writes('a', 'src/a'), runs('b', 'touch b'), writes('c', 'c'), writes('d', 'docs/d'), runs('e', 'echo e')),
    ];
    const played = await place.play([asks(), ends()], {
      settings: { permissionRules: 'deny write_file(src/**)\ndeny bash(touch:*)' },
      agents: [agentWith({ model: 'child', tools })],
      children: { child: [...steps.map((answer) => ({ answer })), ends()] },
    });
    expect(played.heard('child')).toEqual({
      a: expect.stringContaining('denied by the rule write_file(src/**)'),
      b: expect.stringContaining('denied by the rule bash(touch:*)'),
      c: expect.stringContaining('the definition of the sub-agent general'),
      d: expect.stringContaining('docs/d'),
      e: expect.stringMatching(/^e\n/),
    });
    expect(['src/a', 'b', 'c', 'docs/d'].filter(place.has)).toEqual(['docs/d']);
  });

  test('is held to the hooks of its parent around each call; of turns and ends they hear the parent’s alone', async () => {
    const note = '{ command: "cat >> told" }';
    const hooks = [
      'PreToolUse:',
      `  - ${note}`,
      '  - { matcher: "bash(touch:*)", command: "echo Not that. >&2; exit 2" }',
      ...['PostToolUse', 'TurnComplete', 'Stop'].flatMap((event) => [`${event}:`, `  - ${note}`]),
    ].join('\n');
    const played = await place.play([asks(), ends()], {
      settings: { hooks },
      agents: [agent],
      children: { child: [{ answer: calls(runs('no', 'touch a')) }, { answer: calls(runs('yes', 'echo b')) }, ends()] },
    });
    expect(played.heard('child').no).toContain('Not that.');
    const told = place
      .read('told')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(told.map(({ event, tool_call_id: id }) => (id === undefined ? event : `${event} ${id}`))).toEqual([
      'PreToolUse t',
      'PreToolUse no',
      'PreToolUse yes',
      'PostToolUse yes',
      'PostToolUse t',
      'TurnComplete',
      'Stop',
      'TurnComplete',
    ]);
    expect(place.has('a')).toBe(false);
  });

  test.each([
    ['of whom a person waits has the person asked, who is told for whom', {}, ['the sub-agent general'], true],
    ['in the background has nobody asked: its call is denied', background, [], false],
  ])('%s', async (_case, more, asked, isRun) => {
    const reasons: string[] = [];
    const played = await place.play([asks(more), ends(), ends()], {
      settings: { permissionRules: 'ask bash(touch:*)' },
      agents: [agent],
      children: { child: [{ answer: calls(runs('a', 'touch a')) }, ends()] },
      approve: async ({ reason }) => {
        reasons.push(reason);
        return { isAllowed: true };
      },
    });
    expect(reasons).toEqual(asked.map((name) => expect.stringContaining(name)));
    expect(place.has('a')).toBe(isRun);
    if (!isRun) expect(played.heard('child').a).toContain('nobody can answer');
  });

  test.each([
    ['it is waited for', {}],
    ['it is in the background, and its report comes past the tools', background],
  ])('has its report redacted where %s', async (_case, more) => {
    const played = await place.play([asks(more), ends(), ends()], {
      agents: [agent],
      children: { child: [ends(`The key is ${secret}.`)] },
    });
    const all = JSON.stringify([played.parent.requests, played.result]);
    expect(all).toContain('The key is ***.');
    expect(all).not.toContain(secret);
  });

  test.each([
    ['its own, where they are fewer', 20, 2, 2],
    ['its parent’s, where it would have more', 3, 10, 3],
    ['its parent’s, where it names none', 3, undefined, 3],
    ['30, where its parent has no limit either', 0, undefined, 30],
  ])('has at most as many turns as %s', async (_case, maxTurns, own, turns) => {
    const looks = Array.from({ length: 40 }, (_, turn): Step => ({ answer: calls(call('r', 'read_file', { path: `${turn}` })) }));
    const played = await place.play([asks(), ends()], {
      agents: [agentWith({ model: 'child', maxTurns: own })],
      children: { child: looks },
      maxTurns,
    });
    expect(played.heard('parent').t).toContain(`[general: max_turns, ${turns} turns`);
  });

  test('is traced below the call that began it', async () => {
    await using receiver = await startReceiver();
    await place.play([asks(), ends()], {
      settings: { otelEndpoint: receiver.url },
      agents: [agent],
      children: { child: [{ answer: calls(runs('a', 'echo a')) }, ends()] },
    });
    const own = [{ turn: [{ 'chat child': [] }, { 'execute_tool bash': [] }] }, { turn: [{ 'chat child': [] }] }];
    expect(treeOf(receiver.spans)).toEqual([
      {
        'invoke_agent harness9': [
          { turn: [{ 'chat gpt-x': [] }, { 'execute_tool task': [{ 'invoke_agent general': own }] }] },
          { turn: [{ 'chat gpt-x': [] }] },
        ],
      },
    ]);
    expect(misplaced(receiver.spans)).toEqual([]);
  });
});

test.each(['read_file(../x)', 'bash()', 'todo_write(x)'])(
  'a definition with the pattern %s, which is no rule, is left out at the start and told',
  async (pattern) => {
    const agents = [
      agentWith({ name: 'allows', tools: [pattern] }),
      agentWith({ name: 'denies', disallowedTools: [pattern] }),
      agentWith({ name: 'right' }),
    ];
    const tries = agents.slice(0, 2).map(({ name }) => taskCall(name, 'A part.', { agent: name }));
    const played = await place.play([{ answer: calls(...tries) }, ends()], { agents });
    expect(played.heard('parent')).toEqual({
      allows: 'task: there is no agent "allows". Agents, the nearest first: right.',
      denies: 'task: there is no agent "denies". Agents, the nearest first: right.',
    });
    const told = ['allows', 'denies'].map((name) => `the definition of the sub-agent ${name}: "${pattern}"`);
    expect(place.log.filter((line) => line.startsWith('[agents]'))).toEqual(told.map((line) => expect.stringContaining(line)));
  },
);
