// The compactor that lets a model write the summary, and cuts without one when it writes none. The default of the project.
import type { Compacted, CompactionInput } from '../../schema/compaction.ts';
import { addUsage } from '../../schema/message.ts';
import type { CallContext } from '../../schema/model-call.ts';
import { longestTimerMs } from '../../schema/system-clock.ts';
import { askForSummary, type SummaryAnswer } from './ask-for-summary.ts';
import type { Compactor, SummaryProvider } from './compactor.ts';
import { createMemo } from './memo.ts';
import { parseRatios, parseWhole, type RatioOptions } from './options.ts';
import { applyCut, planCompaction, type Rules } from './plan.ts';
import { buildSummaryRequest, parseTemplate } from './summary-request.ts';
import { writtenSummary } from './summary-text.ts';
import { createTokenBudgetCompactor } from './token-budget.ts';

export interface SummarizationOptions extends RatioOptions {
  readonly provider: SummaryProvider;
  /** The request in own words: `{{conversation}}` and `{{previous_summary}}` are filled in. */
  readonly template?: string | undefined;
  /** Of one summary call. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** What cuts when the model writes no summary. Default: by the token budget, with the same ratios. */
  readonly fallback?: Compactor | undefined;
}

const strategy = 'summarization';

/**
 * Asks the model once a cut; each summary extends the one before. A cut frees at least a tenth of the budget, so a run that appends T tokens
 * asks at most T / (0.1 × budgetRatio × contextWindow) times. Throws COMPACTION_BAD_TEMPLATE, COMPACTION_BAD_OPTION.
 */
export function createSummarizationCompactor(options: SummarizationOptions): Compactor {
  const template = parseTemplate(options.template);
  const ratios = parseRatios(options);
  const rules: Rules = { ...ratios, maxMessages: Number.POSITIVE_INFINITY, memo: createMemo() };
  const timeoutMs = parseWhole('timeoutMs', options.timeoutMs ?? 60_000, { least: 1, most: longestTimerMs });
  const mechanical = createTokenBudgetCompactor(ratios);

  return {
    async compact(input, context) {
      context.signal.throwIfAborted();
      const plan = planCompaction(input, rules);
      if (plan.kind === 'done') return plan.compacted;
      const request = input.mustBeFrugal ? undefined : buildSummaryRequest(plan, template);
      const answer = request === undefined ? undefined : await askForSummary(options.provider, request, { timeoutMs, context });
      context.signal.throwIfAborted();
      if (answer?.text !== undefined) return withSpent(applyCut(plan, writtenSummary(plan, answer.text), strategy), answer);
      const compacted = await askFallback(options.fallback, input, context);
      // A fallback of other measure may see nothing to do, or fail; the model would then be asked in vain again and again.
      const cut = compacted?.checkpoint === undefined ? await mechanical.compact(input, context) : compacted;
      return withSpent(afterFallback(cut), answer);
    },
  };
}

/** Undefined when there is none, or when it fails for another reason than the caller's end. */
async function askFallback(
  fallback: Compactor | undefined,
  input: CompactionInput,
  context: CallContext,
): Promise<Compacted | undefined> {
  try {
    return await fallback?.compact(input, context);
  } catch {
    context.signal.throwIfAborted();
    return undefined;
  }
}

function afterFallback(compacted: Compacted): Compacted {
  const { record } = compacted;
  return { ...compacted, record: record === undefined ? undefined : { ...record, strategy: `${strategy}>${record.strategy}` } };
}

/** With what the summary took, whether it was one or not. */
function withSpent(compacted: Compacted, answer: SummaryAnswer | undefined): Compacted {
  const { usage, origin } = compacted;
  const spent = answer?.usage;
  const sum = spent !== undefined && usage !== undefined ? addUsage(spent, usage) : (spent ?? usage);
  return { ...compacted, usage: sum, origin: answer?.origin ?? origin };
}
