// What a compactor is given and answers. Matches the engine's `Compactor`, and its provider's blocking verb, by shape.
import type { Message, ToolDefinition, Usage } from '../../schema/message.ts';
import type { CompactionRecord } from '../../schema/run.ts';
import type { Checkpoint } from '../../schema/session.ts';

export interface CallContext {
  readonly signal: AbortSignal;
  readonly run: Readonly<Record<symbol, unknown>>;
}

export interface CompactionInput {
  /** The system prompt, then the whole history as it is stored (not repaired). */
  readonly messages: readonly Message[];
  /** Of an earlier compaction, of this run or of one before it. */
  readonly checkpoint: Checkpoint | undefined;
  /** Tokens that fit the model; 0 = not known: the view is then cut on `isOverflow` only. */
  readonly contextWindow: number;
  /** Tokens of messages: the estimate, corrected by what the provider last reported. */
  readonly measure: (messages: readonly Message[]) => number;
  /** Tokens that every request has besides the messages. */
  readonly otherTokens: number;
  /** The provider has refused the last request as too long. */
  readonly isOverflow: boolean;
  /** No model call of the compactor's own fits any more: the run is at its end, or at its budget's. */
  readonly mustBeFrugal: boolean;
}

export interface Compacted {
  /** The outgoing view, system prompt first. The same bytes from turn to turn until the next checkpoint. */
  readonly messages: readonly Message[];
  /** Absent when nothing new was cut. */
  readonly checkpoint?: Checkpoint | undefined;
  /** Absent when this call did not make the view smaller than it was. Sizes are of the messages alone. */
  readonly record?: CompactionRecord | undefined;
  /** Of the model calls that were made for it. */
  readonly usage?: Usage | undefined;
}

/**
 * Makes the outgoing view smaller; the history is not touched. Stateless: what is to be remembered is the checkpoint. Rejects with the
 * signal's reason, and for nothing else. One contract suite holds every compactor to this (`__tests__/contracts/compactor.ts`).
 */
export interface Compactor {
  compact(input: CompactionInput, context: CallContext): Promise<Compacted>;
}

/** The model that writes summaries, without tools. Rejects when it fails. */
export interface SummaryProvider {
  generate(
    request: {
      readonly messages: readonly Message[];
      readonly tools: readonly ToolDefinition[];
      readonly toolChoice: 'auto' | 'none';
      readonly tailStart: number;
    },
    context: CallContext,
  ): Promise<{ readonly message: Message; readonly usage: Usage | undefined }>;
}
