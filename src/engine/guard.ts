// The limits of a run: whether the next model call is the last one, and why. Pure; who asks, and when, is the loop's matter.

/** 0 = no limit, everywhere. `workMs` is when the wrap-up must begin, `timeoutMs` when everything ends. */
export interface Limits {
  readonly maxTurns: number;
  readonly workMs: number;
  readonly timeoutMs: number;
}

/** What is left of a number of tokens that a run may use. `isShared`: with the run around it, which has a last call to make as well. */
export interface Budget {
  readonly name: string;
  readonly left: number;
  readonly isShared: boolean;
}

/** What the next model call will take, in tokens, estimated; and the budgets that it is taken from, all of them. */
export interface Need {
  readonly budgets: readonly Budget[];
  readonly nextRequest: number;
  readonly nextResponse: number;
}

/** Where a run stands before its next model call. `verdict`: why the run goes round in circles, if it does. */
export interface Standing extends Need {
  readonly turns: number;
  readonly elapsedMs: number;
  readonly verdict: string | undefined;
}

/** A limit that is reached. `name` is for people and the model; without `canWrapUp` not even the wrap-up call fits. */
export interface LimitReached {
  readonly reason: 'max_turns' | 'timeout' | 'budget' | 'repetition';
  readonly name: string;
  readonly canWrapUp: boolean;
}

/** The limit that makes the next call the last one, or undefined. One that forbids even the wrap-up comes first. */
export function decideLimit(limits: Limits, standing: Standing): LimitReached | undefined {
  const reached = [
    repetitionLimit(standing),
    turnLimit(limits, standing),
    timeLimit(limits, standing),
    tokenLimit(standing),
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
export function fitsOneMore({ budgets, nextRequest, nextResponse }: Need): boolean {
  return budgets.every(({ left }) => 3 * nextRequest + 4 * nextResponse <= left);
}

/** A call goes out only when a wrap-up still fits after it: that one sends the same again, the answer too, and is answered itself. */
function tokenLimit({ budgets, nextRequest, nextResponse }: Need): LimitReached | undefined {
  const tight = budgets.find(({ left }) => 2 * nextRequest + 3 * nextResponse > left);
  if (tight === undefined) return undefined;
  // A run's last answer may pass its own budget, but not take what the run around it needs.
  const canWrapUp = budgets.every(({ left, isShared }) => nextRequest + (isShared ? nextResponse : 0) <= left);
  return { reason: 'budget', name: tight.name, canWrapUp };
}
