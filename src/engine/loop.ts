// The ReAct loop: limits, a turn, again. Everything that happens within a turn is in turn.ts; whatever the end, it is an Ending.
import { Harness9Error } from '../schema/error.ts';
import { cancelled } from './ending.ts';
import { decideLimit, type LimitReached } from './guard.ts';
import { endInForm } from './output-form.ts';
import type { Ending, Run } from './run-state.ts';
import { takeTurn } from './turn.ts';
import { wrapUp } from './wrap-up.ts';

/** Runs turns until the model is done, a limit is reached (the last call is then the wrap-up) or somebody stops it. */
export async function runLoop(run: Run): Promise<Ending> {
  for (;;) {
    if (run.signals.cancel.aborted) return await cancelled(run);
    // An open answer and what continues it stay together.
    if (run.progress.held === undefined) await run.background.bringIn();
    const limit = limitReached(run);
    if (limit !== undefined) return await endByLimit(run, limit);
    const ending = await takeTurn(run);
    if (ending !== undefined) return await endInForm(run, ending, () => limitReached(run)?.canWrapUp ?? true);
  }
}

/** What goes on in the background ends before the last call, which can then speak of what it came to. */
async function endByLimit(run: Run, limit: LimitReached): Promise<Ending> {
  await run.background.settle(limit, run.signals.work);
  if (run.signals.cancel.aborted) return await cancelled(run);
  // The waiting took time and tokens; what was stopped needs none any more.
  const ending = await wrapUp(run, { ...limit, canWrapUp: limitReached(run)?.canWrapUp ?? true });
  const cause = new Harness9Error({ code: limit.reason.toUpperCase(), message: `The run reached ${limit.name}.` });
  return { cause, ...(ending.stopReason === 'budget' ? { budget: limit.unit } : {}), ...ending };
}

function limitReached(run: Run): LimitReached | undefined {
  const { limits, meter, progress, settings, signals, startedMs } = run;
  // The timer and the clock may differ by a moment; when the timer has fired the time is up.
  const measuredMs = settings.clock.monotonicMs() - startedMs;
  const elapsedMs = signals.work.aborted ? Math.max(measuredMs, limits.workMs) : measuredMs;
  return decideLimit(limits, { budgets: meter.budgets, turns: progress.turns, elapsedMs, verdict: progress.repetition.verdict });
}
