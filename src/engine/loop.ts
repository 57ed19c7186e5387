// The ReAct loop: limits, a turn, again. Everything that happens within a turn is in turn.ts; whatever the end, it is an Ending.
import { cancelled } from './ending.ts';
import { decideLimit, type LimitReached } from './guard.ts';
import type { Ending, Run } from './run-state.ts';
import { takeTurn } from './turn.ts';
import { wrapUp } from './wrap-up.ts';

/** Runs turns until the model is done, a limit is reached (the last call is then the wrap-up) or somebody stops it. */
export async function runLoop(run: Run): Promise<Ending> {
  for (;;) {
    if (run.signals.cancel.aborted) return await cancelled(run);
    const limit = limitReached(run);
    if (limit !== undefined) return await wrapUp(run, limit);
    const ending = await takeTurn(run);
    if (ending !== undefined) return ending;
  }
}

function limitReached(run: Run): LimitReached | undefined {
  const { limits, meter, progress, settings, signals, startedMs } = run;
  // The timer and the clock may differ by a moment; when the timer has fired the time is up.
  const measuredMs = settings.clock.monotonicMs() - startedMs;
  const elapsedMs = signals.work.aborted ? Math.max(measuredMs, limits.workMs) : measuredMs;
  const { turns, repetition } = progress;
  return decideLimit(limits, { turns, elapsedMs, ...meter.standing, verdict: repetition.verdict });
}
