// The bundles of requests that ask no model: they go the way of every other, validated and published like it.

import { loadUndo } from '../github/control/undo.ts';
import { inlineCode } from '../github/publish/inline-code.ts';
import type { Bundle } from '../schema/bundle.ts';
import { hashOf } from '../schema/canonical-json.ts';
import type { RunPlan } from '../schema/gate.ts';
import type { ActionContext } from './context.ts';

/** RunPlan → Bundle, by reading GitHub alone. Rejects where GitHub does not answer. */
export type BareWork = (plan: RunPlan, context: ActionContext, signal: AbortSignal) => Promise<Bundle>;

/** The work of a plan that needs no model and no key for one; null: it needs one. */
export function bareWorkOf({ mode, failedCheck }: RunPlan): BareWork | null {
  if (mode === 'undo') return undo;
  // Of a suite of another app GitHub runs nothing again for us.
  const isFlaky = mode === 'fix' && failedCheck?.kind === 'workflow_run' && failedCheck.passedBefore;
  return isFlaky ? async (plan) => makeRerunBundle(plan) : null;
}

/** Takes our newest commit back. */
async function undo(plan: RunPlan, { api, invocation, world }: ActionContext, signal: AbortSignal): Promise<Bundle> {
  const startedMs = world.clock.monotonicMs();
  const { undoes, changes, title, reply } = await loadUndo(plan, { api, repository: invocation.repository }, signal);
  const bundle = bareBundle(plan, { title, reply, changes, durationMs: world.clock.monotonicMs() - startedMs });
  return undoes === null ? bundle : { ...bundle, undoes };
}

/** A check that passed on this very commit before is flaky, so it runs again. */
export function makeRerunBundle(plan: RunPlan): Bundle {
  const name = inlineCode(plan.failedCheck?.name ?? '');
  const commit = inlineCode(plan.checkoutSha.slice(0, 7));
  const reply = `${name} failed on ${commit}, on which it had passed before. The same code passes and fails, so I changed nothing.`;
  const bundle = bareBundle(plan, { title: 'Run the failed jobs again', reply, changes: [], durationMs: 0 });
  return { ...bundle, rerun: { reason: 'they passed on this commit before' } };
}

type BareParts = Pick<Bundle, 'title' | 'reply' | 'changes'> & { readonly durationMs: number };

const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

function bareBundle(plan: RunPlan, { title, reply, changes, durationMs }: BareParts): Bundle {
  return {
    version: 1,
    planHash: hashOf(plan),
    baseSha: plan.checkoutSha,
    mergeParent: null,
    result: { stopReason: 'completed', finalMessage: reply, turns: 0, usage: noUsage, durationMs },
    reply,
    review: null,
    rerun: null,
    title,
    changes,
    leftOut: [],
    commands: [],
    sandbox: 'none',
    session: { id: null, resumed: false, artifactId: null, notice: null },
    notices: [],
  };
}
