// A run among others: what the run around it leaves to it, and what it hands to the runs within it. Starts and counts nothing itself.
import { renderBudget } from '../schema/cost-words.ts';
import { type Allowance, createLedger, type RunScope, runScopeOf } from '../schema/run-scope.ts';
import type { Limits } from './guard.ts';
import type { EngineSettings } from './options.ts';

export interface Place {
  readonly limits: Limits;
  readonly scope: RunScope;
  /** The same for the run's last call, which has the time that is kept back for it. */
  readonly lastScope: RunScope;
}

/** The place of a run that starts now. No run within another one may use more time, tokens or money than that one has left. */
export function takePlace(
  settings: EngineSettings,
  startedMs: number,
  given: Pick<RunScope, 'spendInVain' | 'hasRoom' | 'tell' | 'denied'>,
): Place {
  const { maxTurns, maxTokensTotal, maxCostUsd, wrapUpReserveMs, clock, within } = settings;
  const outer = runScopeOf(within);
  const timeoutMs = timeWithin(settings.timeoutMs, outer?.leftMs());
  const workMs = timeoutMs - Math.min(wrapUpReserveMs, Math.floor(timeoutMs / 4));
  const ledger = createLedger(outer?.ledger);
  const until = (endMs: number) => () => (timeoutMs === 0 ? undefined : Math.max(0, endMs - (clock.monotonicMs() - startedMs)));
  const own: Allowance[] = [];
  if (maxTokensTotal > 0)
    own.push({ ledger, unit: 'tokens', most: maxTokensTotal, name: `the budget of ${maxTokensTotal} tokens` });
  if (maxCostUsd > 0) own.push({ ledger, unit: 'usd', most: maxCostUsd, name: `the budget of ${renderBudget(maxCostUsd)}` });
  const scope: RunScope = {
    ledger,
    allowances: [...own, ...(outer === undefined ? [] : sharedOf(outer))],
    leftMs: until(workMs),
    ...given,
  };
  return { limits: { maxTurns, timeoutMs, workMs }, scope, lastScope: { ...scope, leftMs: until(timeoutMs) } };
}

/** However deep a run is, it need not know more than that the budget is not its own: those of runs further out are named so already. */
function sharedOf({ ledger, allowances }: RunScope): readonly Allowance[] {
  const shared = (name: string): string => `${name} of the run that this one is a part of`;
  return allowances.map((one) => (one.ledger === ledger ? { ...one, name: shared(one.name) } : one));
}

/** 0 = no limit; what is left of one is at least a moment. */
function timeWithin(ownMs: number, leftMs: number | undefined): number {
  if (leftMs === undefined) return ownMs;
  const outerMs = Math.max(1, Math.floor(leftMs));
  return ownMs === 0 ? outerMs : Math.min(ownMs, outerMs);
}
