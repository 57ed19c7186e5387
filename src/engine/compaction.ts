// What of the history goes out: all of it, or what the compactor makes of it. A compaction is kept until a call has succeeded with it.
import { messageOf } from '../schema/error.ts';
import { isComment, type Message, type ToolDefinition, textPart } from '../schema/message.ts';
import type { CompactionRecord } from '../schema/run.ts';
import { untilAborted } from '../schema/until-aborted.ts';
import { fitsOneMore } from './guard.ts';
import type { CallContext, Compacted, Compactor, ModelRequest } from './ports.ts';
import { repairHistory } from './repair-history.ts';
import type { Run } from './run-state.ts';

/** What is worth an event: more than this share of the tokens saved (spec §3.3). */
const worthTelling = 0.05;

/** The turn that a view is for, and what its request has besides the history. `isLast`: the run ends with it. */
export interface ViewInput {
  readonly turn: number;
  readonly context: CallContext;
  readonly tools: readonly ToolDefinition[];
  readonly tail: readonly Message[];
  readonly isLast: boolean;
}

/** The system prompt and the history as they are sent, valid for every provider. */
export async function outgoingView(run: Run, input: ViewInput): Promise<readonly Message[]> {
  const { view } = run.progress;
  // A second compaction before the first one was tried would go by numbers that are not true any more (G6-09).
  if (view !== undefined) return repairHistory([...view.messages, ...run.history.messages.slice(view.length)]);
  return repairHistory(await compact(run, input));
}

/** Compacts once more, for a request that was refused as too long. False when nothing became smaller: the same would be refused again. */
export async function makeSmaller(
  run: Run,
  refused: ModelRequest,
  { turn, context }: Pick<ViewInput, 'turn' | 'context'>,
): Promise<boolean> {
  const { meter } = run;
  const { messages, tools, tailStart } = refused;
  const [before, tail] = [messages.slice(0, tailStart), messages.slice(tailStart)];
  meter.refuse(refused);
  const view = repairHistory(await compact(run, { turn, context, tools, tail, isLast: false }, before));
  meter.expectOnly([...view, ...tail], tools);
  return meter.estimate(view, []) < meter.estimate(before, []);
}

/** The messages that a run begins with, as far as is known before its first view: of what a checkpoint covers the first task alone. */
export function expectedView({ settings, history, system }: Run): readonly Message[] {
  const { checkpoint, messages } = history;
  if (checkpoint === undefined || settings.compactor === undefined) return [system, ...messages];
  const summary: Message = { role: 'user', content: [textPart(checkpoint.summary)] };
  const covered = messages.slice(0, checkpoint.coversMessages);
  return [system, ...covered.filter(isComment).slice(0, 1), summary, ...messages.slice(covered.length)];
}

/**
 * The compactor's view, or all of it when there is none or it fails: a request that is too long is still worth the try. `refused`: the view
 * that was too long.
 */
async function compact(run: Run, input: ViewInput, refused?: readonly Message[]): Promise<readonly Message[]> {
  const { compactor, log } = run.settings;
  const all = [run.system, ...run.history.messages];
  if (compactor === undefined) return all;
  try {
    const isOverflow = refused !== undefined;
    const compacted = await askCompactor(run, compactor, { ...input, messages: all, isOverflow });
    const record = isOverflow ? recordOfRetry(run, refused, compacted) : compacted.record;
    await keep(run, input.turn, { ...compacted, record });
    if (compacted.checkpoint !== undefined || isOverflow) {
      run.progress.view = { messages: compacted.messages, length: run.history.messages.length };
    }
    return compacted.messages;
  } catch (error) {
    if (!input.context.signal.aborted) log(`warning=compaction_failed error=${messageOf(error)}`);
    return all;
  }
}

async function askCompactor(
  { meter, history, settings }: Run,
  compactor: Compactor,
  {
    messages,
    isOverflow,
    tail,
    tools,
    context,
    isLast,
  }: ViewInput & { readonly messages: readonly Message[]; readonly isOverflow: boolean },
): Promise<Compacted> {
  const declared = settings.contextWindow();
  const mustBeFrugal = isLast || !fitsOneMore(meter.budgets);
  if (!mustBeFrugal) meter.holdOneMore();
  const work = compactor.compact(
    {
      messages,
      checkpoint: history.checkpoint,
      contextWindow: isOverflow ? meter.retryWindow(declared) : meter.windowWithin(declared),
      measure: (some) => meter.estimate(some, []),
      otherTokens: meter.estimate(tail, tools),
      isOverflow,
      mustBeFrugal,
    },
    context,
  );
  return await untilAborted(work, context.signal);
}

/** What a compaction leaves behind: what it spent, its checkpoint, and the news of it. */
async function keep(run: Run, turn: number, { usage, origin, checkpoint, record }: Compacted): Promise<void> {
  if (usage !== undefined) run.meter.spend(usage, origin);
  if (checkpoint !== undefined) await run.history.keepCheckpoint(checkpoint);
  if (record !== undefined && isWorthTelling(record)) run.emit({ type: 'compaction', turn, data: record });
}

/** Against what was sent, which the compactor does not know: it was made for a window that was thought to be larger. */
function recordOfRetry({ meter }: Run, refused: readonly Message[], { record, messages }: Compacted): CompactionRecord {
  return {
    strategy: record?.strategy ?? 'shortened',
    tokensBefore: meter.estimate(refused, []),
    tokensAfter: meter.estimate(messages, []),
    messagesBefore: refused.length,
    messagesAfter: messages.length,
  };
}

function isWorthTelling({ tokensBefore, tokensAfter }: CompactionRecord): boolean {
  return tokensBefore - tokensAfter > tokensBefore * worthTelling;
}
