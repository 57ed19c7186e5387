// What keys and tokens of well-known vendors look like; every pattern is linear. Pure.
import type { Span } from './secret-finder.ts';

export interface PatternHit extends Span {
  readonly name: string;
}

/** The look-behind lets a match begin only where a word begins, so that no text is scanned twice. */
const patterns: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['GitHub token', /(?<![A-Za-z0-9_])(?:gh[opusr]_[A-Za-z0-9._-]{36,1024}|github_pat_[A-Za-z0-9_]{22,255})/g],
  ['API key', /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{20,255}/g],
  ['Stripe key', /(?<![A-Za-z0-9_])[rs]k_live_[A-Za-z0-9]{16,255}/g],
  ['AWS key', /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g],
  ['Google key', /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}/g],
  ['Slack token', /(?<![A-Za-z0-9_-])xox[abeoprs]-[A-Za-z0-9-]{10,255}/g],
  ['GitLab token', /(?<![A-Za-z0-9_-])glpat-[A-Za-z0-9_-]{20,255}/g],
  ['npm token', /(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{36}/g],
  ['Hugging Face token', /(?<![A-Za-z0-9_])hf_[A-Za-z0-9]{30,255}/g],
  ['JSON web token', /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,1024}/g],
];

/** All hits, by pattern; private keys in PEM form too, whose end may be cut off. */
export function findPatterns(text: string): readonly PatternHit[] {
  const hits = patterns.flatMap(([name, pattern]) =>
    [...text.matchAll(pattern)].map((match) => ({ name, start: match.index, end: match.index + match[0].length })),
  );
  return [...hits, ...findPrivateKeys(text)];
}

function findPrivateKeys(text: string): PatternHit[] {
  const hits: PatternHit[] = [];
  for (const match of text.matchAll(/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g)) {
    if (match.index < (hits.at(-1)?.end ?? 0)) continue;
    const body = match.index + match[0].length;
    hits.push({ name: 'private key', start: match.index, end: endOfKey(text, body) });
  }
  return hits;
}

/** The end line when there is one before the next key, else as far as the text looks like a key. */
function endOfKey(text: string, body: number): number {
  const keyLike = /[A-Za-z0-9+/=\s\\:,.]*/y;
  keyLike.lastIndex = body;
  const end = body + (keyLike.exec(text)?.[0].length ?? 0);
  const closing = /-----END [A-Z0-9 ]{0,40}-----/y;
  closing.lastIndex = end;
  return end + (closing.exec(text)?.[0].length ?? 0);
}
