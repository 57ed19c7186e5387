// What the agent's phase hands over, put together as data. Pure.
import type { ThreadSession } from '../compose/session.ts';
import type { Tools } from '../compose/tools.ts';
import type { BaseMerge } from '../github/checkout/merge-base.ts';
import type { Bundle } from '../schema/bundle.ts';
import { hashOf } from '../schema/canonical-json.ts';
import type { RunPlan } from '../schema/gate.ts';
import type { RunResult } from '../schema/run.ts';
import { bundleMerge } from './merged-work.ts';
import { titleOf } from './title.ts';

/** Everything that a run left behind. */
export interface AgentWork {
  readonly result: RunResult;
  readonly session: ThreadSession | null;
  readonly tools: Pick<Tools, 'level' | 'commands'>;
  readonly collected: Pick<Bundle, 'changes' | 'leftOut'>;
  /** What came of merging the base into the files before the run. */
  readonly merge: BaseMerge | null;
  /** What the tools of the run's mode gathered. */
  readonly found: Pick<Bundle, 'review' | 'rerun'>;
  readonly notices: readonly string[];
}

/** The bundle, bound to the plan by its hash. Its session is not uploaded yet. */
export function makeBundle(plan: RunPlan, work: AgentWork): Bundle {
  const { result, session, tools } = work;
  const merged = bundleMerge(plan, work);
  const notices = [noShellNotice(plan), levelNotice(plan, tools), ...(result.notes ?? []), ...merged.notices, ...work.notices];
  return {
    version: 1,
    planHash: hashOf(plan),
    baseSha: plan.checkoutSha,
    result,
    reply: result.finalMessage,
    title: titleOf(plan, result),
    ...work.found,
    ...merged,
    commands: tools.commands,
    sandbox: tools.level.level,
    session: {
      id: session?.journal.id ?? null,
      resumed: session?.resumed ?? false,
      artifactId: null,
      notice: session?.notice ?? null,
    },
    notices: notices.flatMap((notice) => notice ?? []),
  };
}

/** What the sandbox means for commands is no news where none may be run. */
function levelNotice({ bash }: RunPlan, { level }: AgentWork['tools']): string | null {
  return bash === 'allowed' ? level.notice : null;
}

/** Mixed runs have bash in a sandbox of `namespace` or better only; whoever asked should know why nothing was run (DESIGN.md, Trust). */
function noShellNotice(plan: RunPlan): string | null {
  if (plan.bash !== 'sandboxed') return null;
  const notice = `No commands were run here, since ${plan.trustReason}.`;
  const wouldHelp = plan.context === 'all' && plan.pullRequest.continues === undefined;
  return wouldHelp ? `${notice} The input \`context: writers\` leaves such text out.` : notice;
}
