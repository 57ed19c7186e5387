// One model call: the outgoing view (compacted, repaired, with its tail), the estimate before, the count after. Does not read the answer.
import { messageOf } from '../schema/error.ts';
import { type Message, type ToolDefinition, textPart } from '../schema/message.ts';
import { untilAborted } from './abort.ts';
import type { ModelOutcome } from './emitter.ts';
import type { CallContext, ModelRequest } from './ports.ts';
import type { Run } from './run-state.ts';

/** What one call differs in. `reminder` is the one message that may stand at the very end, outgoing only. */
interface Ask {
  readonly turn: number;
  readonly context: CallContext;
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: 'auto' | 'none';
  readonly reminder: string | undefined;
}

/** Asks the model and counts the turn. Never rejects for a failed call; one that is called off before it is made counts nowhere. */
export async function askModel(run: Run, ask: Ask): Promise<ModelOutcome> {
  const request = await buildRequest(run, ask);
  const { signal } = ask.context;
  if (signal.aborted) return { kind: 'failed', error: signal.reason, textSoFar: '' };
  const estimated = run.meter.estimate(request.messages, request.tools);
  const { contextWindow } = run.settings;
  run.emit({ type: 'token_update', turn: ask.turn, data: { kind: 'estimated', tokens: estimated, contextWindow } });
  run.progress.turns = ask.turn;
  const outcome = await run.generate(request, ask.context, ask.turn);
  if (outcome.kind === 'failed') {
    run.meter.record(estimated, undefined, undefined);
    return outcome;
  }
  run.meter.record(estimated, outcome.message, outcome.usage);
  const actual = outcome.usage?.inputTokens ?? 0;
  if (actual > 0) run.emit({ type: 'token_update', turn: ask.turn, data: { kind: 'actual', tokens: actual, contextWindow } });
  run.progress.model = outcome.message.origin?.model ?? run.progress.model;
  return outcome.usage === undefined ? outcome : { ...outcome, message: { ...outcome.message, usage: outcome.usage } };
}

async function buildRequest(run: Run, ask: Ask): Promise<ModelRequest> {
  const full = [run.system, ...run.history.messages];
  const view = run.settings.repairHistory(await compacted(run, ask, full));
  const tail = outgoingTail(run, ask);
  return { messages: [...view, ...tail], tools: ask.tools, toolChoice: ask.toolChoice, tailStart: view.length };
}

/** The compactor's view, or all of it when there is none or it fails: a request that is too long is still worth the try. */
async function compacted(run: Run, ask: Ask, messages: readonly Message[]): Promise<readonly Message[]> {
  const { compactor, contextWindow, log } = run.settings;
  if (compactor === undefined) return messages;
  try {
    const work = compactor.compact(
      {
        messages,
        checkpoint: undefined,
        contextWindow,
        measure: (some) => run.meter.estimate(some, []),
        otherTokens: run.meter.estimate([], ask.tools),
        isOverflow: false,
      },
      ask.context,
    );
    const view = await untilAborted(work, ask.context.signal);
    if (view.record !== undefined) run.emit({ type: 'compaction', turn: ask.turn, data: view.record });
    return view.messages;
  } catch (error) {
    if (!ask.context.signal.aborted) log(`warning=compaction_failed error=${messageOf(error)}`);
    return messages;
  }
}

/** The open answer, then what the tail port adds, then at most one reminder. A paused answer must stay the last message. */
function outgoingTail(run: Run, ask: Ask): readonly Message[] {
  const { held } = run.progress;
  const reminder: readonly Message[] = ask.reminder === undefined ? [] : [{ role: 'user', content: [textPart(ask.reminder)] }];
  if (held === undefined) return [...run.settings.tail(ask.turn), ...reminder];
  if (held.isPaused) return [held.message, ...reminder];
  return [held.message, ...run.settings.tail(ask.turn), ...reminder];
}
