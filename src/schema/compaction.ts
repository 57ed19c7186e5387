// What a compactor is given before a model call, and what it answers. Source: spec §5.5 (WithCompactor), §9; decision 0009.
import type { Message, Origin, Usage } from './message.ts';
import type { CompactionRecord } from './run.ts';
import type { Checkpoint } from './session.ts';

export interface CompactionInput {
  /** The system prompt, then the whole history as it is stored (not repaired). */
  readonly messages: readonly Message[];
  /** Of an earlier compaction, of this run or of one before it. */
  readonly checkpoint: Checkpoint | undefined;
  /** Tokens that fit the model; 0 = not known: the history is then cut on `isOverflow` only. */
  readonly contextWindow: number;
  /** Tokens of messages: the estimate, corrected by what the provider last reported. */
  readonly measure: (messages: readonly Message[]) => number;
  /** Tokens that every request has besides the messages: tool schemas, to-do list. */
  readonly otherTokens: number;
  /** The provider has refused the last request as too long: make it smaller, whatever the estimate says. */
  readonly isOverflow: boolean;
  /** No model call of the compactor's own fits any more: the run is at its end, or at its budget's. */
  readonly mustBeFrugal: boolean;
}

export interface Compacted {
  /** The outgoing view, system prompt first. The same bytes from turn to turn until the next checkpoint. */
  readonly messages: readonly Message[];
  /** A new one, to be kept with the session and given back in the next input; absent when nothing new was cut. */
  readonly checkpoint?: Checkpoint | undefined;
  /** Absent when this call did not make the view smaller than it was. Sizes are of the messages alone. */
  readonly record?: CompactionRecord | undefined;
  /** Of the model calls that the compactor made. */
  readonly usage?: Usage | undefined;
  /** Of the model that was asked; absent: the run's own. */
  readonly origin?: Origin | undefined;
}
