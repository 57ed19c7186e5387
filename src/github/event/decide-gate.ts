// Owns the gate's decision: event and facts in, a frozen RunPlan or a reasoned Skip out; pure, deny by default (threats.md, L1).
import type { GateDecision, GateFacts, Instruction, OwnPull, PullHead, RunPlan, Trigger, Trust } from '../../schema/gate.ts';
import type { Actor, GitHubEvent } from '../../schema/github-event.ts';
import type { GateSettings } from '../../schema/settings.ts';
import { carriesMarker } from '../marker.ts';
import { mayWriteOn } from '../own-pull.ts';
import { isLegalBranchName, renderBranchName, shortHash } from './branch-name.ts';
import { decideControlWord } from './control-words.ts';
import { asksAsWriter, refuseApproval, refuseRequester } from './decide-requester.ts';
import {
  decideTrigger,
  handleOf,
  type NoticeOrigin,
  noticeOn,
  type RunIdentity,
  type SkipDecision,
  skip,
} from './decide-trigger.ts';
import { checkedOutHead, decideMeans, decideTrust } from './decide-trust.ts';

/** In order: event type, bot, trigger, own comment, permission, thread, limits, approvals, control words that start no run. The first no is the answer, with its reason. */
export function decideGate(event: GitHubEvent, facts: GateFacts, settings: GateSettings, run: RunIdentity): GateDecision {
  const request = decideTrigger(event, settings, run, facts.observedAt);
  if (request.kind === 'skip') return request;
  const { sender } = request;
  const about = { triggerId: request.trigger.id, selfId: facts.self.id };
  return (
    refuseOwn(event, sender, facts) ??
    refuseRequester(sender, facts.requester, settings) ??
    refuseThread(event, facts, settings, about) ??
    refuseApproval(request, facts.requester, settings, noticeOn(event, settings, about)) ??
    decideControlWord(event, request.instruction, settings, about) ?? {
      kind: 'run',
      plan: freeze(structuredClone(planRun({ event, facts, settings, run, ...request }))),
    }
  );
}

/** The account may be a person's, when the token is: then only what carries our marker is ours. */
function refuseOwn(event: GitHubEvent, sender: Actor, facts: GateFacts): SkipDecision | null {
  if (sender.id !== facts.self.id || event.kind === 'schedule' || event.kind === 'workflow_dispatch') return null;
  const body = 'comment' in event ? event.comment.body : '';
  const isOwn = sender.type === 'Bot' || carriesMarker(body);
  return isOwn ? skip('own_comment', `${sender.login} is the account that harness9 writes with`) : null;
}

function refuseThread(event: GitHubEvent, facts: GateFacts, settings: GateSettings, about: NoticeOrigin): SkipDecision | null {
  const { thread } = facts;
  if (thread === null) return null;
  if (thread.isLocked) return skip('locked', 'the thread is locked', 'denied');
  const { runsInLastDay } = thread;
  if (runsInLastDay < settings.maxRunsPerThread) return null;
  // The notice is itself a reply of ours and counts, so the next request finds one more and stays silent.
  const isFirst = runsInLastDay === settings.maxRunsPerThread;
  const count = `${runsInLastDay} ${runsInLastDay === 1 ? 'time' : 'times'}`;
  const detail = `harness9 answered ${count} here in 24 hours, max_runs_per_thread is ${settings.maxRunsPerThread}. Later requests of this day are not answered.`;
  return skip('thread_limit', detail, 'denied', isFirst ? noticeOn(event, settings, about) : null);
}

interface PlanInput {
  readonly event: GitHubEvent;
  readonly facts: GateFacts;
  readonly settings: GateSettings;
  readonly run: RunIdentity;
  readonly trigger: Trigger;
  readonly instruction: Instruction;
  readonly sender: Actor;
}

