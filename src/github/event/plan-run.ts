// Owns what an accepted request may do: the RunPlan out of event, facts and settings; pure, asks nobody.
import type { GateFacts, Instruction, OwnPull, PullHead, RunPlan, Trigger, Trust } from '../../schema/gate.ts';
import type { Actor, GitHubEvent } from '../../schema/github-event.ts';
import type { GateSettings } from '../../schema/settings.ts';
import { mayWriteOn } from '../own-pull.ts';
import { isLegalBranchName, renderBranchName, shortHash } from './branch-name.ts';
import { decideChannel, threadOf } from './decide-channel.ts';
import { decideMerge } from './decide-merge.ts';
import { chosenModel } from './decide-options.ts';
import { asksAsWriter } from './decide-requester.ts';
import { handleOf, type RunIdentity } from './decide-trigger.ts';
import { checkedOutHead, decideMeans, decideTrust } from './decide-trust.ts';
import { withWaiting } from './with-waiting.ts';

export interface PlanInput {
  readonly event: GitHubEvent;
  readonly facts: GateFacts;
  readonly settings: GateSettings;
  readonly run: RunIdentity;
  readonly trigger: Trigger;
  readonly instruction: Instruction;
  readonly sender: Actor;
}

/** The plan of an accepted request, not frozen yet. */
export function planRun(input: PlanInput): RunPlan {
  const { event, facts, settings, run, trigger, sender } = input;
  const context = settings.context === 'writers' ? 'writers' : 'all';
  const isRequesterWriter = asksAsWriter(event, facts.requester, settings);
  const instruction = withWaiting(input.instruction, facts.thread, trigger);
  const thread = threadOf(event, facts);
  const ownPull = decideOwnPull(facts, instruction);
  const { trust, reason } = decideTrust({ facts, isRequesterWriter, requester: sender.login, context, ownPull });
  const head = ownPull === null ? checkedOutHead(facts) : headOf(ownPull, event);
  const mode = decideMode(event, instruction, { thread, head });
  const delivery = decideDelivery({ head, ownPull }, settings, { trust, mode });
  const isStacked = head !== null && delivery === 'pull_request';
  const base = isStacked ? { branch: head.branch, sha: head.sha } : (ownPull?.base ?? facts.base);
  return {
    version: 1,
    repository: event.repository,
    event: { kind: event.kind, action: event.action },
    run: { id: run.id, attempt: run.attempt, url: run.url, workflowPath: run.workflowPath, job: run.job },
    trigger,
    requester: { login: sender.login, id: sender.id },
    self: facts.self,
    instruction,
    thread,
    threadKey: thread === null ? `other-${shortHash(placeOf(run))}` : `${thread.kind}-${thread.number}`,
    base,
    head: ownPull === null ? (facts.thread?.head ?? null) : head,
    checkoutSha: head?.sha ?? base.sha,
    trust,
    trustReason: reason,
    handle: handleOf(settings),
    mode,
    ...decideMeans(trust, {
      mode,
      isPrivate: event.repository.isPrivate,
      network: settings.network,
      mayPropose: isRequesterWriter && checkedOutHead(facts)?.isFork === true,
    }),
    delivery,
    branchName: branchNameOf(input, thread),
    pullRequest: pullRequestOf(settings, facts, { trust, thread, ownPull }),
    failedCheck: failedCheckOf(event, facts),
    channel: decideChannel(event, facts, settings),
    alsoAnswers: trigger.kind === 'mention' ? (facts.thread?.waiting ?? []).map(({ triggerId }) => triggerId) : [],
    model: chosenModel(instruction.model, settings.models),
    ...decideMerge({ instruction, mode, delivery, head, ownPull }, facts),
    ...wishesOf(settings),
    context,
    limits: limitsOf(settings, instruction),
    session: instruction.command === 'new' && settings.session === 'auto' ? 'new' : settings.session,
  };
}

/** What of the settings stands in the plan as it is. */
function wishesOf(settings: GateSettings) {
  return {
    commitMessage: settings.commitMessage,
    inlineComments: settings.inlineComments,
    includeDiff: settings.includeDiff,
    mayApprove: settings.allowApprove,
    dryRun: settings.dryRun,
    language: settings.language,
    actors: { include: settings.includeActors, exclude: settings.excludeActors },
    protectedPaths: settings.protectedPaths,
    allowedPaths: settings.allowedPaths,
    // Who writes nothing says nothing, from the first sign to the last.
    comment: settings.dryRun ? 'none' : settings.comment,
    reaction: settings.dryRun ? 'none' : settings.reaction,
  };
}

function limitsOf(settings: GateSettings, { maxTurns, maxCostUsd }: Instruction): RunPlan['limits'] {
  return {
    maxTurns: lowerLimit(settings.maxTurns, maxTurns),
    timeoutMs: settings.timeoutMs,
    maxTokensTotal: settings.maxTokensTotal,
    maxCostUsd: lowerCost(settings.maxCostUsd, maxCostUsd),
    maxPatchFiles: settings.maxPatchFiles,
    maxPatchBytes: settings.maxPatchBytes,
    maxDeletions: settings.maxDeletions,
  };
}

