// One model call for a summary, and the judgement whether its answer is one. What is done without it is not its matter.
import { completeUsage, type Message, noUsage, type Origin, textOf, type Usage } from '../../schema/message.ts';
import type { CallContext } from '../../schema/model-call.ts';
import { estimateText, estimateTokens } from '../../schema/token-estimate.ts';
import { untilAborted } from '../../schema/until-aborted.ts';
import type { SummaryProvider } from './compactor.ts';

/** `text` is undefined when there is no summary to be had: the call failed, came too late, or its answer is none. */
export interface SummaryAnswer {
  readonly text: string | undefined;
  readonly usage: Usage | undefined;
  /** Of the model that was paid. */
  readonly origin: Origin | undefined;
}

/** A summary of less than one in so many tokens of what it stands for leaves out what matters… */
const densestSummary = 50;
/** …but a few sentences always do, and less than one never does. */
const enoughTokens = 60;
const leastTokens = 12;

/** Headings, list marks, punctuation and words that stand for nothing: what is left is what a summary says. */
const emptyWords =
  /^\s*#.*$|\b(?:n\/a|none|nothing|empty|content|unknown|tbd|todo|ok(?:ay)?|null|undefined|summary)\b|[^\p{L}\p{N}]+/gimu;

/** Asks within the time. Never rejects: whatever went wrong, the history is cut without a model then, unless the run was called off. */
export async function askForSummary(
  provider: SummaryProvider,
  messages: readonly Message[],
  { timeoutMs, context }: { readonly timeoutMs: number; readonly context: CallContext },
): Promise<SummaryAnswer> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const request = { messages, tools: [], toolChoice: 'none', tailStart: 1 } as const;
    const { message, usage } = await untilAborted(provider.generate(request, { ...context, signal }), signal);
    const asked = estimateTokens(messages, []);
    const paid = completeUsage(usage, { inputTokens: asked, outputTokens: estimateTokens([message], []) });
    return { text: summaryOf(message, asked), usage: paid, origin: message.origin };
  } catch {
    return { text: undefined, usage: signal.aborted ? ofRequest(messages) : undefined, origin: undefined };
  }
}

/** Of what was called off nobody knows how far it had come: its request counts. */
function ofRequest(messages: readonly Message[]): Usage {
  return { ...noUsage, inputTokens: estimateTokens(messages, []) };
}

/** The text when it says enough for what it stands for. */
function summaryOf(message: Message, requestTokens: number): string | undefined {
  if (message.finishReason === 'refusal' || message.finishReason === 'content_filter') return undefined;
  const text = textOf(message.content).trim();
  const said = estimateText(text.replaceAll(emptyWords, ' '));
  const wanted = Math.min(Math.max(requestTokens / densestSummary, leastTokens), enoughTokens);
  return said < wanted ? undefined : text;
}
