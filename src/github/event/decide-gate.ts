// Owns the gate's decision: event and facts in, a frozen RunPlan or a reasoned Skip out; pure, deny by default (threats.md, L1).
import type { GateDecision, GateFacts, Skip, Trigger } from '../../schema/gate.ts';
import type { Actor, GitHubEvent } from '../../schema/github-event.ts';
import type { GateSettings } from '../../schema/settings.ts';
import { carriesMarker } from '../marker.ts';
import { decideControlWord } from './control-words.ts';
import { decideChannel, threadOf } from './decide-channel.ts';
import { refuseCheck } from './decide-check.ts';
import { refuseOptions } from './decide-options.ts';
import { refuseRequesters, refuseWritersWord, settingsFor } from './decide-requester.ts';
import { decideTrigger, type RunIdentity, textOf } from './decide-trigger.ts';
import { planRun } from './plan-run.ts';
import { type SkipDecision, skip } from './skip.ts';

/**
 * In order: event type, bot, trigger, own comment, permission, answers that are there, the thread with its limit, failed check, words for
 * writers, options, control words that start no run. The first no is the answer, with its reason.
 */
export function decideGate(event: GitHubEvent, facts: GateFacts, settings: GateSettings, run: RunIdentity): GateDecision {
  const request = decideTrigger(event, settings, run, facts);
  if (request.kind === 'skip') return request;
  const { trigger, instruction, sender } = request;
  const notice = decideNotice(event, facts, settings, trigger);
  return (
    refuseOwn(event, sender, facts) ??
    refuseRequesters(event, facts, settingsFor(trigger, settings)) ??
    refuseAnswered(facts, trigger, run) ??
    refuseThread(facts, settings, notice) ??
    refuseCheck(event, facts, settings, notice) ??
    refuseWritersWord(event, request, { facts, settings, notice }) ??
    refuseOptions(request, settings, notice) ??
    decideControlWord(event, instruction, { facts, settings, notice }) ?? {
      kind: 'run',
      plan: freeze(structuredClone(planRun({ event, facts, settings, run, ...request }))),
    }
  );
}

/** Where a skip is told, or null where nothing is to be said; only for who passed the permission check. */
function decideNotice(event: GitHubEvent, facts: GateFacts, settings: GateSettings, { id }: Trigger): Skip['notice'] {
  const thread = threadOf(event, facts);
  const channel = decideChannel(event, facts, settings);
  if (settings.comment !== 'auto' || thread === null || channel === null) return null;
  return { thread: thread.number, triggerId: id, selfId: facts.self.id, channel };
}

/** What somebody starts on purpose, whose token it may be; a check of what we pushed is nothing that we said. */
const deliberate: readonly GitHubEvent['kind'][] = [
  'schedule',
  'workflow_dispatch',
  'repository_dispatch',
  'workflow_run',
  'check_suite',
];

/** The account may be a person's, when the token is: then only what carries our marker, or our line in a commit, is ours. */
function refuseOwn(event: GitHubEvent, sender: Actor, facts: GateFacts): SkipDecision | null {
  if (sender.id !== facts.self.id || deliberate.includes(event.kind)) return null;
  const isPushed = event.kind === 'push' && /^Harness9-run: /m.test(event.message);
  const isOwn = sender.type === 'Bot' || carriesMarker(textOf(event)) || isPushed;
  return isOwn ? skip('own_comment', `${sender.login} is the account that harness9 writes with`) : null;
}

/**
 * Another run's reply is to this trigger, or names it as well: a second delivery of the same event, or a request that a later run took up.
 * Who runs a job again wants its answer anew.
 */
function refuseAnswered({ thread }: GateFacts, { id, kind }: Trigger, { attempt }: RunIdentity): SkipDecision | null {
  if (thread === null) return null;
  const isRerun = attempt > 1;
  const isTaken = thread.answered.includes(id) || (kind === 'failure' && thread.announced.includes(id));
  return isTaken && !isRerun ? skip('answered', `another run has taken up ${id}`) : null;
}

function refuseThread({ thread }: GateFacts, settings: GateSettings, notice: Skip['notice']): SkipDecision | null {
  if (thread === null) return null;
  if (thread.isLocked) return skip('locked', 'the thread is locked', 'denied');
  const { runsInLastDay } = thread;
  if (runsInLastDay < settings.maxRunsPerThread) return null;
  // The notice is itself a reply of ours and counts, so the next request finds one more and stays silent.
  const isFirst = runsInLastDay === settings.maxRunsPerThread;
  const count = `${runsInLastDay} ${runsInLastDay === 1 ? 'time' : 'times'}`;
  const detail = `harness9 answered ${count} here in 24 hours, max_runs_per_thread is ${settings.maxRunsPerThread}. Requests here stay unanswered until some of these are older; the workflow may set a higher limit.`;
  return skip('thread_limit', detail, 'denied', isFirst ? notice : null);
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
