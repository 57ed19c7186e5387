// Owns what each event asks for: the trigger with its lasting name and the instruction, or why it asks for nothing. Pure; who asks is not its business.
import type { GateFacts, Instruction, Trigger } from '../../schema/gate.ts';
import type { CheckEvent, GitHubEvent, ThreadEvent } from '../../schema/github-event.ts';
import { oneLine } from '../../schema/one-line.ts';
import type { GateSettings } from '../../schema/settings.ts';
import { hasFailed } from '../has-failed.ts';
import { findMention } from './mention.ts';
import { type SkipDecision, skip } from './skip.ts';

/** What a bare mention, a label or an assignment asks for. */
const defaultInstruction = 'Read this thread and do what it asks for. When it asks for nothing that can be done, answer it.';

export interface Request {
  readonly kind: 'trigger';
  readonly trigger: Trigger;
  readonly instruction: Instruction;
  /** What cannot be read of the comment's options. */
  readonly problems: readonly string[];
}

/** What a request is read with. `known`: the facts; without them the trigger of a failed check has no lasting name yet. */
export interface RequestFrame {
  readonly settings: GateSettings;
  readonly run: { readonly id: number; readonly job: string };
  readonly known: Pick<GateFacts, 'observedAt' | 'check'> | null;
}

export function findRequest(event: GitHubEvent, frame: RequestFrame): Request | SkipDecision {
  switch (event.kind) {
    case 'issue_comment':
    case 'pull_request_review_comment':
    case 'pull_request_review':
    case 'discussion_comment':
      return requestOfComment(event, frame);
    case 'issues':
    case 'pull_request':
    case 'pull_request_target':
    case 'discussion':
      return requestOfThread(event, frame);
    case 'workflow_run':
    case 'check_suite':
      return requestOfCheck(event, frame);
    case 'push':
      if (event.isDeleted) return skip('no_task', `${event.ref} was deleted, and there is nothing to work on`);
      return requestOfPrompt(event, frame);
    case 'workflow_dispatch':
    case 'repository_dispatch':
    case 'schedule':
      return requestOfPrompt(event, frame);
    case 'other':
      return skip('unsupported_event', adviceFor(event.name));
  }
}

/** Where people take the wrong event for the one they mean. */
const betterEvents: ReadonlyMap<string, string> = new Map([
  ['check_run', '`workflow_run`, or `check_suite` for the checks of other apps'],
  ['status', '`workflow_run`, or `check_suite` for the checks of other apps'],
  ['pull_request_review_thread', '`pull_request_review_comment`'],
  ['workflow_call', 'the event of the calling workflow, which a called one sees as its own'],
]);

function adviceFor(name: string): string {
  const better = betterEvents.get(name) ?? 'a comment, a label, a schedule or a dispatch';
  return `the event ${name} carries no task for harness9; what it answers is ${better}`;
}

type CommentEvent = Extract<GitHubEvent, { readonly comment: unknown }>;

function requestOfComment(event: CommentEvent, { settings }: RequestFrame): Request | SkipDecision {
  const isReview = event.kind === 'pull_request_review';
  if (event.action !== (isReview ? 'submitted' : 'created')) {
    const what = isReview ? 'review' : 'comment';
    return skip('no_task', `a ${what} that was ${event.action} starts nothing, only a new one does`);
  }
  const mention = findMention(event.comment.body, settings.triggerPhrases);
  if (mention.kind === 'none') return skip('no_mention', mention.why);
  const { id, createdAt } = event.comment;
  const trigger: Trigger = {
    kind: 'mention',
    id: `${event.kind}-${id}`,
    at: createdAt,
    target: targetOf(event),
    ...(event.kind === 'pull_request_review_comment'
      ? { location: { path: event.path, line: event.line, diffHunk: event.diffHunk } }
      : {}),
  };
  return requestBy(trigger, completeInstruction(mention.instruction, event, settings.prompt), mention.problems);
}

function targetOf(event: CommentEvent): Trigger['target'] {
  switch (event.kind) {
    case 'issue_comment':
      return { kind: 'issue_comment', id: event.comment.id };
    case 'pull_request_review_comment':
      return { kind: 'review_comment', id: event.comment.id };
    case 'pull_request_review':
      return { kind: 'node', id: event.nodeId };
    case 'discussion_comment':
      return { kind: 'node', id: event.comment.nodeId };
  }
}

type ChangeEvent = Extract<GitHubEvent, { readonly kind: 'issues' | 'pull_request' | 'pull_request_target' | 'discussion' }>;

