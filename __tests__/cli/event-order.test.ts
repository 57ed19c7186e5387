// The events of a run are the same in both modes, and `stream-json` is those events: compared as whole lists.
import { describe, expect, test } from '@jest/globals';
import { createReporter } from '../../src/cli/report.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { ToolRegistry } from '../../src/engine/ports.ts';
import { createScriptedProvider } from '../../src/provider/scripted/scripted-provider.ts';
import type { EngineEvent } from '../../src/schema/run.ts';
import type { Clock } from '../../src/schema/world.ts';

/** Time stands still, so that durations are the same in both modes. */
const clock: Clock = {
  now: () => new Date(0),
  monotonicMs: () => 0,
  sleep: (_ms, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
};

const registry: ToolRegistry = {
  getAvailableTools: () =>
    (['look', 'change'] as const).map((name) => ({
      name,
      description: name,
      inputSchema: { type: 'object', properties: {} },
      place: 'main',
      effect: name === 'look' ? 'read' : 'write',
    })),
  execute: async ({ id, name }) => ({
    toolCallId: id,
    output: [{ type: 'text', text: `${name} is done` }],
    isError: name === 'change',
  }),
};

const usage = { inputTokens: 10, outputTokens: 5 };
const calls = [{ name: 'look' }, { name: 'change' }, { name: 'nothing' }];
const fault = { kind: 'bad_request', message: 'no', retryable: false };

const scripts: readonly (readonly [string, object])[] = [
  ['an answer', { turns: [{ text: 'Hello there.', usage }] }],
  [
    'calls, one of them failing and one unknown',
    {
      turns: [
        { text: 'Working on it.', calls, usage },
        { text: 'Done.', usage },
      ],
    },
  ],
  [
    'calls without a word, and no usage',
    { turns: [{ calls: [{ name: 'look' }] }, { calls: [{ name: 'change' }] }, { text: 'Done.' }] },
  ],
  ['a refusal', { turns: [{ text: 'No.', finish: 'refusal' }] }],
  ['a failing call', { turns: [{ calls, usage }, { fault }] }],
  ['a limit', { turns: [{ calls }, { calls }, { text: 'Half done.' }] }],
];

function engineOf(script: object, onEvent?: (event: EngineEvent) => void) {
  return createEngine(createScriptedProvider(script), registry, '/work', { clock, maxTurns: 3, onEvent });
}

async function streamOf(script: object, mode: 'default' | 'plan' | 'auto_edit'): Promise<readonly EngineEvent[]> {
  const engine = engineOf(script);
  engine.setPlanMode(mode);
  const events: EngineEvent[] = [];
  for await (const event of engine.runStream('go')) events.push(event);
  return events;
}

/** What a blocking call does not have: the increments of its text. */
const withoutDeltas = (events: readonly EngineEvent[]) =>
  events.filter(({ type }) => type !== 'action_delta' && type !== 'thinking_delta');

describe.each(['default', 'plan', 'auto_edit'] as const)('in the mode %s', (mode) => {
  test.each(scripts)('%s: both modes tell the same, in the same order', async (_name, script) => {
    const told: EngineEvent[] = [];
    const engine = engineOf(script, (event) => told.push(event));
    engine.setPlanMode(mode);
    const result = await engine.run('go');
    const streamed = await streamOf(script, mode);
    expect(withoutDeltas(streamed)).toEqual(told);
    expect(told.at(-1)).toEqual({ type: result.stopReason === 'error' ? 'error' : 'done', turn: result.turns, data: result });
    expect(streamed.filter(({ type }) => type === 'done' || type === 'error')).toHaveLength(1);
  });

  test.each(scripts)('%s: stream-json is the stream', async (_name, script) => {
    const streamed = await streamOf(script, mode);
    const lines: string[] = [];
    const output = { stdout: (text: string) => void lines.push(text), stderr: () => undefined };
    const reporter = createReporter('stream-json', output, { env: {}, redact: (text) => text });
    for (const event of streamed) reporter.event(event);
    expect(lines).toEqual(streamed.map((event) => `${JSON.stringify(event)}\n`));
  });
});
