// What GitHub reads as "this closes that issue", the one rule for titles, commits, replies and bodies of pull requests (H3). Pure.

const word = '(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)';
const gap = '(?:\\s*:\\s*|\\s+)';
const reference = '(?:[\\w.-]+/[\\w.-]+)?\\\\?#\\d+|gh-\\d+|https?://\\S+/(?:issues|pull)/\\d+';

/** Source of a pattern with the groups `word`, `gap` and `reference`; to be used with the flag `i`. */
export const closingPattern = `\\b(?<word>${word})(?<gap>${gap})(?<reference>${reference})`;

const opening = new RegExp(`\\b${word}\\s*:?\\s*$`, 'i');
const issueUrl = /^https?:\/\/\S+\/(?:issues|pull)\/\d+/i;

/** The end of `text` that would close what is named next, such as `Fixes: `; empty when there is none. */
export function openingOf(text: string): string {
  return opening.exec(text.slice(-40))?.[0] ?? '';
}

/** Whether an address names an issue or a pull request. */
export function isIssueUrl(url: string): boolean {
  return issueUrl.test(url);
}
