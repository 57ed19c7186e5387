// The one line for the commit and the pull request: the model proposes it, and it may have no effect (E10, H3). Pure.
import { cutText } from './inline-code.ts';

/** GitHub cuts longer titles in lists, and takes at most 256. */
const maxTitleChars = 100;

/** A single line without mentions, closing words, CI switches or hidden characters; `fallback` when nothing is left. */
export function sanitizeTitle(title: string, fallback: string): string {
  const line = title
    .toWellFormed()
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/\[(skip|no) (ci|actions)\]|\[(ci|actions) skip\]|\*\*\*NO_CI\*\*\*|skip-checks:\s*true/gi, '')
    .replace(/\b(close|fix|resolve)([sd]|es|ed)?(:?\s+)(?:[\w.-]+\/[\w.-]+)?(?:#|gh-)(\d+)/gi, '$1$2$3issue $4')
    .replace(/(^|[^\w])@(?=[a-z0-9])/gi, '$1')
    .trim();
  return cutText(line === '' ? fallback : line, maxTitleChars);
}
