// When something that only one vendor understands may go back.
import type { Origin } from '../schema/message.ts';

/** Same vendor, endpoint and model. */
export function isSameOrigin(a: Origin, b: Origin): boolean {
  return a.provider === b.provider && a.endpoint === b.endpoint && a.model === b.model;
}
