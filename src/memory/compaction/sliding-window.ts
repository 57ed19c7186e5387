// The compactor that counts messages and asks no model.
import type { Compactor } from './compactor.ts';
import { createMemo } from './memo.ts';
import { parseRatios, parseWhole } from './options.ts';
import { compactMechanically } from './token-budget.ts';

export interface SlidingWindowOptions {
  /** Of the view, system prompt included. Default 100. */
  readonly maxMessages?: number | undefined;
}

/**
 * Cuts when the view has more messages than `maxMessages`, down to a half, and whenever it would take more of the window than the other
 * compactors allow. The last exchange stays whole however many messages it has. Throws COMPACTION_BAD_OPTION.
 */
export function createSlidingWindowCompactor({ maxMessages = 100 }: SlidingWindowOptions = {}): Compactor {
  const most = Number.MAX_SAFE_INTEGER;
  const rules = {
    ...parseRatios({}),
    maxMessages: parseWhole('maxMessages', maxMessages, { least: 1, most }),
    memo: createMemo(),
  };
  return {
    async compact(input, context) {
      context.signal.throwIfAborted();
      return compactMechanically(input, rules, 'sliding_window');
    },
  };
}