function planRun(input: PlanInput): RunPlan {
  const { event, facts, settings, run, trigger, instruction, sender } = input;
  const context = settings.context === 'writers' ? 'writers' : 'all';
  const isRequesterWriter = asksAsWriter(sender, facts.requester, settings);
  const ownPull = decideOwnPull(facts, instruction);
  const { trust, reason } = decideTrust({ facts, isRequesterWriter, requester: sender.login, context, ownPull });
  const head = ownPull === null ? checkedOutHead(facts) : headOf(ownPull, event);
  const mode = instruction.command === 'plan' ? 'plan' : 'act';
  const delivery = decideDelivery({ head, ownPull }, settings, { trust, mode });
  const isStacked = head !== null && delivery === 'pull_request';
  const base = isStacked ? { branch: head.branch, sha: head.sha } : baseOf(facts, ownPull);
  const thread = 'thread' in event ? { ...event.thread, title: event.title } : null;
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
    threadKey: threadKeyOf(input),
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
    branchName: branchNameOf(input),
    pullRequest: {
      mode: pullRequestMode(settings, trust),
      closes: thread?.kind === 'issue' ? thread.number : null,
      ...(ownPull === null ? {} : { continues: ownPull.number }),
    },
    context,
    limits: {
      maxTurns: lowerLimit(settings.maxTurns, instruction.maxTurns),
      timeoutMs: settings.timeoutMs,
      maxTokensTotal: settings.maxTokensTotal,
      maxCostUsd: settings.maxCostUsd,
      maxPatchFiles: settings.maxPatchFiles,
      maxPatchBytes: settings.maxPatchBytes,
      maxDeletions: settings.maxDeletions,
    },
    protectedPaths: settings.protectedPaths,
    session: instruction.command === 'new' && settings.session === 'auto' ? 'new' : settings.session,
    comment: settings.comment,
    reaction: settings.reaction,
  };
}

/** What we began for an issue is gone on with, so that workspace and conversation agree; `new` begins both again from the base. */
function decideOwnPull(facts: GateFacts, { command }: Instruction): OwnPull | null {
  return command === 'new' ? null : (facts.thread?.ownPull ?? null);
}

/** Only who may write here pushes to a branch of this repository, so there is no question of when it moved (B6). */
function headOf({ branch, sha }: OwnPull, { repository: { owner, name } }: GitHubEvent): PullHead {
  return { branch, sha, repository: `${owner}/${name}`, isFork: false, movedAfterTrigger: false };
}

/** The pull request's base, at its newest commit where that is known. */
function baseOf(facts: GateFacts, ownPull: OwnPull | null): GateFacts['base'] {
  return ownPull === null || ownPull.base.branch === facts.base.branch ? facts.base : ownPull.base;
}

interface Heads {
  readonly head: PullHead | null;
  readonly ownPull: OwnPull | null;
}

/**
 * Untrusted, or asked for a plan → the reply only. An open pull request of this repository: pushed to its head by a trusted run, stacked on it where
 * `push_to_pr` is off, and never touched by a mixed run, but for an own draft that only mixed runs wrote. Everything else becomes a new
 * pull request (G1-07, G1-09, G1-14).
 */
function decideDelivery(
  { head, ownPull }: Heads,
  settings: GateSettings,
  { trust, mode }: Pick<RunPlan, 'trust' | 'mode'>,
): RunPlan['delivery'] {
  if (trust === 'untrusted' || mode === 'plan') return 'reply';
  if (head === null) return 'pull_request';
  if (ownPull !== null) return settings.pushToPr && mayWriteOn(ownPull, trust) ? 'push_to_head' : 'pull_request';
  if (trust === 'mixed' || !isLegalBranchName(head.branch)) return 'reply';
  return settings.pushToPr ? 'push_to_head' : 'pull_request';
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

function threadKeyOf({ event, run }: PlanInput): string {
  if ('thread' in event) return `${event.thread.kind}-${event.thread.number}`;
  return `other-${shortHash(placeOf(run))}`;
}

/** A schedule keeps one branch, so that it has at most one pull request; everything else gets one for each trigger. */
function branchNameOf({ event, run, trigger, settings }: PlanInput): string {
  if ('thread' in event) {
    const kind = event.thread.kind === 'issue' ? 'issue' : 'pr';
    return renderBranchName(settings.branchName, {
      kind,
      number: String(event.thread.number),
      title: event.title,
      key: trigger.id,
    });
  }
  const title = (run.workflowPath.split('/').at(-1) ?? '').replace(/\.ya?ml$/, '');
  if (event.kind === 'schedule') {
    return renderBranchName(settings.branchName, { kind: 'schedule', number: run.job, title, key: placeOf(run) });
  }
  return renderBranchName(settings.branchName, { kind: 'run', number: String(run.id), title, key: trigger.id });
}

/** Workflow, job and branch: what runs without a thread are the same conversation by. */
function placeOf(run: RunIdentity): string {
  return `${run.workflowPath}\n${run.job}\n${run.ref}`;
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
