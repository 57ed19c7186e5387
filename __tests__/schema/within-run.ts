// The context of calls within a run that has no limits and listens to nobody, but for what a test says of it.
import type { RunContext } from '../../src/schema/model-call.ts';
import { createLedger, type RunScope, withRunScope } from '../../src/schema/run-scope.ts';

/** The context that such a run hands down. */
export function withinRun(scope: Partial<RunScope> = {}): RunContext {
  return withRunScope(
    {},
    {
      ledger: createLedger(),
      allowances: [],
      spendInVain: () => {},
      hasRoom: () => true,
      leftMs: () => undefined,
      tell: () => {},
      denied: () => {},
      ...scope,
    },
  );
}
