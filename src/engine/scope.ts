// A run among others: what the run around it leaves to it, and what it hands to the runs within it. Starts and counts nothing itself.
import { createLedger, type Ledger, type RunScope, runScopeOf } from '../schema/run-scope.ts';
import type { Budget, Limits } from './guard.ts';
import type { EngineSettings } from './options.ts';

/** A budget: tokens that may be used until `ledger` says so many; `name` is for people and the model. */
export interface Allowance extends Pick<Budget, 'name' | 'isShared'> {
  readonly ledger: Ledger;
  readonly maxTokens: number;
}

/** `allowances`: its own and that of the run around it, where there are any. */
export interface Place {
  readonly limits: Limits;
  readonly allowances: readonly Allowance[];
  readonly scope: RunScope;
}

/** The place of a run that starts now. No run within another one may use more time or tokens than that one has left. */
export function takePlace(settings: EngineSettings, startedMs: number, listeners: Pick<RunScope, 'tell' | 'denied'>): Place {
  const { maxTurns, maxTokensTotal, wrapUpReserveMs, clock, within } = settings;
  const outer = runScopeOf(within);
  const timeoutMs = timeWithin(settings.timeoutMs, outer?.leftMs());
  const workMs = timeoutMs - Math.min(wrapUpReserveMs, Math.floor(timeoutMs / 4));
  const ledger = createLedger(outer?.ledger);
  const leftMs = (): number => Math.max(0, workMs - (clock.monotonicMs() - startedMs));
  return {
    limits: { maxTurns, timeoutMs, workMs },
    allowances: [
      { ledger, maxTokens: maxTokensTotal, name: `the budget of ${maxTokensTotal} tokens`, isShared: false },
      ...(outer === undefined ? [] : [allowanceOf(outer)]),
    ].filter(({ maxTokens }) => maxTokens > 0),
    scope: { ledger, maxTokensTotal, leftMs: () => (timeoutMs === 0 ? undefined : leftMs()), ...listeners },
  };
}

function allowanceOf({ ledger, maxTokensTotal }: RunScope): Allowance {
  const name = `the budget of ${maxTokensTotal} tokens of the run that this one is a part of`;
  return { ledger, maxTokens: maxTokensTotal, name, isShared: true };
}

/** 0 = no limit; what is left of one is at least a moment. */
function timeWithin(ownMs: number, leftMs: number | undefined): number {
  if (leftMs === undefined) return ownMs;
  const outerMs = Math.max(1, Math.floor(leftMs));
  return ownMs === 0 ? outerMs : Math.min(ownMs, outerMs);
}
