// Owns the answers to control words that start no run: what they say on the thread. Pure; the model is not asked for them.
import type { Instruction } from '../../schema/gate.ts';
import type { GitHubEvent } from '../../schema/github-event.ts';
import type { GateSettings } from '../../schema/settings.ts';
import { handleOf, type NoticeOrigin, noticeOn, type SkipDecision, skip } from './decide-trigger.ts';

type Command = NonNullable<Instruction['command']>;

/** Markdown for the thread; `handle` as the workflow names us. */
const answers: Readonly<Partial<Record<Command, (handle: string) => string>>> = {
  help: renderHelp,
  stop: () => 'Nothing was running on this thread when this was read.',
  status: () => 'Nothing was running on this thread when this was read.',
  undo: (handle) =>
    `\`undo\` is not offered by this version. Close the pull request, revert its commit, or reply \`${handle} take back …\` with what is to go.`,
};

/** A skip whose detail is told on the thread, or null where the request is one for a run. Only for those who may ask. */
export function decideControlWord(
  event: GitHubEvent,
  instruction: Instruction,
  settings: GateSettings,
  about: NoticeOrigin,
): SkipDecision | null {
  const answer = answerTo(instruction);
  if (answer === undefined) return null;
  return skip('no_task', answer(handleOf(settings)), 'skipped', noticeOn(event, settings, about));
}

function answerTo({ command, text }: Instruction): ((handle: string) => string) | undefined {
  if (command === null) return undefined;
  return command === 'plan' && text === '' ? askForTask : answers[command];
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
    '- `--max-turns 20` after any of them: at most 20 model calls',
  ].join('\n');
}
