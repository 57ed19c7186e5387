// Whatever comes in the event file: an event of the union, or one clear refusal; and what is read is decided on, never a crash.
import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import { decideTrigger } from '../../../src/github/event/decide-trigger.ts';
import { parseEvent } from '../../../src/github/event/parse-event.ts';
import { Harness9Error } from '../../../src/schema/error.ts';
import { gitHubEventSchema } from '../../../src/schema/github-event.ts';
import { run, settingsWith } from './gate-fixtures.ts';

interface Example {
  readonly name: string;
  readonly examples: readonly object[];
}
const published: readonly Example[] = createRequire(import.meta.url)('@octokit/webhooks-examples');
const names = [...published.map(({ name }) => name), 'pull_request_target', 'schedule', 'workflow_call', 'merge_group'];
const payloads = published.flatMap(({ examples }) => examples);

/** What came of it; anything but a refusal of ours goes through. */
function readAs(name: string, payload: unknown): 'event' | string {
  try {
    const event = parseEvent(name, payload);
    expect(gitHubEventSchema.parse(event)).toEqual(event);
    for (const prompt of [null, 'Review it.']) decideTrigger(event, settingsWith({ prompt }), run);
    return 'event';
  } catch (error) {
    if (error instanceof Harness9Error) return error.code;
    throw error;
  }
}

/** A small generator with a seed, so that a failure is found again. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const odd: readonly unknown[] = [undefined, null, '', 'x', 0, -1, 1.5, true, [], {}, [null], { id: null }];

/** One field of it, at any depth, is something else. */
function damage(payload: object, random: (below: number) => number): unknown {
  const copy: unknown = structuredClone(payload);
  let at: unknown = copy;
  for (let depth = 0; depth < 4; depth += 1) {
    if (typeof at !== 'object' || at === null) break;
    const keys = Object.keys(at);
    const key = keys[random(keys.length)];
    if (key === undefined) break;
    const inner: unknown = Reflect.get(at, key);
    if (typeof inner !== 'object' || inner === null || random(3) === 0) {
      Reflect.set(at, key, odd[random(odd.length)]);
      break;
    }
    at = inner;
  }
  return copy;
}

describe('a payload', () => {
  test('of any event under the name of any other is an event or a refusal', () => {
    const random = createRandom(9);
    const results = new Set(
      names.flatMap((name) => Array.from({ length: 12 }, () => readAs(name, payloads[random(payloads.length)]))),
    );
    expect([...results].sort()).toEqual(['EVENT_MALFORMED', 'event']);
  });

  test('of an event as GitHub publishes it is read under its own name', () => {
    const results = published.flatMap(({ name, examples }) => examples.map((payload) => [name, readAs(name, payload)]));
    expect(results.filter(([, result]) => result !== 'event')).toEqual([]);
    const pulls = published.find(({ name }) => name === 'pull_request')?.examples ?? [];
    expect(new Set(pulls.map((payload) => readAs('pull_request_target', payload)))).toEqual(new Set(['event']));
  });

  test('with one field damaged is an event or a refusal', () => {
    const random = createRandom(27);
    const results = new Set<string>();
    for (const { name, examples } of published) {
      for (const payload of examples) {
        for (let turn = 0; turn < 12; turn += 1) results.add(readAs(name, damage(payload, random)));
      }
    }
    expect([...results].sort()).toEqual(['EVENT_MALFORMED', 'event']);
  });

  test.each(names)('that is none is refused or skipped: %s', (name) => {
    const results = odd.map((payload) => readAs(name, payload));
    expect(results.every((result) => result === 'event' || result === 'EVENT_MALFORMED')).toBe(true);
  });
});
