// The tools that a run has for its mode alone, and what they gathered for the bundle.
import { type GitHubApi, repositoryOf } from '../github/api.ts';
import { loadDiffIndex } from '../github/review/load-diff-index.ts';
import { createRerunTool } from '../github/review/rerun-tool.ts';
import { createReviewTools } from '../github/review/review-tools.ts';
import type { Bundle } from '../schema/bundle.ts';
import type { RunPlan } from '../schema/gate.ts';
import { defineTool, type Tool } from '../tools/tool.ts';

export interface ModeTools {
  readonly tools: readonly Tool[];
  /** What the run gathered until now. */
  found(): Pick<Bundle, 'review' | 'rerun'>;
}

export function composeModeTools(plan: RunPlan, api: GitHubApi): ModeTools {
  const { mode, thread, failedCheck, mayApprove } = plan;
  if (mode === 'review' && thread !== null) {
    const place = { api, repository: repositoryOf(plan) };
    const { remark, verdict, draft } = createReviewTools((signal) => loadDiffIndex(thread.number, place, signal));
    const tools = [defineTool(remark), ...(mayApprove ? [defineTool(verdict)] : [])];
    return { tools, found: () => ({ review: draft(), rerun: null }) };
  }
  if (mode === 'fix' && failedCheck?.kind === 'workflow_run') {
    const { tool, wish } = createRerunTool();
    return { tools: [defineTool(tool)], found: () => ({ review: null, rerun: wish() }) };
  }
  return { tools: [], found: () => ({ review: null, rerun: null }) };
}
