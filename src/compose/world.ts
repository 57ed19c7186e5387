// The real world: the only place where clock, random, environment, network and output of this process are taken.
import { randomBytes } from 'node:crypto';
import { scrubOwnEnvironment } from '../sandbox/scrub-environment.ts';
import { systemClock } from '../schema/system-clock.ts';
import type { World } from '../schema/world.ts';

/** The World of this process. Called by the entries, once. */
export function processWorld(): World {
  // Whoever reads /proc/<us>/environ must not find the keys there (C2); process.env stays as it is.
  scrubOwnEnvironment(process.env);
  return {
    clock: systemClock,
    randomHex: (bytes) => randomBytes(bytes).toString('hex'),
    env: process.env,
    fetch: globalThis.fetch,
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
  };
}

/** A number from 0 up to 1. 6 bytes are 48 bits: exact in a double. */
export function randomFraction(randomHex: World['randomHex']): number {
  return Number.parseInt(randomHex(6), 16) / 2 ** 48;
}
