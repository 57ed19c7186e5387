// A pull request that is behind its base on a simulated GitHub, and a clone of it on disk: the way of a merge from the workspace to the branch.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleMerge } from '../../src/action/merged-work.ts';
import { prepareWorkspace, type Workspace } from '../../src/compose/workspace.ts';
import { type Validated, validateBundle } from '../../src/github/change/validate-bundle.ts';
import { announce } from '../../src/github/publish/announce.ts';
import { publish } from '../../src/github/publish/publish.ts';
import type { Bundle } from '../../src/schema/bundle.ts';
import type { RunPlan } from '../../src/schema/gate.ts';
import type { Outcome } from '../../src/schema/outcome.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import { commitAll, createRepository, gitPath, never, type Place, placeAt } from './git-workspace.ts';
import { bundleOf } from './plan-and-bundle.ts';
import { openStage, type Stage } from './publish/stage.ts';

export interface Histories {
  readonly files: Readonly<Record<string, string | Buffer>>;
  /** What the pull request did since. */
  readonly ours: (place: Place) => void;
  /** What the base did since. */
  readonly theirs: (place: Place) => void;
  /** Before the first commit. */
  readonly before?: (place: Place) => void;
}

export interface MergeScene {
  readonly stage: Stage;
  /** A whole clone on the pull request's head. */
  readonly place: Place;
  readonly plan: RunPlan;
  readonly base: string;
  readonly head: string;
  prepare(more?: Partial<RunPlan>, workDir?: string): Promise<Workspace>;
  bundleFrom(
    workspace: Workspace,
    more?: { readonly result?: Partial<Bundle['result']>; readonly plan?: RunPlan },
  ): Promise<Bundle>;
  validate(bundle: Bundle, plan?: RunPlan): Validated;
  publish(bundle: Bundle, plan?: RunPlan): Promise<Outcome>;
  close(): Promise<void>;
}

const scan = () => ({ exact: false, pattern: null });

export async function openMergeScene({ files, ours, theirs, before }: Histories): Promise<MergeScene> {
  const stage = await openStage();
  const { hub } = stage;
  const place = createRepository({});
  for (const [path, content] of Object.entries(files)) place.write(path, content);
  before?.(place);
  commitAll(place, 'begin');
  place.git('branch', 'feature');
  theirs(place);
  const base = commitAll(place, 'theirs');
  place.git('checkout', '--quiet', 'feature');
  ours(place);
  const head = commitAll(place, 'ours');
  const opened = await hub.openPull({ author: 'mona', head: 'feature', title: 'A feature', files: { 'seed.txt': 'seed\n' } });
  const pusher = Buffer.from(`x-access-token:${hub.issueToken('mona', { contents: 'write', workflows: 'write' })}`).toString(
    'base64',
  );
  const url = `${hub.serverUrl}/acme/shop`;
  const withToken = ['-c', `http.${url}.extraheader=AUTHORIZATION: basic ${pusher}`];
  // Not at a stroke: the server is in this process.
  await promisify(execFile)(gitPath, [...withToken, 'push', '--quiet', '--force', url, 'main', 'feature'], {
    cwd: place.workDir,
  });
  const comment = hub.comment({ author: 'mona', issue: opened.number, body: '@harness9 resolve the conflicts' });
  const plan: RunPlan = {
    ...stage.plan,
    trigger: { ...stage.plan.trigger, id: `issue_comment-${comment.id}`, target: { kind: 'issue_comment', id: comment.id } },
    thread: { kind: 'pull_request', number: opened.number, title: 'A feature' },
    threadKey: `pull_request-${opened.number}`,
    channel: { kind: 'thread', number: opened.number },
    base: { branch: 'main', sha: base },
    head: { branch: 'feature', sha: head, repository: 'acme/shop', isFork: false, movedAfterTrigger: false },
    checkoutSha: head,
    delivery: 'push_to_head',
    mergesBase: true,
    pullRequest: { ...stage.plan.pullRequest, closes: null },
  };
  const prepare: MergeScene['prepare'] = (more, workDir) =>
    prepareWorkspace(
      {
        plan: { ...plan, ...more },
        workDir: workDir ?? place.workDir,
        stateDir: mkdtempSync(join(place.root, 'state-')),
        serverUrl: hub.serverUrl,
        token: hub.issueToken('github-actions[bot]'),
        world: { env: process.env, clock: systemClock },
      },
      never,
    );
  return {
    stage,
    place,
    plan,
    base,
    head,
    prepare,
    bundleFrom: async (workspace, more = {}) => {
      const of = more.plan ?? plan;
      const bundle = bundleOf(of);
      const result = { ...bundle.result, ...more.result };
      const collected = await workspace.collect(never);
      const merged = bundleMerge(of, { result, merge: workspace.merge, collected });
      return { ...bundle, result, ...merged, notices: [...merged.notices, ...workspace.notices] };
    },
    validate: (bundle, of = plan) => validateBundle(of, bundle, scan),
    publish: async (bundle, of = plan) => {
      const { ports } = stage;
      return publish(of, bundle, await announce(of, ports, never), { ports, signal: never });
    },
    close: async () => {
      await stage.close();
      place.remove();
    },
  };
}

/** What git makes of the same merge when a person resolves it: the tree, as `ls-tree -r` lists it. */
export function mergedByHand({ place, head, base }: MergeScene, resolve: (place: Place) => void): string {
  const root = mkdtempSync(join(tmpdir(), 'h9-hand-'));
  const workDir = join(root, 'work');
  mkdirSync(workDir);
  const hand = placeAt(root, workDir);
  try {
    hand.git('clone', '--quiet', place.workDir, '.');
    hand.git('checkout', '--quiet', '--detach', head);
    try {
      hand.git('merge', '--quiet', '--no-commit', '--no-ff', base);
    } catch {
      // There are conflicts.
    }
    resolve(hand);
    hand.git('add', '-A');
    return hand.git('ls-tree', '-r', hand.git('write-tree').trim()).trim();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
