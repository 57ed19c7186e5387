// Whether and where a conversation is cut, and what goes out after it. Pure; who writes the summary is not its matter.
import type { Compacted, CompactionInput } from '../../schema/compaction.ts';
import type { Message } from '../../schema/message.ts';
import type { CompactionRecord } from '../../schema/run.ts';
import type { Checkpoint } from '../../schema/session.ts';
import { estimateText } from '../../schema/token-estimate.ts';
import { partitionPoint } from '../partition-point.ts';
import { type Conversation, cutOf, readConversation } from './conversation.ts';
import type { Memo } from './memo.ts';
import { type Sizes, sizesOf, tightView, viewOf, windowOf } from './view.ts';

/** When the view is too large, as parts of the window and as a number of messages, and how much of it is kept. `memo`: the compactor's. */
export interface Rules {
  readonly budgetRatio: number;
  readonly keepRatio: number;
  readonly maxMessages: number;
  readonly memo: Memo;
}

/** Nothing to cut: `compacted` is the answer. Else what a summary is needed for. */
export type Plan = { readonly kind: 'done'; readonly compacted: Compacted } | ({ readonly kind: 'cut' } & CutPlan);

export interface CutPlan {
  readonly input: CompactionInput;
  readonly conversation: Conversation;
  readonly sizes: Sizes;
  /** What an earlier checkpoint covers in effect, and what the new one will: the messages between are to be summarised. */
  readonly covered: number;
  readonly covers: number;
  readonly previous: string | undefined;
  /** What the summary may take. */
  readonly room: SummaryRoom;
  /** Tokens, as measured, that surely fit the model. */
  readonly space: number;
  readonly before: readonly Message[];
  readonly limit: number;
}

export interface SummaryRoom {
  readonly tokens: number;
  readonly characters: number;
}

interface Size {
  readonly tokens: number;
  readonly messages: number;
}

/** What the view may be, what it shall be once it is cut, and what a cut must free to be worth it. */
interface Goal {
  readonly limit: Size;
  readonly target: Size;
  readonly leastGain: Size;
}

/** A part of the budget that a compaction must free: less would come again and again (G6-09), each time a new prefix for the cache. */
const leastGainShare = 0.1;
/** What a summary may take of the window, and at most: more would be a history by another name. */
const summaryShare = 0.1;
const maxSummary: SummaryRoom = { tokens: 4_000, characters: 8_000 };

/** Looks at the view as it stands and chooses. */
export function planCompaction(input: CompactionInput, rules: Rules): Plan {
  const conversation = readConversation(input.messages, rules.memo);
  const window = windowOf(input.contextWindow);
  const sizes = sizesOf(window, Math.floor(rules.maxMessages / 4));
  const checkpoint = cutOf(input.checkpoint, conversation);
  const covered = checkpoint?.coversMessages ?? 0;
  const current = viewOf(conversation, checkpoint, sizes);
  const goal = goalOf(input, rules);
  const { measure, isOverflow } = input;
  if (!isOverflow && fits(sizeOf(current, measure), goal.limit)) return { kind: 'done', compacted: { messages: current } };

  // What was refused is what went out when nothing could be cut.
  const before = isOverflow ? tightView(conversation, checkpoint, { sizes, limit: goal.limit.tokens, measure }) : current;
  const wanted = isOverflow ? afterRefusal(measure(before), goal) : goal;
  const limit = wanted.limit.tokens;
  const space = isOverflow ? Math.min(window, measure(before)) : window;
  const room = { ...maxSummary, tokens: Math.min(Math.floor(space * summaryShare), maxSummary.tokens) };
  const covers = chooseCut({ conversation, covered, sizes, room, measure }, current, wanted);
  if (covers !== undefined) {
    const previous = checkpoint?.summary;
    return { kind: 'cut', input, conversation, sizes, covered, covers, previous, room, space, before, limit };
  }
  const messages = tightView(conversation, checkpoint, { sizes, limit, measure });
  const record = isOverflow ? recordOf('shortened', { before, after: messages, measure }) : undefined;
  return { kind: 'done', compacted: { messages, record } };
}

