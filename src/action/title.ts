// The one line that names a run's changes, before it is made harmless: subject of the commit and title of the pull request. Pure.
import { findOwnTitle } from '../github/publish/own-title.ts';
import type { RunPlan } from '../schema/gate.ts';
import { isFinished, type RunResult } from '../schema/run.ts';

/** What the agent called its work in its last message; else the thread's title, or what was asked where there is no thread. */
export function titleOf(
  plan: Pick<RunPlan, 'thread' | 'instruction'>,
  result: Pick<RunResult, 'stopReason' | 'error' | 'finalMessage'>,
): string {
  // Whoever was interrupted says what is left, and not what was done.
  const own = isFinished(result) ? findOwnTitle(result.finalMessage) : null;
  if (own !== null) return own;
  const source = plan.thread?.title ?? plan.instruction.text;
  return source.split('\n').find((line) => line.trim() !== '') ?? '';
}
