// The blocks that the reply, the pull request and the summary are put together from; pure, each bounded, and empty when it has nothing to say.
import type { RunPlan } from '../../schema/gate.ts';
import { renderNumber } from './figures.ts';
import { cutText, inlineCode } from './inline-code.ts';
import { joinBlocks } from './join-blocks.ts';
import { type ReplyRules, sanitizeReply } from './sanitize-reply.ts';

const maxNotices = 15;
const maxNoticeChars = 1_500;
/** All notices together: they must not take the answer's room. */
const maxNoticesChars = 10_000;
const maxCauseChars = 4_000;
const maxNameChars = 250;
const ellipsis = ' …';

/** Whose mention stays, which issue may be closed, which host is ours. */
export function rulesOf(plan: Pick<RunPlan, 'requester' | 'pullRequest' | 'run'>): ReplyRules {
  return { requester: plan.requester.login, closes: plan.pullRequest.closes, host: new URL(plan.run.url).host };
}

/** The model's answer made harmless, with `note` at most `maxChars` long; the note says where the rest is, and stands only where one is missing. */
export function renderAnswer(
  answer: string,
  rules: ReplyRules,
  bounds: { readonly maxChars: number; readonly note: string },
): string {
  return fitText(answer, rules, { maxChars: bounds.maxChars, note: `\n\n${bounds.note}` });
}

/** What went wrong as one line under a word, and what to do about it as a quote. */
export function renderCause(
  title: string,
  { message, hint }: { readonly message: string; readonly hint?: string | undefined },
  rules: ReplyRules,
): string {
  const line = `**${title}:** ${fitLine(message, rules, maxCauseChars)}`;
  return joinBlocks([line, hint === undefined ? '' : renderNotices([hint], rules)]);
}

/** Notices as quotes, one line each; those beyond the bounds are counted. */
export function renderNotices(notices: readonly string[], rules: ReplyRules): string {
  const lines: string[] = [];
  let size = 0;
  for (const notice of notices.slice(0, maxNotices)) {
    const line = `> ${fitLine(notice, rules, maxNoticeChars)}`;
    size += line.length;
    if (size > maxNoticesChars) break;
    lines.push(line);
  }
  const more = notices.length - lines.length;
  return [...lines, ...(more === 0 ? [] : [`> … and ${renderNumber(more)} more`])].join('\n>\n');
}

/** On one line. Long names in it are cut each for itself, and the line's own cut falls into none. */
function fitLine(text: string, rules: ReplyRules, maxChars: number): string {
  const line = text.replace(/\s+/g, ' ').replace(/`([^`]+)`/g, (_, code: string) => inlineCode(code, maxNameChars));
  const cut = line.length <= maxChars ? line : `${beforeOpenCode(cutText(line, maxChars - ellipsis.length))}${ellipsis}`;
  const fitted = fitText(cut, rules, { maxChars: maxChars * 2, note: ellipsis });
  // What is too tangled to be read comes as a block of code, which a line has no room for.
  return /^`{3,}\n/.test(fitted) ? inlineCode(line, maxChars) : fitted.replace(/\s+/g, ' ');
}

function beforeOpenCode(line: string): string {
  const isOpen = line.split('`').length % 2 === 0;
  return isOpen ? line.slice(0, line.lastIndexOf('`')) : line;
}

/** Making a text harmless may make it longer, so it is cut before and measured after. */
function fitText(
  text: string,
  rules: ReplyRules,
  { maxChars, note }: { readonly maxChars: number; readonly note: string },
): string {
  if (text.length <= maxChars) {
    const whole = sanitizeReply(text, rules, maxChars);
    if (whole.length <= maxChars) return whole;
  }
  const room = maxChars - note.length;
  for (let size = room; size > 100; size = Math.floor(size * 0.8)) {
    const cut = sanitizeReply(cutText(text, size), rules, maxChars);
    if (cut.length <= room) return cut + note;
  }
  return note.trim();
}
