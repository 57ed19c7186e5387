// The checked-out repository around a run: put on the pinned commit, stripped of credentials, measured before and after.
import path from 'node:path';
import { type Collected, type CollectRequest, nothingCollected } from '../github/change/collect-changes.ts';
import { takeManifest } from '../github/change/manifest.ts';
import { createMergeRules } from '../github/change/merge-rules.ts';
import { createWork, isChanged } from '../github/change/work.ts';
import { type CheckedOut, checkOut } from '../github/checkout/checkout-head.ts';
import { hideCredentials } from '../github/checkout/credentials.ts';
import { type BaseMerge, mergeBase } from '../github/checkout/merge-base.ts';
import { type BaseReader, type BaseTree, createBaseReader } from '../github/checkout/read-base.ts';
import { createRunGit, findExecutable, type RunGit } from '../github/checkout/run-git.ts';
import type { RunPlan } from '../schema/gate.ts';
import type { World } from '../schema/world.ts';
import type { Verification } from './edge-parts.ts';
import type { GuidanceFiles } from './guidance.ts';

export interface WorkspaceOptions {
  readonly plan: RunPlan;
  readonly workDir: string;
  /** This run's private folder, outside the workspace. */
  readonly stateDir: string;
  readonly serverUrl: string;
  readonly token: string;
  readonly world: Pick<World, 'env' | 'clock'>;
}

/** A workspace that is ready for untrusted processes. */
export interface Workspace {
  /** Files in which actions/checkout had left credentials; hidden until `restore`. */
  readonly credentialFiles: readonly string[];
  /** The base commit's files: instructions and skills never come from a head. To be read before any command runs. */
  readonly baseFiles: GuidanceFiles;
  /** What came of merging the base into it; null: that was not asked for. */
  readonly merge: BaseMerge | null;
  /** What people should know of how it was prepared. */
  readonly notices: readonly string[];
  /** What `verify_command` needs to know of the work, and what it writes is kept out of it. */
  readonly verification: Verification;
  /** What differs from the start. Only when the sandbox is dead. */
  collect(signal: AbortSignal): Promise<Collected>;
  /** Puts the credentials of actions/checkout back for the steps that follow. */
  restore(): Promise<void>;
}

/** Prepares the workspace. Throws NOT_A_CHECKOUT and the like before anything was changed. */
export async function prepareWorkspace(options: WorkspaceOptions, signal: AbortSignal): Promise<Workspace> {
  const { plan, workDir, world } = options;
  const gitPath = findExecutable('git', world.env.PATH);
  const git = createRunGit(gitPath, world.env);
  const checkedOut = await checkOut({ ...options, gitPath, env: world.env }, signal);
  const gitDir = path.join(options.stateDir, 'base.git');
  const base = await createBaseReader({ workDir, privateDir: gitDir, git }, signal);
  const merge = plan.mergesBase ? await mergeIn(options, { checkedOut, git, gitDir, reader: base }, signal) : null;
  const inPlace = { commit: checkedOut.sha, ...(merge?.kind === 'merged' ? { tree: merge.tree } : {}) };
  // A run that only reads can change nothing: there is nothing to measure.
  const before =
    plan.tools === 'read_only' ? null : await takeManifest({ ...inPlace, workDir, git, base, clock: world.clock }, signal);
  const credentials = await hideCredentials(workDir, git, signal);
  return {
    credentialFiles: credentials.files,
    baseFiles: checkedOut.hasBase ? filesOf(await base.openTree(plan.base.sha, signal), signal) : noFiles,
    merge,
    notices: [...(checkedOut.hasBase ? [] : [noBaseNotice(plan)]), ...noticesOfMerge(plan, merge)],
    ...(before === null ? nothingToMeasure : measure({ before, workDir, base, limits: plan.limits }, merge?.kind === 'merged')),
    restore: () => credentials.restore(),
  };
}

interface Prepared {
  readonly checkedOut: CheckedOut;
  readonly git: RunGit;
  readonly gitDir: string;
  readonly reader: BaseReader;
}

async function mergeIn(options: WorkspaceOptions, { checkedOut, ...own }: Prepared, signal: AbortSignal): Promise<BaseMerge> {
  if (!checkedOut.hasBase) return { kind: 'impossible', why: 'its commit could not be fetched' };
  return mergeBase({ ...options, ...own, refuses: createMergeRules(options.plan) }, signal);
}

function noticesOfMerge({ base, mode, noMerge }: RunPlan, merge: BaseMerge | null): string[] {
  // What a plan says of it is the plan's.
  if (noMerge !== undefined && mode !== 'plan') return [`\`${noMerge.branch}\` was not merged into this branch: ${noMerge.why}.`];
  const name = `\`${base.branch}\` (${base.sha.slice(0, 7)})`;
  if (merge?.kind === 'up_to_date') return [`${name} is in this branch already: there was nothing to merge.`];
  return merge?.kind === 'impossible' ? [`${name} was not merged into this branch: ${merge.why}.`] : [];
}

type Measured = Pick<Workspace, 'verification' | 'collect'>;

const nothingToMeasure: Measured = {
  verification: {
    begin: async () => false,
    end: async () => undefined,
    workAtEnd: () => ({ isChanged: false, isVerified: false }),
  },
  collect: async () => nothingCollected,
};

/** `isMerged`: the base is in the files, which is work to verify though the run itself changes nothing. */
function measure(request: CollectRequest, isMerged: boolean): Measured {
  const work = createWork(request, isMerged);
  return {
    collect: work.collect,
    verification: {
      begin: work.beginCheck,
      end: work.endCheck,
      workAtEnd: (collected) => ({ isChanged: isMerged || isChanged(collected), isVerified: work.isAsChecked(collected) }),
    },
  };
}

function noBaseNotice({ base }: RunPlan): string {
  return `The base commit ${base.sha.slice(0, 7)} of \`${base.branch}\` could not be fetched, so this run did without the repository’s instructions and skills.`;
}

/** Where the base commit could not be had. */
const noFiles: GuidanceFiles = { list: async () => [], read: async () => null };

function filesOf(tree: BaseTree, signal: AbortSignal): GuidanceFiles {
  return { list: async (folder) => tree.list(folder), read: (path) => tree.read(path, signal) };
}