/** The answer once there is a summary. */
export function applyCut(plan: CutPlan, summary: string, strategy: string): Compacted {
  const { conversation, sizes, limit, input, before } = plan;
  const { measure } = input;
  // Half a character is refused by vendors, and stores keep another one in its place.
  const checkpoint: Checkpoint = { summary: summary.toWellFormed(), coversMessages: plan.covers };
  const messages = tightView(conversation, checkpoint, { sizes, limit, measure });
  return { messages, checkpoint, record: recordOf(strategy, { before, after: messages, measure }) };
}

function goalOf({ contextWindow, otherTokens }: CompactionInput, { budgetRatio, keepRatio, maxMessages }: Rules): Goal {
  const endless = Number.POSITIVE_INFINITY;
  const budget = contextWindow > 0 ? budgetRatio * contextWindow : endless;
  // Tools that take all of the budget leave the messages a tenth of it: the model may still answer.
  const limit = contextWindow > 0 ? Math.max(budget - otherTokens, budget * 0.1) : endless;
  const keep = contextWindow > 0 ? Math.max(keepRatio * contextWindow - otherTokens, limit / 2) : endless;
  return {
    limit: { tokens: limit, messages: maxMessages },
    target: { tokens: keep, messages: Math.floor(maxMessages / 2) },
    leastGain: { tokens: budget * leastGainShare, messages: Math.max(maxMessages * leastGainShare, 1) },
  };
}

/** What was refused is cut to a half at most, whatever the numbers said. */
function afterRefusal(refused: number, { limit, target, leastGain }: Goal): Goal {
  const tokens = Math.min(Math.floor(refused / 2), target.tokens);
  return {
    limit: { ...limit, tokens },
    target: { ...target, tokens },
    leastGain: { ...leastGain, tokens: refused * leastGainShare },
  };
}

interface CutChoice {
  readonly conversation: Conversation;
  readonly covered: number;
  readonly sizes: Sizes;
  readonly room: SummaryRoom;
  readonly measure: CompactionInput['measure'];
}

/** The earliest cut beyond the old one that reaches the target, else the last one; undefined when it would not free enough. */
function chooseCut(choice: CutChoice, current: readonly Message[], { limit, target, leastGain }: Goal): number | undefined {
  const { conversation, covered, sizes, room, measure } = choice;
  const cuts = conversation.starts.filter((start) => start > covered);
  // As large as a summary may be; Han characters take the most tokens.
  const summary = '一'.repeat(Math.floor(room.tokens / estimateText('一')));
  const sizeAt = (covers: number): Size => sizeOf(viewOf(conversation, { coversMessages: covers, summary }, sizes), measure);
  // The later the cut, the smaller the view.
  const first = partitionPoint(cuts.length, (index) => fits(sizeAt(cuts[index] ?? 0), target));
  const chosen = cuts[first] ?? cuts.at(-1);
  if (chosen === undefined) return undefined;
  const now = sizeOf(current, measure);
  const then = sizeAt(chosen);
  const freesTokens = now.tokens > limit.tokens && now.tokens - then.tokens >= leastGain.tokens;
  const freesMessages = now.messages > limit.messages && now.messages - then.messages >= leastGain.messages;
  return freesTokens || freesMessages ? chosen : undefined;
}

function sizeOf(view: readonly Message[], measure: CompactionInput['measure']): Size {
  return { tokens: measure(view), messages: view.length };
}

function fits(size: Size, room: Size): boolean {
  return size.tokens <= room.tokens && size.messages <= room.messages;
}

function recordOf(
  strategy: string,
  {
    before,
    after,
    measure,
  }: { readonly before: readonly Message[]; readonly after: readonly Message[] } & Pick<CompactionInput, 'measure'>,
): CompactionRecord | undefined {
  const [tokensBefore, tokensAfter] = [measure(before), measure(after)];
  const isSmaller = tokensAfter < tokensBefore || after.length < before.length;
  if (!isSmaller) return undefined;
  return { strategy, tokensBefore, tokensAfter, messagesBefore: before.length, messagesAfter: after.length };
}
