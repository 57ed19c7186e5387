/** The test's hand: acts on the state as people and runners would, by the same functions that the REST handlers use. */
import type { Hand } from './contract.ts';
import { createPeopleHand } from './hands/people-hand.ts';
import { createPullHand } from './hands/pull-hand.ts';
import { createRunHand } from './hands/run-hand.ts';
import { createThreadHand } from './hands/thread-hand.ts';
import type { Hub } from './hub.ts';

export function createHand(hub: Hub): Hand {
  return { ...createPeopleHand(hub), ...createRunHand(hub), ...createThreadHand(hub), ...createPullHand(hub) };
}
