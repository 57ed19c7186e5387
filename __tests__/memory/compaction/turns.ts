// What the engine does with a compactor, turn by turn: the same input, the newest checkpoint given back. Keeps what came of each turn.
import type { CallContext, Compacted, CompactionInput, Compactor } from '../../../src/engine/ports.ts';
import type { Message } from '../../../src/schema/message.ts';
import type { Checkpoint } from '../../../src/schema/session.ts';
import { estimateMessage } from '../../../src/schema/token-estimate.ts';
import { system } from './histories.ts';

/** `factor`: by how much the provider's tokens differ from our estimate. */
export interface Model {
  readonly contextWindow: number;
  readonly factor?: number;
  readonly otherTokens?: number;
}

export interface Turn extends Compacted {
  readonly history: readonly Message[];
  /** The newest one after this turn. */
  readonly standing: Checkpoint | undefined;
}

const known = new WeakMap<Message, number>();

/** The estimate times `factor`; each message is read once, as the engine's meter does it. */
export const measureBy = (factor: number) => (messages: readonly Message[]) =>
  Math.ceil(factor * messages.reduce((sum, message) => sum + tokensOf(message), 0));

function tokensOf(message: Message): number {
  const tokens = known.get(message) ?? estimateMessage(message);
  known.set(message, tokens);
  return tokens;
}

export function inputOf(
  history: readonly Message[],
  model: Model,
  more: { readonly checkpoint?: Checkpoint | undefined; readonly isOverflow?: boolean; readonly mustBeFrugal?: boolean } = {},
): CompactionInput {
  const { contextWindow, factor = 1, otherTokens = 0 } = model;
  const { checkpoint, isOverflow = false, mustBeFrugal = false } = more;
  return {
    messages: [system, ...history],
    checkpoint,
    contextWindow,
    measure: measureBy(factor),
    otherTokens,
    isOverflow,
    mustBeFrugal,
  };
}

export function contextOf(signal = new AbortController().signal): CallContext {
  return { signal, run: {} };
}

/** A run over a history that grows by one element of `growth` a turn. */
export async function takeTurns(
  compactor: Compactor,
  growth: readonly (readonly Message[])[],
  model: Model,
  start: { readonly history: readonly Message[]; readonly checkpoint?: Checkpoint | undefined } = { history: [] },
): Promise<readonly Turn[]> {
  const turns: Turn[] = [];
  let { history } = start;
  let standing = start.checkpoint;
  for (const messages of growth) {
    history = [...history, ...messages];
    const compacted = await compactor.compact(inputOf(history, model, { checkpoint: standing }), contextOf());
    standing = compacted.checkpoint ?? standing;
    turns.push({ ...compacted, history, standing });
  }
  return turns;
}

/** A history in the pieces by which a run makes it grow: no call without its results. */
export function inPieces(history: readonly Message[]): readonly (readonly Message[])[] {
  const pieces: Message[][] = [];
  for (const message of history) {
    if (message.toolCallId === undefined) pieces.push([message]);
    else pieces.at(-1)?.push(message);
  }
  return pieces;
}
