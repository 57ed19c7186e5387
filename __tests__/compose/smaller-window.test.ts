// A model with a smaller window takes over in the middle of a long conversation: what is compacted then is for its window, and once.
import { expect, test } from '@jest/globals';
import { composeEngine } from '../../src/compose/engine.ts';
import { withFallback } from '../../src/provider/fallback.ts';
import { createPrices } from '../../src/provider/prices.ts';
import type { EngineEvent } from '../../src/schema/run.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import { estimateTokens } from '../../src/schema/token-estimate.ts';
import { registryOf } from '../engine/ports.ts';
import { modes, playIn } from '../engine/scene.ts';
import { call, calls, ScriptedModel, type Step, says } from '../engine/scripted-model.ts';
import { goodSummary } from '../memory/compaction/summary-model.ts';

const originOf = (model: string) => ({ provider: 'openai', endpoint: '', model });
/** Twelve of them are more than twice what the second model takes (what is refused is halved at least), and far from what the first one does. */
const result = 'one two three four '.repeat(8_000);

test.each(modes)('%s', async (mode) => {
  const looks = Array.from({ length: 12 }, (_, at): Step => ({ answer: calls(call(`c${at}`, 'look', { at })) }));
  const first = new ScriptedModel([...looks, { fault: { kind: 'overloaded', message: 'Overloaded', retryable: false } }]);
  const second = new ScriptedModel([
    { fault: { kind: 'context_overflow', status: 400, message: 'too long', retryable: false } },
    { answer: says(goodSummary) },
    { answer: says('All is well.') },
  ]);
  const chain = withFallback(
    [
      { origin: originOf('gpt-4.1'), provider: first },
      { origin: originOf('gpt-4o'), provider: second },
    ],
    () => {},
  );
  const events: EngineEvent[] = [];
  const engine = composeEngine({
    provider: chain,
    servingOrigin: chain.servingOrigin,
    prices: createPrices(systemClock.now),
    registry: registryOf({ look: { run: () => result } }),
    workDir: '/w',
    promptBuilder: { build: () => 'You look.' },
    limits: { maxTurns: 0, timeoutMs: 0, maxTokensTotal: null, maxCostUsd: null },
    onEvent: (event) => events.push(event),
    world: { clock: systemClock },
    log: () => undefined,
  });
  const ended = await playIn(mode, engine, 'Look at all of it.');
  expect(ended).toMatchObject({ stopReason: 'completed', finalMessage: 'All is well.' });
  expect(ended.fallbacks).toEqual([expect.objectContaining({ from: 'gpt-4.1' })]);
  expect(events.filter(({ type }) => type === 'compaction')).toHaveLength(1);
  const [refused, , sent] = second.requests.map(({ messages, tools }) => estimateTokens(messages, tools));
  expect(refused).toBeGreaterThan(2 * 128_000);
  expect(sent).toBeLessThan(128_000);
  const windows = events.flatMap((event) => (event.type === 'token_update' ? [event.data.contextWindow] : []));
  expect([windows[0], windows.at(-1)]).toEqual([1_047_576, 128_000]);
});
