import { describe, expect, test } from '@jest/globals';
import { createSlots } from '../../src/schema/slots.ts';
import { settled } from '../engine/ports.ts';
import { createRandom, type Random } from '../tools/random.ts';

interface Piece {
  readonly id: number;
  readonly off: AbortController;
  readonly end: () => void;
  state: 'waiting' | 'running' | 'ended' | 'called off';
}

/** Pieces of work that a test ends. */
function setUp(limit: number) {
  const slots = createSlots(limit);
  const pieces: Piece[] = [];
  const begun: number[] = [];
  const add = (): void => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const piece: Piece = { id: pieces.length, off: new AbortController(), end: resolve, state: 'waiting' };
    pieces.push(piece);
    slots(async () => {
      piece.state = 'running';
      begun.push(piece.id);
      await promise;
    }, piece.off.signal).then(
      () => {
        piece.state = 'ended';
      },
      () => {
        piece.state = 'called off';
      },
    );
  };
  const inState = (state: Piece['state']): readonly Piece[] => pieces.filter((piece) => piece.state === state);
  return { add, pieces, begun, inState };
}

/** One more comes, one that runs ends, or one is called off, in whatever state it is. */
function disturb({ add, pieces, inState }: ReturnType<typeof setUp>, random: Random): void {
  const what = random.below(5);
  if (what < 2 || pieces.length === 0) add();
  else if (what < 4) inState('running')[0]?.end();
  else random.pick(pieces).off.abort();
}

describe('room for some', () => {
  test('whatever ends, waits and is called off, there are as many as there is room for, first come, first served', async () => {
    const random = createRandom(3);
    for (let round = 0; round < 60; round += 1) {
      const limit = 1 + random.below(4);
      const crowd = setUp(limit);
      for (let step = 0; step < 40; step += 1) {
        // Several things may happen in the same moment.
        for (let more = random.below(3); more >= 0; more -= 1) disturb(crowd, random);
        await settled();
        const [running, waiting] = [crowd.inState('running').length, crowd.inState('waiting').length];
        expect(running).toBe(Math.min(limit, running + waiting));
      }
      expect(crowd.begun).toEqual(crowd.begun.toSorted((a, b) => a - b));
    }
  });

  test('work that fails leaves its room', async () => {
    const slots = createSlots(1);
    const { signal } = new AbortController();
    await expect(slots(() => Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(await slots(async () => 'yes', signal)).toBe('yes');
  });

  test('what is called off before it comes is not begun', async () => {
    const slots = createSlots(1);
    const reason = new Error('too late');
    let isBegun = false;
    const work = async () => {
      isBegun = true;
    };
    await expect(slots(work, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect([isBegun, await slots(async () => 'free', new AbortController().signal)]).toEqual([false, 'free']);
  });
});
