// The Action's outputs from a finished run, as text; pure. Names: INTERFACE.md, Action outputs. Paths of files are added by who writes them.
import type { Bundle } from '../../schema/bundle.ts';
import type { Cost } from '../../schema/cost.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { oneLine } from '../../schema/one-line.ts';
import type { Outcome } from '../../schema/outcome.ts';
import { cutText } from './inline-code.ts';

/** Outputs end up in environment variables of later steps, where a long one breaks the step (G1-40). */
const maxOutputChars = 60_000;

/** Every output that is known; the caller applies the egress. `bundle` null: the run ended before there was one. */
export function outputsOf(plan: RunPlan, bundle: Bundle | null, outcome: Outcome): Readonly<Record<string, string>> {
  const result = bundle?.result;
  const values: Readonly<Record<string, string | number | boolean | null | undefined>> = {
    conclusion: outcome.conclusion,
    triggered: true,
    stop_reason: result?.stopReason,
    error: outcome.error === undefined ? undefined : renderError(outcome.error.message),
    final_message: bundle?.reply,
    session_id: bundle?.session.id,
    session_resumed: bundle?.session.resumed,
    session_artifact_id: bundle?.session.artifactId,
    branch_name: outcome.branchName,
    commit_sha: outcome.commitSha,
    pull_request_number: outcome.pullRequest?.number,
    pull_request_url: outcome.pullRequest?.url,
    pull_request_operation: outcome.pullRequest?.operation ?? 'none',
    comment_id: outcome.comment?.id,
    comment_url: outcome.comment?.url,
    files_changed: outcome.filesChanged,
    turns: result?.turns,
    input_tokens: result?.usage.inputTokens,
    output_tokens: result?.usage.outputTokens,
    cache_read_tokens: result?.usage.cacheReadTokens,
    cost_usd: renderCostUsd(result?.cost),
    duration_ms: result === undefined ? undefined : Math.round(result.durationMs),
    sandbox: bundle?.sandbox,
    trust: plan.trust,
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, cutText(String(value ?? ''), maxOutputChars)]));
}

/** For scripts: no sign, no grouping, and as many decimals as the smallest call needs. Nothing where a part of it is not known. */
function renderCostUsd(cost: Cost | undefined): string | undefined {
  return cost === undefined || cost.unpricedModels.length > 0 ? undefined : cost.usd.toFixed(6);
}

/** What went wrong, as the output `error` has it: on one line, whatever lists its problems on several. */
export function renderError(message: string): string {
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  return oneLine(lines.join('; '), maxOutputChars);
}