/** In order: the label, the assignment, the workflow's prompt, and a mention in what was opened. */
function requestOfThread(event: ChangeEvent, { settings, run }: RequestFrame): Request | SkipDecision {
  const { kind, number } = event.thread;
  const target: Trigger['target'] = event.kind === 'discussion' ? { kind: 'node', id: event.nodeId } : { kind: 'issue', number };
  const found = (trigger: Pick<Trigger, 'kind' | 'id' | 'label'>, instruction: Instruction, problems?: readonly string[]) =>
    requestBy({ ...trigger, at: event.createdAt, target }, instruction, problems);
  const bare = completeInstruction({ text: '', command: null }, event, settings.prompt);
  const { label, assignee } = event.kind === 'discussion' ? {} : event;
  if (event.action === 'labeled' && label !== undefined && isName(label, settings.labelTrigger)) {
    return found({ kind: 'label', id: `label-${number}-run-${run.id}`, label }, bare);
  }
  if (event.action === 'assigned' && isName(assignee, settings.assigneeTrigger)) {
    return found({ kind: 'assignment', id: `assignment-${number}-run-${run.id}` }, bare);
  }
  if (settings.prompt !== null) return found({ kind: 'prompt', id: `${kind}-${number}-${runKey(run)}` }, bare);
  if (event.action !== 'opened' && event.action !== 'created') return skip('no_task', whatWouldAsk(event, settings));
  const inBody = findMention(event.body, settings.triggerPhrases);
  const mention = inBody.kind === 'mention' ? inBody : findMention(event.title, settings.triggerPhrases);
  if (mention.kind === 'none') return skip('no_mention', inBody.kind === 'none' ? inBody.why : mention.why);
  const instruction = completeInstruction(mention.instruction, event, null);
  return found({ kind: 'mention', id: `${kind}-${number}-opened` }, instruction, mention.problems);
}

const threadWords = { issue: 'an issue', pull_request: 'a pull request', discussion: 'a discussion' } as const;

function whatWouldAsk({ action, thread }: ChangeEvent, { labelTrigger, assigneeTrigger, triggerPhrases }: GateSettings): string {
  const ways = [
    ...(labelTrigger && thread.kind !== 'discussion' ? [`the label "${labelTrigger}"`] : []),
    ...(assigneeTrigger && thread.kind !== 'discussion' ? [`an assignment to ${assigneeTrigger}`] : []),
    `a mention of ${triggerPhrases.join(' or ')} when it is opened or in a comment`,
    'the input `prompt`',
  ];
  return `${threadWords[thread.kind]} that was ${action} asks for nothing here; ${ways.join(', or ')} would`;
}

/** Its own for each job, since two jobs of one run may have two prompts; the same when the run is run again. */
function runKey({ id, job }: RequestFrame['run']): string {
  return job === '' ? `run-${id}` : `run-${id}-${job}`;
}

type PromptEvent = Extract<GitHubEvent, { readonly kind: 'push' | 'workflow_dispatch' | 'repository_dispatch' | 'schedule' }>;

function requestOfPrompt(event: PromptEvent, { settings, run, known }: RequestFrame): Request | SkipDecision {
  if (settings.prompt === null) return skip('no_task', `${event.kind} needs the input prompt, which says what is to be done`);
  const trigger: Trigger = {
    kind: 'prompt',
    id: `${event.kind}-${runKey(run)}`,
    at: known?.observedAt ?? '',
    target: null,
  };
  return requestBy(trigger, { text: settings.prompt, command: null });
}

/** One trigger for each head of a pull request, whichever of its checks failed first: one attempt a head. */
function requestOfCheck(event: CheckEvent, { settings, known }: RequestFrame): Request | SkipDecision {
  const { check, headSha } = event;
  const name = oneLine(check.name, 100);
  if (event.action !== 'completed' || !hasFailed(check.conclusion)) {
    return skip('no_task', `"${name}" was ${event.action} (${check.conclusion || 'no conclusion'}); only a failure starts a run`);
  }
  const commit = headSha.slice(0, 12);
  const pull = known?.check?.pull ?? null;
  const id = pull === null ? `fix-${commit}` : `fix-${pull.number}-${commit}`;
  const order = `The check "${name}" failed on the commit ${commit} of this pull request. Find the cause in its log and mend it.`;
  const text = [order, settings.prompt ?? ''].filter((part) => part !== '').join('\n\n');
  return requestBy({ kind: 'failure', id, at: event.createdAt, target: null }, { text, command: null });
}

function requestBy(trigger: Trigger, instruction: Instruction, problems: readonly string[] = []): Request {
  return { kind: 'trigger', trigger, instruction, problems };
}

function isName(seen: string | undefined, wanted: string | null): boolean {
  return wanted !== null && wanted !== '' && seen?.toLowerCase() === wanted.toLowerCase();
}

/** The workflow's prompt comes first, then what the comment adds; neither → the default. A prompt that begins with `review` asks for one. */
function completeInstruction(instruction: Instruction, { thread }: ThreadEvent, prompt: string | null): Instruction {
  const texts = [prompt ?? '', instruction.text].filter((text) => text !== '');
  const asksForReview = thread.kind === 'pull_request' && /^\s*review(?![\w-])/i.test(prompt ?? '');
  const command = instruction.command ?? (asksForReview ? 'review' : null);
  const isBare = texts.length === 0 && command === null;
  return { ...instruction, command, text: isBare ? defaultInstruction : texts.join('\n\n') };
}
