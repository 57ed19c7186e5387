// The one line that names a run's changes: subject of the commit and title of the pull request. Pure.
import type { RunPlan } from '../schema/gate.ts';

/** Longer subjects are cut off by git's and GitHub's own lists. */
const maxTitleLength = 72;

/** The thread's title, or what was asked when there is no thread. */
export function titleOf(plan: Pick<RunPlan, 'thread' | 'instruction'>): string {
  const source = plan.thread?.title ?? plan.instruction.text;
  const line = source.split('\n').find((candidate) => candidate.trim() !== '') ?? 'harness9';
  const clean = line.replace(/\s+/g, ' ').trim();
  return clean.length <= maxTitleLength ? clean : `${clean.slice(0, maxTitleLength - 1).trimEnd()}…`;
}