function pullRequestOf(
  settings: GateSettings,
  facts: GateFacts,
  { trust, thread, ownPull }: Pick<RunPlan, 'trust' | 'thread'> & Pick<Heads, 'ownPull'>,
): RunPlan['pullRequest'] {
  const left = ownPull === null ? facts.thread?.ownPull : null;
  return {
    mode: pullRequestMode(settings, trust),
    closes: thread?.kind === 'issue' ? thread.number : null,
    ...(ownPull === null ? {} : { continues: ownPull.number }),
    ...(left ? { leaves: left.number } : {}),
    title: settings.prTitle,
    labels: settings.prLabels,
    reviewers: settings.prReviewers,
    assignees: settings.prAssignees,
  };
}

function failedCheckOf(event: GitHubEvent, { check: facts }: GateFacts): RunPlan['failedCheck'] {
  if (!('check' in event) || facts === null) return null;
  const { id, attempt, name } = event.check;
  const base = facts.base === 'passed' ? 'passed' : 'unknown';
  return { kind: event.kind, id, attempt, name, headSha: event.headSha, passedBefore: facts.passedBefore, base };
}

/** A review needs a pull request whose head is checked out; what is asked of a closed one, or of an issue, is answered as any request. */
function decideMode(
  event: GitHubEvent,
  { command }: Instruction,
  { thread, head }: Pick<RunPlan, 'thread' | 'head'>,
): RunPlan['mode'] {
  if ('check' in event) return 'fix';
  if (command === 'plan' || command === 'undo') return command;
  return command === 'review' && thread?.kind === 'pull_request' && head !== null ? 'review' : 'act';
}

/** What we began for an issue is gone on with, so that workspace and conversation agree; `new` begins both again from the base. */
function decideOwnPull(facts: GateFacts, { command }: Instruction): OwnPull | null {
  return command === 'new' ? null : (facts.thread?.ownPull ?? null);
}

/** Only who may write here pushes to a branch of this repository, so there is no question of when it moved (B6). */
function headOf({ branch, sha }: OwnPull, { repository: { owner, name } }: GitHubEvent): PullHead {
  return { branch, sha, repository: `${owner}/${name}`, isFork: false, movedAfterTrigger: false };
}

interface Heads {
  readonly head: PullHead | null;
  readonly ownPull: OwnPull | null;
}

/**
 * Untrusted, or asked to read only → the reply only. Our newest commit is taken back on the branch that it is on, whatever the texts around it
 * are: no model reads them. An open pull request of this repository: pushed to its head by a trusted run, stacked on it where
 * `push_to_pr` is off, and never touched by a mixed run, but for an own draft that only mixed runs wrote. Everything else becomes a new
 * pull request (G1-07, G1-09, G1-14).
 */
function decideDelivery(
  { head, ownPull }: Heads,
  settings: GateSettings,
  { trust, mode }: Pick<RunPlan, 'trust' | 'mode'>,
): RunPlan['delivery'] {
  if (mode === 'plan' || mode === 'review') return 'reply';
  if (mode === 'undo') return head === null || head.movedAfterTrigger ? 'reply' : pushOrStack(settings);
  if (trust === 'untrusted') return 'reply';
  if (head === null) return 'pull_request';
  if (ownPull !== null) return settings.pushToPr && mayWriteOn(ownPull, trust) ? 'push_to_head' : 'pull_request';
  if (trust === 'mixed' || !isLegalBranchName(head.branch)) return 'reply';
  return pushOrStack(settings);
}

function pushOrStack({ pushToPr }: GateSettings): RunPlan['delivery'] {
  return pushToPr ? 'push_to_head' : 'pull_request';
}

/** Only a trusted run's pull request is made ready; where none is wanted, or a person is to make it, none is made. */
function pullRequestMode({ createPr }: GateSettings, trust: Trust): RunPlan['pullRequest']['mode'] {
  return createPr === 'ready' && trust !== 'trusted' ? 'draft' : createPr;
}

/** What a comment asks for, up to the workflow's ceiling; 0 is no ceiling. */
function lowerLimit(ceiling: number, wanted: number | undefined): number {
  if (wanted === undefined) return ceiling;
  return ceiling === 0 ? wanted : Math.min(ceiling, wanted);
}

/** As `lowerLimit`, in US dollars; null is no ceiling. */
function lowerCost(ceiling: number | null, wanted: number | undefined): number | null {
  if (wanted === undefined) return ceiling;
  return ceiling === null ? wanted : Math.min(ceiling, wanted);
}

/**
 * A schedule keeps one branch, so that it has at most one pull request; so does the same workflow when a person starts it as it is, to try it.
 * Everything else gets one for each trigger: what a person fills in is another task each time.
 */
function branchNameOf({ event, run, trigger, settings }: PlanInput, thread: RunPlan['thread']): string {
  if (thread !== null) {
    const kind = thread.kind === 'pull_request' ? 'pr' : thread.kind;
    return renderBranchName(settings.branchName, { kind, number: String(thread.number), title: thread.title, key: trigger.id });
  }
  const title = (run.workflowPath.split('/').at(-1) ?? '').replace(/\.ya?ml$/, '');
  if (event.kind === 'schedule' || (event.kind === 'workflow_dispatch' && !event.hasInputs)) {
    return renderBranchName(settings.branchName, { kind: 'schedule', number: run.job, title, key: placeOf(run) });
  }
  return renderBranchName(settings.branchName, { kind: 'run', number: String(run.id), title, key: trigger.id });
}

/** Workflow, job and branch: what runs without a thread are the same conversation by. */
function placeOf(run: RunIdentity): string {
  return `${run.workflowPath}\n${run.job}\n${run.ref}`;
}
