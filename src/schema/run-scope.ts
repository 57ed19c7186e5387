// What a run hands to the runs that are begun within it (sub-agents): its spending, its end, its listeners. Source: DESIGN.md, The engine.
import { addUsage, noUsage, type Origin, type Usage } from './message.ts';
import type { ModelRequest, RunContext } from './model-call.ts';
import type { SubagentUpdate } from './run.ts';

/** What calls take, in the units that budgets have: tokens, and US dollars (0 where nobody knows a price). */
export interface Amount {
  readonly tokens: number;
  readonly usd: number;
}

/** Calls that were made. `usage`: as reported. The amount: by that, and estimated where nothing was. */
export interface Spending extends Amount {
  readonly usage: Usage;
  /** The model, where its price is not known. */
  readonly unpricedModel?: string | undefined;
}

/** What a run and all runs within it have spent, and what their next calls are going to: each holds that before it is made. */
export interface Ledger {
  readonly spent: Amount;
  readonly held: Amount;
  readonly usage: Usage;
  readonly unpricedModels: readonly string[];
  /** Counts in every ledger around this one, too; so does `hold`. */
  spend(spending: Spending): void;
  /** Adds to what is held; negative: it is held no longer. */
  hold(change: Amount): void;
}

export const noAmount: Amount = { tokens: 0, usd: 0 };

function addAmounts(a: Amount, b: Amount): Amount {
  return { tokens: a.tokens + b.tokens, usd: a.usd + b.usd };
}

/** An empty ledger; what is added to it is added to `around` as well. */
export function createLedger(around?: Ledger): Ledger {
  let spent = noAmount;
  let held = noAmount;
  let usage = noUsage;
  const unpriced = new Set<string>();
  return {
    get spent() {
      return spent;
    },
    get held() {
      return held;
    },
    get usage() {
      return usage;
    },
    get unpricedModels() {
      return [...unpriced];
    },
    spend: (spending) => {
      spent = addAmounts(spent, spending);
      usage = addUsage(usage, spending.usage);
      if (spending.unpricedModel !== undefined) unpriced.add(spending.unpricedModel);
      around?.spend(spending);
    },
    hold: (change) => {
      held = addAmounts(held, change);
      around?.hold(change);
    },
  };
}

/** A budget: so much of `unit` for all that `ledger` counts. `name` is for people and the model. */
export interface Allowance {
  readonly ledger: Ledger;
  readonly unit: keyof Amount;
  readonly most: number;
  readonly name: string;
}

/** A call that was not run by the word of a rule or a hook. `about`: its command or path; `why`: whose word, as a clause for people. */
export interface Denial {
  readonly tool: string;
  readonly about: string;
  readonly why: string;
}

/** An attempt at a call that failed after its answer had begun. `heard`: of the answer; `reported`: of what it took, as far as that came. */
export interface VainAttempt {
  readonly request: Pick<ModelRequest, 'messages' | 'tools'>;
  readonly heard: string;
  readonly reported: Usage | undefined;
}

export interface RunScope {
  readonly ledger: Ledger;
  /** Every budget that a run within this one spends from. */
  readonly allowances: readonly Allowance[];
  /** Counts an attempt at a call that came to nothing. `origin`: whose price it has; undefined = the run's own model. */
  readonly spendInVain: (attempt: VainAttempt, origin: Origin | undefined) => void;
  /** Whether the budgets have room for the call that is under way, made anew by the model of `origin`; nobody else gets that room. */
  readonly hasRoom: (origin: Origin | undefined) => boolean;
  /** Milliseconds until the work of the run must be over; undefined = no limit. */
  readonly leftMs: () => number | undefined;
  /** Tells whoever watches the run. */
  readonly tell: (update: SubagentUpdate) => void;
  /** Takes what was denied to a run within it. */
  readonly denied: (denial: Denial) => void;
}

const runScope = Symbol('run scope');

/** `context` with the scope of the run that hands it down. */
export function withRunScope(context: RunContext, scope: RunScope): RunContext {
  return { ...context, [runScope]: scope };
}

/** The scope of the innermost run that handed `context` down; undefined outside of a run. */
export function runScopeOf(context: RunContext): RunScope | undefined {
  const scope = context[runScope];
  return isRunScope(scope) ? scope : undefined;
}

/** The symbol is ours alone: whatever stands there was put there by `withRunScope`. */
function isRunScope(value: unknown): value is RunScope {
  return value !== undefined;
}
