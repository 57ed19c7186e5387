// The limits of a run: whether the next model call is the last one, and why. Pure; who asks, and when, is the loop's matter.

/** 0 = no limit, everywhere. `workMs` is when the wrap-up must begin, `timeoutMs` when everything ends. */
export interface Limits {
  readonly maxTurns: number;
  readonly workMs: number;
  readonly timeoutMs: number;
  readonly maxTokensTotal: number;
}

/**
 * Where a run stands before its next model call. `nextRequest` and `nextResponse` are tokens, estimated. `verdict`: why the run goes
 * round in circles, if it does.
 */
export interface Standing {
  readonly turns: number;
  readonly elapsedMs: number;
  readonly tokens: number;
  readonly nextRequest: number;
  readonly nextResponse: number;
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
    tokenLimit(limits, standing),
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

/** Whether the budget has room for a call that is as large as the next one, before the next one and the wrap-up. */
export function fitsOneMore(
  { maxTokensTotal }: Limits,
  { tokens, nextRequest, nextResponse }: Pick<Standing, 'tokens' | 'nextRequest' | 'nextResponse'>,
): boolean {
  return maxTokensTotal === 0 || tokens + 3 * nextRequest + 4 * nextResponse <= maxTokensTotal;
}

/** A call goes out only when a wrap-up still fits after it: that one sends the same again, the answer too, and is answered itself. */
function tokenLimit({ maxTokensTotal }: Limits, standing: Standing): LimitReached | undefined {
  const { tokens, nextRequest, nextResponse } = standing;
  const withWrapUp = tokens + 2 * nextRequest + 3 * nextResponse;
  if (maxTokensTotal === 0 || withWrapUp <= maxTokensTotal) return undefined;
  const canWrapUp = tokens + nextRequest <= maxTokensTotal;
  return { reason: 'budget', name: `the budget of ${maxTokensTotal} tokens`, canWrapUp };
}
