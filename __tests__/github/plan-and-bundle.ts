// A run plan and a bundle that fit each other, for tests of the validator and of publish; each test changes what it is about.

import type { Bundle, Change } from '../../src/schema/bundle.ts';
import { hashOf } from '../../src/schema/canonical-json.ts';
import type { RunPlan } from '../../src/schema/gate.ts';
import type { Outcome } from '../../src/schema/outcome.ts';

export const headSha = '1'.repeat(40);
export const baseSha = '2'.repeat(40);

export const plan: RunPlan = {
  version: 1,
  repository: { id: 1, owner: 'acme', name: 'shop', defaultBranch: 'main', isPrivate: false },
  event: { kind: 'issue_comment', action: 'created' },
  run: {
    id: 99,
    attempt: 1,
    url: 'https://github.com/acme/shop/actions/runs/99',
    workflowPath: '.github/workflows/harness9.yml',
    job: 'harness9',
  },
  trigger: { kind: 'mention', id: 'issue_comment-501', at: '2026-03-01T10:00:00Z', target: { kind: 'issue_comment', id: 501 } },
  requester: { login: 'mona', id: 7 },
  self: { login: 'github-actions[bot]', id: 41898282 },
  instruction: { text: 'fix the rounding', command: null },
  thread: { kind: 'issue', number: 12, title: 'Totals are off by a cent' },
  threadKey: 'issue-12',
  base: { branch: 'main', sha: baseSha },
  head: null,
  checkoutSha: baseSha,
  trust: 'trusted',
  handle: '@harness9',
  mode: 'act',
  trustReason: 'mona may write',
  tools: 'all',
  bash: 'allowed',
  network: 'open',
  delivery: 'pull_request',
  branchName: 'harness9/issue-12-fix-rounding',
  pullRequest: { mode: 'draft', closes: 12, title: null, labels: [], reviewers: [], assignees: [] },
  failedCheck: null,
  channel: { kind: 'thread', number: 12 },
  alsoAnswers: [],
  model: null,
  mergesBase: false,
  commitMessage: null,
  inlineComments: 'suggestions',
  includeDiff: 'auto',
  mayApprove: false,
  dryRun: false,
  language: 'auto',
  actors: { include: [], exclude: [] },
  allowedPaths: [],
  context: 'all',
  limits: {
    maxTurns: 50,
    timeoutMs: 1_800_000,
    maxTokensTotal: null,
    maxCostUsd: null,
    maxPatchFiles: 100,
    maxPatchBytes: 4 * 1024 * 1024,
    maxDeletions: 300,
  },
  protectedPaths: [],
  session: 'auto',
  comment: 'auto',
  reaction: 'eyes',
};

/** What was published of a run of which nothing is to be seen. */
export const nothingPublished: Outcome = {
  version: 1,
  conclusion: 'no_changes',
  comment: null,
  branchName: null,
  commitSha: null,
  pullRequest: null,
  filesChanged: 0,
  patch: '',
  warnings: [],
};

export function writeOf(path: string, data: string, more: Partial<Extract<Change, { kind: 'write' }>> = {}): Change {
  const patch = `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,1 @@\n+${data.trimEnd()}\n`;
  return { kind: 'write', path, isNew: true, mode: '100644', content: { encoding: 'utf-8', data }, patch, ...more };
}

export function bundleOf(of: RunPlan, more: Partial<Bundle> = {}): Bundle {
  return {
    version: 1,
    planHash: hashOf(of),
    baseSha: of.checkoutSha,
    mergeParent: null,
    result: {
      stopReason: 'completed',
      finalMessage: 'Fixed the rounding in `total()`.',
      turns: 9,
      usage: { inputTokens: 40_000, outputTokens: 1_000, cacheReadTokens: 32_800, cacheWriteTokens: 0, reasoningTokens: 0 },
      durationMs: 108_000,
    },
    reply: 'Fixed the rounding in `total()`.',
    title: 'Fix rounding in total()',
    review: null,
    rerun: null,
    changes: [writeOf('src/cart.ts', 'export const total = 1;\n')],
    leftOut: [],
    commands: [{ command: 'npm test', exitCode: 0 }],
    sandbox: 'namespace',
    session: { id: 's1', resumed: false, artifactId: null, notice: null },
    notices: [],
    ...more,
  };
}
