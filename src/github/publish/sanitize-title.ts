// The one line for the commit and the pull request: the model proposes it, and it may have no effect (E10, H3). Pure.
import { closingPattern } from './closing-words.ts';
import { cutText } from './inline-code.ts';

/** git and GitHub cut longer ones in their lists. */
export const maxOwnTitleChars = 70;
/** More than this is no title, and is never looked at. */
const maxReadChars = 1_000;
/** What is taken out may leave an effect that it was hiding; a title that still has one after so many rounds is none. */
const maxPasses = 50;

const ciSwitch = /\[(?:skip|no) +(?:ci|actions)\]|\[(?:ci|actions) +skip\]|\*\*\*NO_CI\*\*\*|skip-checks: *true/gi;
const closing = new RegExp(closingPattern, 'gi');

/** A single line without mentions, closing words, CI switches or hidden characters; `fallback` when nothing is left. */
export function sanitizeTitle(title: string, fallback: string): string {
  let line = title
    .slice(0, maxReadChars)
    .toWellFormed()
    .replace(/\p{Cf}/gu, '');
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const next = withoutEffects(line);
    if (next === line) return cutText(line === '' ? fallback : line, maxOwnTitleChars);
    line = next;
  }
  return cutText(fallback, maxOwnTitleChars);
}

function withoutEffects(line: string): string {
  return line
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(ciSwitch, '')
    .replace(closing, (...match) => {
      const { word, reference }: Readonly<Record<string, string>> = match.at(-1);
      return `${word} issue ${/\d+$/.exec(reference ?? '')?.[0] ?? ''}`;
    })
    .replace(/(?<![a-z0-9])@(?=[a-z0-9])/gi, '')
    .trim();
}
