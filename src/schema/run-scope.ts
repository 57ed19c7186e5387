// What a run hands to the runs that are begun within it (sub-agents): its spending, its end, its listeners. Source: DESIGN.md, The engine.
import { addUsage, noUsage, type Usage } from './message.ts';
import type { RunContext } from './model-call.ts';
import type { SubagentUpdate } from './run.ts';

/** Tokens of a run and of all runs within it. While one of them lasts, its next call counts in `tokens` before it is made. */
export interface Ledger {
  readonly tokens: number;
  readonly usage: Usage;
  /** `tokens`: reported or estimated; `usage`: as reported. Counts in every ledger around this one, too. */
  add(tokens: number, usage: Usage): void;
}

/** An empty ledger; what is added to it is added to `around` as well. */
export function createLedger(around?: Ledger): Ledger {
  let tokens = 0;
  let usage = noUsage;
  return {
    get tokens() {
      return tokens;
    },
    get usage() {
      return usage;
    },
    add: (moreTokens, moreUsage) => {
      tokens += moreTokens;
      usage = addUsage(usage, moreUsage);
      around?.add(moreTokens, moreUsage);
    },
  };
}

/** A call that was not run by the word of a rule or a hook. `about`: its command or path; `why`: whose word, as a clause for people. */
export interface Denial {
  readonly tool: string;
  readonly about: string;
  readonly why: string;
}

export interface RunScope {
  readonly ledger: Ledger;
  /** Tokens that the run and all runs within it may use together; 0 = no limit. */
  readonly maxTokensTotal: number;
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
