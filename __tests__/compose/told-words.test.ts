// The words of a model that answers whole, as events of the turn that they belong to.
import { describe, expect, test } from '@jest/globals';
import { composeEngine } from '../../src/compose/engine.ts';
import { tellWords } from '../../src/compose/told-words.ts';
import type { ModelRequest } from '../../src/engine/ports.ts';
import { createPrices } from '../../src/provider/prices.ts';
import { textPart } from '../../src/schema/message.ts';
import type { EngineEvent } from '../../src/schema/run.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import { registryOf } from '../engine/ports.ts';
import { call, calls, readAll, ScriptedModel, type Step, says } from '../engine/scripted-model.ts';
import { goodSummary } from '../memory/compaction/summary-model.ts';

const looks: readonly Step[] = [
  { answer: { ...calls(call('c1', 'look')), content: [textPart('I look.')] } },
  { answer: calls(call('c2', 'look', { again: true })) },
];
const ends: readonly Step[] = [{ answer: says('All is well.') }];

function setUp(steps: readonly Step[], onEvent: (event: EngineEvent) => void, seen = 'a tree') {
  return composeEngine({
    provider: new ScriptedModel(steps),
    servingOrigin: () => ({ provider: 'openai', endpoint: '', model: 'gpt-x' }),
    prices: createPrices(systemClock.now),
    registry: registryOf({ look: { run: () => seen } }),
    workDir: '/w',
    promptBuilder: { build: () => 'You look.' },
    limits: { maxTurns: 0, timeoutMs: 0, maxTokensTotal: null, maxCostUsd: null },
    onEvent,
    world: { clock: systemClock },
    log: () => undefined,
  });
}

/** The events in short; increments that follow each other are one. */
function story(events: readonly EngineEvent[]): string {
  const lines = events.map((event) => `${event.turn} ${event.type}${event.type === 'action_delta' ? `: ${event.data}` : ''}`);
  return lines.join('\n').replaceAll(/(?<=^(\d+) action_delta: .*)\n\1 action_delta: /gm, '');
}

test('both modes tell the same words at the same places', async () => {
  const whole: EngineEvent[] = [];
  await setUp([...looks, ...ends], (event) => whole.push(event)).run('go');
  const streamed: EngineEvent[] = [];
  await readAll(setUp([...looks, ...ends], (event) => streamed.push(event)).runStream('go'));
  expect(story(whole)).toBe(story(streamed));
  expect(story(whole)).toMatch(
    /^1 token_update\n1 action_delta: I look\.\n1 tool_start\n[^:]*\n3 action_delta: All is well\.\n3 done$/,
  );
});

test('the summary that a compaction asks for is no word of the conversation', async () => {
  const events: EngineEvent[] = [];
  const long = Array.from({ length: 5 }, (_, turn): Step => ({ answer: calls(call(`c${turn}`, 'look', { turn })) }));
  await setUp([...long, { answer: says(goodSummary) }, ...ends], (event) => events.push(event), 'tree '.repeat(25_000)).run('go');
  expect(story(events)).toContain('6 compaction');
  expect(story(events).match(/.*delta.*/g)).toEqual(['6 action_delta: All is well.']);
});

describe('an answer', () => {
  const request: ModelRequest = { messages: [], tools: [], toolChoice: 'none', tailStart: 0 };

  test('that comes after the end tells nobody; it goes on to whoever asked', async () => {
    const events: EngineEvent[] = [];
    const { provider } = tellWords(new ScriptedModel([{ answer: says('late') }]), (event) => events.push(event));
    const { message } = await provider.generate(request, { signal: AbortSignal.abort(), run: {} });
    expect([message, events]).toEqual([says('late'), []]);
  });

  test('that fails is the failure that it was', async () => {
    const fault = { kind: 'rate_limit', message: 'slow down', retryable: true } as const;
    const { provider } = tellWords(new ScriptedModel([{ fault }]), () => undefined);
    await expect(provider.generate(request, { signal: new AbortController().signal, run: {} })).rejects.toMatchObject({ fault });
  });
});
