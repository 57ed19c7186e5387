// One model call: the request with its outgoing-only tail, the estimate before, the count after. Does not read the answer.
import type { ToolDefinition } from '../schema/message.ts';
import { ProviderError } from '../schema/stream.ts';
import { outgoingView } from './compaction.ts';
import type { ModelOutcome } from './emitter.ts';
import { withFallbacks } from './fallbacks.ts';
import { outgoingTail } from './outgoing-tail.ts';
import { isOverflow, withOverflowAsFailure } from './overflow.ts';
import type { CallContext, ModelRequest } from './ports.ts';
import { soundUsage } from './pricing.ts';
import type { Run } from './run-state.ts';

/** What one call differs in. `reminder` is the one message that may stand at the very end, outgoing only. */
interface Ask {
  readonly turn: number;
  readonly context: CallContext;
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: 'auto' | 'none';
  readonly reminder: string | undefined;
}

/** `request`: what was sent; none when the call was called off before. */
export type Asked = ModelOutcome & { readonly request?: ModelRequest };

/** Asks the model and counts the turn. Never rejects for a failed call; one that is called off before it is made counts nowhere. */
export async function askModel(run: Run, ask: Ask): Promise<Asked> {
  const { turn, context, tools, toolChoice } = ask;
  const tail = outgoingTail(run, ask.reminder);
  const view = await outgoingView(run, { turn, context, tools, tail, isLast: toolChoice === 'none' });
  const form = run.outputSchema === undefined ? {} : { outputSchema: run.outputSchema.schema };
  const request = { messages: [...view, ...tail], tools, toolChoice, tailStart: view.length, ...form };
  run.meter.expectOnly(request.messages, tools, { isLast: toolChoice === 'none' });
  if (context.signal.aborted) return { kind: 'failed', error: context.signal.reason, textSoFar: '' };
  tellTokens(run, turn, 'estimated', run.meter.nextRequest);
  run.progress.turns = turn;
  const given = withSoundUsage(await run.generate(request, context, turn));
  count(run, turn, request, given);
  const outcome = withOverflowAsFailure(given);
  if (outcome.kind === 'failed') return { ...outcome, request };
  const { message, usage } = outcome;
  run.background.answered();
  run.progress.view = undefined;
  run.progress.isRetry = false;
  run.progress.model = message.origin?.model ?? run.progress.model;
  run.progress.fallbacks = withFallbacks(run.progress.fallbacks, outcome);
  for (const text of outcome.notes ?? []) run.note(text);
  return usage === undefined ? outcome : { ...outcome, message: { ...message, usage } };
}

function withSoundUsage(outcome: ModelOutcome): ModelOutcome {
  return outcome.kind === 'answer' ? { ...outcome, usage: soundUsage(outcome.usage) } : outcome;
}

/**
 * A request that was refused costs nothing, and what came of its attempts was counted with them; of what was called off nobody knows how far it
 * had come: its request and what was heard count.
 */
function count(run: Run, turn: number, request: ModelRequest, outcome: ModelOutcome): void {
  if (outcome.kind === 'answer') {
    const { message, usage } = outcome;
    run.meter.record(request, message, usage);
    if (usage !== undefined && usage.inputTokens > 0) tellTokens(run, turn, 'actual', usage.inputTokens);
  } else if (!(outcome.error instanceof ProviderError || isOverflow(outcome.error))) {
    run.meter.recordCalledOff(request, outcome.heard ?? '');
  }
}

function tellTokens(run: Run, turn: number, kind: 'estimated' | 'actual', tokens: number): void {
  const contextWindow = run.settings.contextWindow();
  run.emit({ type: 'token_update', turn, data: { kind, tokens, contextWindow, ...run.meter.cost } });
}
