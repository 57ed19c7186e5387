// The branch that a pull request goes to, when the one that was meant is gone or has another name by now (G1-13).
import type { RunPlan } from '../../schema/gate.ts';
import { repositoryOf } from '../api.ts';
import { readBranch } from './commit.ts';
import { inlineCode } from './inline-code.ts';
import type { PublishIo } from './ports.ts';

export interface StandingBase {
  readonly base: string;
  /** Why it is another one. */
  readonly notes: readonly string[];
}

/** `base` where it stands or is not needed, else the default branch as it is called now. What cannot be found out is no reason against it. */
export async function findStandingBase(plan: RunPlan, base: string, { ports, signal }: PublishIo): Promise<StandingBase> {
  const asked = { base, notes: [] };
  if (plan.pullRequest.mode === 'none') return asked;
  try {
    if ((await readBranch(plan, base, ports, signal)) !== null) return asked;
    const { data } = await ports.api.rest('GET /repos/{owner}/{repo}', repositoryOf(plan), signal);
    const main = data.default_branch;
    if (main === base) return asked;
    const why = `The branch ${inlineCode(base, 250)} is gone, so the pull request goes to ${inlineCode(main, 250)}.`;
    return { base: main, notes: [why] };
  } catch {
    signal.throwIfAborted();
    return asked;
  }
}
