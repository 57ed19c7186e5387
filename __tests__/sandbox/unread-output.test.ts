import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { UnreadOutput } from '../../src/sandbox/unread-output.ts';
import { createRandom, type Random } from '../tools/random.ts';

/** Adds and reads by turns, at random. */
async function addAndRead(output: UnreadOutput, random: Random): Promise<{ added: Buffer[]; read: Buffer[] }> {
  const [added, read]: [Buffer[], Buffer[]] = [[], []];
  for (let step = 0; step < 100; step += 1) {
    const chunk = Buffer.alloc(random.below(40_000), step);
    if (random.below(2) === 0) {
      added.push(chunk);
      output.add(chunk);
    } else {
      const heard: Buffer | null = output.read(random.pick([Number.NaN, 1, 30_000]));
      read.push(heard ?? Buffer.of());
    }
    if (random.below(3) === 0) await nextTurn();
  }
  return { added, read };
}

describe('UnreadOutput', () => {
  test('gives in order and whole what was added, whatever the reader asks for, and counts what waits', async () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const output = new UnreadOutput();
      const { added, read } = await addAndRead(output, createRandom(seed));
      output.finish();
      for await (const chunk of output) read.push(chunk);
      expect([Buffer.concat(read).equals(Buffer.concat(added)), output.costBytes]).toEqual([true, 0]);
    }
  });

  test('without a reader it costs what waits, and small chunks cost more than their bytes', async () => {
    const output = new UnreadOutput();
    for (let count = 0; count < 1000; count += 1) output.add(Buffer.alloc(1000));
    expect(output.costBytes).toBeGreaterThan(1_000_000);
    const tiny = new UnreadOutput();
    for (let count = 0; count < 1000; count += 1) tiny.add(Buffer.alloc(1));
    expect(tiny.costBytes).toBeGreaterThan(100_000);
  });

  test('a reader that destroys it lets go of everything, and of all that comes later', async () => {
    const output = new UnreadOutput();
    output.add(Buffer.alloc(1_000_000));
    output.destroy();
    await nextTurn();
    output.add(Buffer.alloc(1_000_000));
    output.finish();
    expect(output.costBytes).toBe(0);
  });
});
