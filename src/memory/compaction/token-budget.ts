// The compactor that counts tokens and asks no model.
import type { Compacted, CompactionInput } from '../../schema/compaction.ts';
import type { Compactor } from './compactor.ts';
import { createMemo } from './memo.ts';
import { parseRatios, type RatioOptions } from './options.ts';
import { applyCut, planCompaction, type Rules } from './plan.ts';
import { mechanicalSummary } from './summary-text.ts';

/** Cuts when a request takes more than `budgetRatio` of the window, down to `keepRatio`. Throws COMPACTION_BAD_OPTION. */
export function createTokenBudgetCompactor(options: RatioOptions = {}): Compactor {
  const rules: Rules = { ...parseRatios(options), maxMessages: Number.POSITIVE_INFINITY, memo: createMemo() };
  return {
    async compact(input, context) {
      context.signal.throwIfAborted();
      return compactMechanically(input, rules, 'token_budget');
    },
  };
}

/** A compaction whose summary is read from the history itself. */
export function compactMechanically(input: CompactionInput, rules: Rules, strategy: string): Compacted {
  const plan = planCompaction(input, rules);
  return plan.kind === 'cut' ? applyCut(plan, mechanicalSummary(plan), strategy) : plan.compacted;
}
