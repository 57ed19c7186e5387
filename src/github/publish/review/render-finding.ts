// A finding of a review as people read it: on its lines with a suggestion to click, or in a text with its place in words. Pure.

import type { ReviewComment } from '../../../schema/bundle.ts';
import { hashOf } from '../../../schema/canonical-json.ts';
import type { RunPlan } from '../../../schema/gate.ts';
import type { Egress } from '../../api.ts';
import { renderMarked } from '../../marker.ts';
import { boundMarkdown, maxBodyChars } from '../bound-markdown.ts';
import { fencedCode, fenceFor, inlineCode } from '../inline-code.ts';
import { joinBlocks } from '../join-blocks.ts';
import { rulesOf } from '../render-blocks.ts';
import { sanitizeReply } from '../sanitize-reply.ts';

/** What a finding is known by on a later push, when its line has another number. */
export function fingerprintOf({ path, body, code }: ReviewComment): string {
  const words = body
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return hashOf({ path, words, code: code.trim() }).slice(0, 12);
}

/** The body of a comment on lines, as it leaves. What is covered in a suggestion would be committed at a click, so that one is shown only. */
export function renderInline(plan: RunPlan, comment: ReviewComment, egress: Egress): string {
  const isCovered = comment.suggestion !== null && egress(comment.suggestion) !== comment.suggestion;
  return egress(renderOnLines(isCovered ? { ...plan, inlineComments: 'comments' } : plan, comment));
}

function renderOnLines(plan: RunPlan, comment: ReviewComment): string {
  const marker = { trigger: plan.trigger.id, kind: 'finding', says: fingerprintOf(comment) } as const;
  return boundMarkdown(renderMarked(marker, joinBlocks([textOf(plan, comment), renderSuggestion(plan, comment)])), maxBodyChars);
}

/** A clicked suggestion takes the place of lines of the new file only. */
function renderSuggestion({ inlineComments }: RunPlan, { suggestion, side }: ReviewComment): string {
  if (suggestion === null) return '';
  const isClicked = inlineComments === 'suggestions' && side === 'RIGHT';
  if (isClicked) return suggestionBlock(suggestion === '' ? [] : suggestion.split('\n'));
  return suggestion === '' ? 'These lines can go.' : `Instead:\n\n${fencedCode(suggestion, '')}`;
}

/** What takes the place of the lines at a click; none takes them away. Empty lines at the end count, so a plain fence will not do. */
export function suggestionBlock(lines: readonly string[]): string {
  const fence = fenceFor(lines.join('\n'));
  return [`${fence}suggestion`, ...lines, fence].join('\n');
}

/** For a text: what has no place on a line. Empty without findings. */
export function renderInText(plan: RunPlan, title: string, comments: readonly ReviewComment[]): string {
  if (comments.length === 0) return '';
  const blocks = comments.map((comment) => {
    const { path, startLine, line, side } = comment;
    const lines = startLine === null ? `line ${line}` : `lines ${startLine}–${line}`;
    const place = `**${inlineCode(path, 250)}, ${lines}${side === 'LEFT' ? ' (as it was)' : ''}**`;
    return joinBlocks([place, textOf(plan, comment), renderSuggestion({ ...plan, inlineComments: 'comments' }, comment)]);
  });
  return joinBlocks([`#### ${title}`, ...blocks]);
}

function textOf(plan: RunPlan, { body }: ReviewComment): string {
  return sanitizeReply(body, rulesOf(plan)).replace(clickable, '$1');
}

/** A block that the words themselves hold was checked against no line and for no secret, and a click would commit it. */
const clickable = /^([ \t>*+\-\d.)]*(?:`{3,}|~{3,})[ \t]*)suggestion\b.*$/gim;
