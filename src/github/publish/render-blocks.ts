// The blocks that the reply, the pull request and the summary are put together from; pure, each empty when it has nothing to say.
import type { Bundle } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { count } from './figures.ts';
import { cutText, fencedCode, inlineCode } from './inline-code.ts';
import { type ReplyRules, sanitizeReply } from './sanitize-reply.ts';

const maxListed = 30;
const maxPatchInList = 4_000;
const maxCauseChars = 4_000;

/** Whose mention stays, which issue may be closed, which host is ours. */
export function rulesOf(plan: Pick<RunPlan, 'requester' | 'pullRequest' | 'run'>): ReplyRules {
  return { requester: plan.requester.login, closes: plan.pullRequest.closes, host: new URL(plan.run.url).host };
}

/** The model's answer made harmless, at most `maxChars` long; what is cut is named. */
export function renderAnswer(answer: string, rules: ReplyRules, maxChars: number): string {
  const text = sanitizeReply(answer, rules);
  if (text.length <= maxChars && answer.length <= maxChars) return text;
  const note = '\n\n_The answer is cut here; the whole is in the run’s output `final_message`._';
  let size = maxChars - note.length;
  let cut = sanitizeReply(cutText(answer, size), rules);
  // Making it harmless may make it longer.
  while (cut.length > maxChars - note.length && size > 100) {
    size = Math.floor(size * 0.8);
    cut = sanitizeReply(cutText(answer, size), rules);
  }
  return cut + note;
}

/** What went wrong as one line under a word, and what to do about it as a quote. */
export function renderCause(
  title: string,
  { message, hint }: { readonly message: string; readonly hint?: string | undefined },
  rules: ReplyRules,
): string {
  const line = `**${title}:** ${renderAnswer(message, rules, maxCauseChars).replace(/\s+/g, ' ')}`;
  return joinBlocks([line, hint === undefined ? '' : renderNotices([hint], rules)]);
}

/** Notices as quotes, one line each. */
export function renderNotices(notices: readonly string[], rules: ReplyRules): string {
  return notices.map((notice) => `> ${sanitizeReply(notice, rules).replace(/\s+/g, ' ')}`).join('\n>\n');
}

/** What was changed and is not published, with the reason and the diff. */
export function renderLeftOut(leftOut: Bundle['leftOut']): string {
  if (leftOut.length === 0) return '';
  const listed = leftOut.slice(0, maxListed).map(({ path, reason }) => `- ${inlineCode(path)}: ${plainReason(reason)}`);
  const more = leftOut.length > maxListed ? [`- … and ${leftOut.length - maxListed} more`] : [];
  const patch = leftOut.map((left) => left.patch).join('');
  const shown = patch === '' ? [] : ['', fencedCode(cutLines(patch), 'diff')];
  const verb = leftOut.length === 1 ? 'is' : 'are';
  return [
    `<details><summary>${count(leftOut.length, 'change')} ${verb} not published</summary>`,
    '',
    ...listed,
    ...more,
    ...shown,
    '',
    '</details>',
  ].join('\n');
}

/** The commands that were run and how they ended, from our log and not from the model (H7). */
export function renderCommands(commands: Bundle['commands']): string {
  if (commands.length === 0) return '';
  const failed = commands.filter(({ exitCode }) => exitCode !== 0).length;
  const summary = `${count(commands.length, 'command')} run${failed === 0 ? '' : `, ${failed} failed`}`;
  const shown = commands.slice(-maxListed).map(({ command, exitCode }) => `- ${inlineCode(command)} → ${exitText(exitCode)}`);
  const more = commands.length > maxListed ? [`- … ${commands.length - maxListed} before`] : [];
  return [`<details><summary>${summary}</summary>`, '', ...more, ...shown, '', '</details>'].join('\n');
}

/** Blocks with an empty line between them, empty ones left out. */
export function joinBlocks(blocks: readonly string[]): string {
  return blocks.filter((block) => block !== '').join('\n\n');
}

function exitText(exitCode: number | null): string {
  return exitCode === null ? 'ended early' : `exit code ${exitCode}`;
}

/** Reasons are ours but may quote a name. */
function plainReason(reason: string): string {
  return reason.replace(/[\p{Cc}\s]+/gu, ' ').replace(/[<>@#`[\]]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function cutLines(patch: string): string {
  if (patch.length <= maxPatchInList) return patch;
  return `${patch.slice(0, patch.lastIndexOf('\n', maxPatchInList) + 1)}… the rest is in the run’s output patch_file\n`;
}
