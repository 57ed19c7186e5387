// A run that is called off, or left, at any step: it ends with a valid result and a valid history, and everybody is told.
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import { createLongRun, expectWhole, faultsOf } from './long-run.ts';
import { type Mode, modes } from './scene.ts';

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Aborts after so many rounds of the event loop and then so many promises. */
async function abortAt(controller: AbortController, rounds: number, promises: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await later();
  for (let step = 0; step < promises; step += 1) await null;
  controller.abort(new Error('enough'));
}

/** The run takes three rounds, and fewer promises than this in any of them. */
function* moments(): Iterable<readonly [rounds: number, promises: number]> {
  for (const rounds of [0, 1, 2]) for (let promises = 0; promises < 350; promises += 3) yield [rounds, promises];
  yield [20, 0];
}

describe.each(modes)('%s', (mode: Mode) => {
  test('called off after any number of rounds and promises', async () => {
    await expectWhole(mode);
    const seen = new Set<string>();
    for (const [rounds, promises] of moments()) {
      const run = createLongRun();
      const controller = new AbortController();
      const [result] = await Promise.all([run.play(mode, controller.signal), abortAt(controller, rounds, promises)]);
      expect([rounds, promises, ...faultsOf(run, result, undefined)]).toEqual([rounds, promises]);
      const { stopReason, turns, usage } = result;
      expect(turns).toBe(run.model.requests.length);
      expect(usage.inputTokens).toBeLessThanOrEqual(turns * 10);
      expect(['cancelled', 'completed']).toContain(stopReason);
      expect(run.session.messages.length > 0 || turns === 0).toBe(true);
      seen.add(`${stopReason} ${turns}`);
    }
    expect([...seen].sort()).toEqual(expect.arrayContaining(['cancelled 0', 'cancelled 1', 'cancelled 4', 'completed 8']));
  });

  test('called off any number of promises after any event of its last turns', async () => {
    const count = await expectWhole(mode);
    const seen = new Set<string>();
    for (let at = Math.floor(count / 2); at <= count; at += 1) {
      for (let promises = 0; promises < 120; promises += 5) {
        const run = createLongRun();
        const controller = new AbortController();
        const push = run.events.push.bind(run.events);
        run.events.push = (event) => {
          const length = push(event);
          if (length === at) void abortAt(controller, 0, promises);
          return length;
        };
        const result = await run.play(mode, controller.signal);
        expect([at, promises, ...faultsOf(run, result, undefined)]).toEqual([at, promises]);
        seen.add(`${result.stopReason} ${result.turns}`);
      }
    }
    expect([...seen]).toEqual(
      expect.arrayContaining(['cancelled 5', 'cancelled 6', 'cancelled 7', 'cancelled 8', 'completed 8']),
    );
  });
});

const leave: Readonly<Record<string, (controller: AbortController) => boolean>> = {
  break: () => true,
  abort: (controller) => {
    controller.abort();
    return false;
  },
  throw: () => {
    throw new Error('the reader fails');
  },
};

test.each(Object.entries(leave))('a stream that is left by %s at any event', async (_how, isOver) => {
  const count = await expectWhole('runStream');
  for (let at = 1; at <= count; at += 1) {
    const run = createLongRun();
    const controller = new AbortController();
    const engine = createEngine(run.model, run.registry, '/w', run.options);
    let seen = 0;
    const read = async (): Promise<void> => {
      for await (const _event of engine.runStream('go', controller.signal)) {
        seen += 1;
        if (seen === at && isOver(controller)) return;
      }
    };
    await read().catch((error: unknown) => expect(error).toEqual(new Error('the reader fails')));
    expect([at, ...faultsOf(run, undefined, undefined)]).toEqual([at]);
  }
});
