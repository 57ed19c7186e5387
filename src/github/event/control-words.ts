// Owns the answers to control words that start no run: what they say on the thread. Pure; the model is not asked for them.
import type { GateFacts, Instruction, Skip, ThreadFacts } from '../../schema/gate.ts';
import type { GitHubEvent } from '../../schema/github-event.ts';
import type { GateSettings } from '../../schema/settings.ts';
import { handleOf } from './decide-trigger.ts';
import { type SkipDecision, skip } from './skip.ts';

type Command = NonNullable<Instruction['command']>;

/** Markdown for the thread; `handle` as the workflow names us. */
const answers: Readonly<Partial<Record<Command, (handle: string) => string>>> = {
  help: renderHelp,
  stop: nothingRuns,
  status: nothingRuns,
};

/** Longer than a run that is alive lets its progress comment stand still, whatever GitHub's limits ask of it. */
const lifeSignMs = 30 * 60_000;

/** A skip whose detail is told on the thread, or null where the request is one for a run. Only for those who may ask. */
export function decideControlWord(
  { kind }: Pick<GitHubEvent, 'kind'>,
  instruction: Instruction,
  { facts, settings, notice }: { readonly facts: GateFacts; readonly settings: GateSettings; readonly notice: Skip['notice'] },
): SkipDecision | null {
  const { command } = instruction;
  if ((command === 'stop' || command === 'status') && isAtWork(facts)) return leaveToRun(kind, notice);
  const { thread } = facts;
  const answer = answerTo(instruction, thread);
  if (answer === undefined) return null;
  return skip('no_task', answer(handleOf(settings)), 'skipped', notice);
}

function answerTo({ command, text }: Instruction, thread: ThreadFacts | null): ((handle: string) => string) | undefined {
  if (command === null) return undefined;
  if (command === 'undo') return hasOurBranch(thread) ? undefined : nothingToUndo;
  return command === 'plan' && text === '' ? askForTask : answers[command];
}

function isAtWork({ thread, observedAt }: GateFacts): boolean {
  return Date.parse(observedAt) - Date.parse(thread?.progressAt ?? '') < lifeSignMs;
}

/** What a run at work listens to. */
const heard: readonly GitHubEvent['kind'][] = ['issue_comment', 'pull_request_review_comment', 'discussion_comment'];

/** It hears these two itself, even where it is not the one that this run would have waited for. */
function leaveToRun(kind: GitHubEvent['kind'], notice: Skip['notice']): SkipDecision {
  if (heard.includes(kind)) return skip('answered', 'a run is at work on this thread, and answers this itself');
  const detail =
    'A run is at work here, and does not hear this: it listens to comments of issues, pull requests and discussions, and to those on lines of a diff. Its progress comment shows how far it is, and links to its page, where it can be cancelled.';
  return skip('no_task', detail, 'skipped', notice);
}

function nothingRuns(): string {
  return 'Nothing is at work on this thread.';
}

/** An open pull request that our commits can be on: this one, or the one that we made for the issue. */
function hasOurBranch(thread: ThreadFacts | null): boolean {
  if (thread === null) return false;
  return thread.ownPull !== null || (thread.state === 'open' && thread.head !== null && !thread.head.isFork);
}

function nothingToUndo(): string {
  return 'There is nothing to take back here: no open pull request of this repository belongs to this thread.';
}

function askForTask(handle: string): string {
  return `\`plan\` needs to know what for: reply \`${handle} plan <task>\`.\n\n${renderHelp(handle)}`;
}

function renderHelp(handle: string): string {
  return [
    'What can be said here:',
    `- \`${handle} <task>\`: does it, and answers with a reply or a pull request`,
    `- \`${handle} continue\`: goes on where the work stopped, on the pull request that is open for it`,
    `- \`${handle} new <task>\`: begins anew, without the earlier conversation and on a branch of its own`,
    `- \`${handle} review\`: reads the changes of a pull request and says what it finds`,
    `- \`${handle} plan <task>\`: makes a plan and changes nothing`,
    `- \`${handle} approve\`: carries the plan out; conditions may follow, as in \`${handle} approve, but leave out step 3\``,
    `- \`${handle} undo\`: takes our newest commit back, and leaves alone what was changed since`,
    `- \`${handle} status\`: says where the run is that is at work`,
    `- \`${handle} stop\`: ends it; what is done so far is published`,
    '- options, behind these words or at the end of the line and up to what the workflow allows: `--max-turns 20` (model calls), `--budget 2` (US dollars), `--model x`',
  ].join('\n');
}
