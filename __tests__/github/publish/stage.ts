// A simulated GitHub with an issue and a trigger on it, our API on top, and a plan that fits; what publish's tests play on.

import { createOctokitApi } from '../../../src/github/octokit-api.ts';
import type { PublishPorts } from '../../../src/github/publish/ports.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import type { Bundle } from '../../../src/schema/bundle.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import type { Outcome } from '../../../src/schema/outcome.ts';
import type { Clock } from '../../../src/schema/world.ts';
import type { Files, GitHubOptions, SimulatedGitHub } from '../../../src/simulator/github/contract.ts';
import { startGitHub } from '../../../src/simulator/github/simulated-github.ts';
import { bundleOf, plan as planOfIssue } from '../plan-and-bundle.ts';

export interface Stage {
  readonly hub: SimulatedGitHub;
  readonly ports: PublishPorts;
  readonly clock: { advance(ms: number): void };
  readonly log: readonly string[];
  /** A plan for a comment on a new issue. */
  readonly plan: RunPlan;
  /** What the thread says, ours only, without the marker line. */
  replies(): string[];
  /** A file on a branch. */
  fileAt(branch: string, path: string): Promise<string>;
  close(): Promise<void>;
}

export const never = new AbortController().signal;

/** A clock that stands still but for `advance`; a wait is over when it was advanced by enough, or at once when `isInstant`. */
export function createTestClock(start: string, isInstant = true) {
  let now = Date.parse(start);
  const waiting: { readonly until: number; readonly wake: () => void }[] = [];
  const clock: Clock = {
    now: () => new Date(now),
    monotonicMs: () => now,
    sleep: (ms, signal) => {
      if (isInstant) {
        now += ms;
        return Promise.resolve();
      }
      if (signal.aborted) return Promise.reject(signal.reason);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ until: now + ms, wake: resolve });
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      return promise;
    },
  };
  const advance = (ms: number) => {
    now += ms;
    for (const one of waiting.filter(({ until }) => until <= now)) one.wake();
  };
  return { clock, advance };
}

const repositoryFiles: Files = { 'src/cart.ts': 'export const total = 0;\n', 'README.md': '# Shop\n', 'old.txt': 'old\n' };

export async function openStage(
  options: Partial<GitHubOptions> & { readonly permissions?: Readonly<Record<string, 'read' | 'write'>> } = {},
): Promise<Stage> {
  const { clock, advance } = createTestClock(new Date().toISOString());
  const hub = await startGitHub({ owner: 'acme', repo: 'shop', files: repositoryFiles, ...options });
  hub.addUser('mona', { permission: 'write' });
  const issue = hub.openIssue({ author: 'mona', title: 'Totals are off by a cent', labels: ['harness9'] });
  const comment = hub.comment({ author: 'mona', issue: issue.number, body: '@harness9 fix the rounding' });
  const log: string[] = [];
  const token = hub.issueToken('github-actions[bot]', options.permissions);
  const egress = (text: string) => text.replaceAll('hunter2-hunter2', '***');
  const api = createOctokitApi({
    token,
    apiUrl: hub.apiUrl,
    graphqlUrl: hub.graphqlUrl,
    egress,
    fetch: globalThis.fetch,
    clock,
    random: () => 0,
    log: (line) => log.push(line),
  });
  const base = await hub.git('rev-parse', `refs/heads/${hub.defaultBranch}`);
  return {
    hub,
    ports: { api, egress, clock, log: (line) => log.push(line) },
    clock: { advance },
    log,
    plan: {
      ...planOfIssue,
      repository: { ...planOfIssue.repository, id: hub.repositoryId },
      trigger: {
        kind: 'mention',
        id: `issue_comment-${comment.id}`,
        at: '2020-01-01T00:00:00Z',
        target: { kind: 'issue_comment', id: comment.id },
      },
      thread: { kind: 'issue', number: issue.number, title: 'Totals are off by a cent' },
      channel: { kind: 'thread', number: issue.number },
      base: { branch: hub.defaultBranch, sha: base },
      checkoutSha: base,
      pullRequest: { ...planOfIssue.pullRequest, closes: issue.number },
    },
    replies: () =>
      hub
        .snapshot()
        .comments.filter(({ author }) => author === 'github-actions[bot]')
        .map(({ body }) => body.slice(body.indexOf('\n') + 1)),
    fileAt: (branch, path) => hub.git('cat-file', 'blob', `refs/heads/${branch}:${path}`),
    close: () => hub.close(),
  };
}

/** Publishes what a run brought that put up no progress comment before. */
export function publishUnannounced(on: Stage, plan: RunPlan, bundle: Partial<Bundle> = {}): Promise<Outcome> {
  const announcement = { version: 1 as const, commentId: null, startedAt: on.ports.clock.now().toISOString(), warnings: [] };
  return publish(plan, bundleOf(plan, bundle), announcement, { ports: on.ports, signal: never });
}
