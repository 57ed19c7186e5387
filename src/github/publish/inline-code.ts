// Text from outside as code in Markdown, so that nothing of it is read as anything else (G1-38). Pure.
import { oneLine } from '../../schema/one-line.ts';

/** One line as a code span, cut to `maxChars`; the fence is longer than any run of backticks inside. */
export function inlineCode(text: string, maxChars = 120): string {
  const line = oneLine(text, maxChars);
  const fence = '`'.repeat(longestRun(line, /`+/g) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A fenced block whose fence is longer than any inside. */
export function fencedCode(text: string, language: string): string {
  const fence = fenceFor(text);
  return `${fence}${language}\n${text.replace(/\n+$/, '')}\n${fence}`;
}

/** One that no line of the text ends. */
export function fenceFor(text: string): string {
  return '`'.repeat(Math.max(3, longestRun(text, /`+/g) + 1));
}

/** At most `maxChars` UTF-16 units, with `…` where something is missing; no half character at the end. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = maxChars - 1;
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return `${text.slice(0, isHalf ? end - 1 : end)}…`;
}

function longestRun(text: string, runs: RegExp): number {
  let longest = 0;
  for (const match of text.matchAll(runs)) longest = Math.max(longest, match[0].length);
  return longest;
}
