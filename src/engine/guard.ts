// The limits of a run: whether the next model call is the last one, and why. Pure; who asks, and when, is the loop's matter.
import type { Allowance } from '../schema/run-scope.ts';

/** 0 = no limit, everywhere. `workMs` is when the wrap-up must begin, `timeoutMs` when everything ends. */
export interface Limits {
  readonly maxTurns: number;
  readonly workMs: number;
  readonly timeoutMs: number;
}

/**
 * What is left of a budget, and what calls will take of it, all in its own unit: `next` is the next call as it is expected; at
 * worst, that is with nothing in the cache: `last` the wrap-up in its place, `wrapUp` the one behind it, which sends its answer, too.
 */
export interface Budget extends Pick<Allowance, 'name' | 'unit'> {
  readonly left: number;
  readonly next: number;
  readonly last: number;
  readonly wrapUp: number;
}

/** Where a run stands before its next model call. `verdict`: why the run goes round in circles, if it does. */
export interface Standing {
  /** All that the next call is taken from. */
  readonly budgets: readonly Budget[];
  readonly turns: number;
  readonly elapsedMs: number;
  readonly verdict: string | undefined;
}

/** A limit that is reached. `name` is for people and the model; without `canWrapUp` not even the wrap-up call fits. */
export interface LimitReached {
  readonly reason: 'max_turns' | 'timeout' | 'budget' | 'repetition';
  readonly name: string;
  /** Of the budget. */
  readonly unit?: Budget['unit'];
  readonly canWrapUp: boolean;
}

/** The limit that makes the next call the last one, or undefined. One that forbids even the wrap-up comes first. */
export function decideLimit(limits: Limits, standing: Standing): LimitReached | undefined {
  const reached = [
    repetitionLimit(standing),
    turnLimit(limits, standing),
    timeLimit(limits, standing),
    budgetLimit(standing),
  ].filter((limit) => limit !== undefined);
  return reached.find((limit) => !limit.canWrapUp) ?? reached[0];
}

function repetitionLimit({ verdict }: Standing): LimitReached | undefined {
  if (verdict === undefined) return undefined;
  return { reason: 'repetition', name: `the limit on repeated calls (${verdict})`, canWrapUp: true };
}

function turnLimit({ maxTurns }: Limits, { turns }: Standing): LimitReached | undefined {
  if (maxTurns === 0 || turns + 1 < maxTurns) return undefined;
  return {
    reason: 'max_turns',
    name: `the limit of ${maxTurns} ${maxTurns === 1 ? 'turn' : 'turns'}`,
    canWrapUp: turns < maxTurns,
  };
}

function timeLimit({ timeoutMs, workMs }: Limits, { elapsedMs }: Standing): LimitReached | undefined {
  if (timeoutMs === 0 || elapsedMs < workMs) return undefined;
  return { reason: 'timeout', name: `the time limit of ${timeoutMs / 1000} s`, canWrapUp: elapsedMs < timeoutMs };
}

/** Whether the budgets have room for a call that is as large as the next one, before the next one and the wrap-up. */
export function fitsOneMore(budgets: readonly Budget[]): boolean {
  return budgets.every(({ left, last, next, wrapUp }) => last + next + wrapUp <= left);
}

/** A call goes out only when a wrap-up still fits after it, whatever that takes; the wrap-up, when it fits itself. */
function budgetLimit({ budgets }: Standing): LimitReached | undefined {
  const tight = budgets.find(({ left, next, wrapUp }) => next + wrapUp > left);
  if (tight === undefined) return undefined;
  const canWrapUp = budgets.every(({ left, last }) => last <= left);
  return { reason: 'budget', name: tight.name, unit: tight.unit, canWrapUp };
}
