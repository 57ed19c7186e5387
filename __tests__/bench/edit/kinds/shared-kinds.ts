// The kinds of the shared benchmark, in the order that their seeds count.
import type { Kind } from '../edit-case.ts';
import { ENCODING_KINDS } from './encoding.ts';
import { EXACT_KINDS } from './exact.ts';
import { NEAR_KINDS } from './near.ts';
import { REFUSE_KINDS } from './refuse.ts';
import { WHITESPACE_KINDS } from './whitespace.ts';

const BEFORE_THE_HARDER_ONES = [
  ...['crlf-file', 'crlf-old', 'crlf-one-line', 'bom-file', 'bom-old', 'smart-quotes-old', 'smart-quotes-file', 'nbsp-file'],
  ...['html-entities', 'escaped-all', 'under-escaped', 'lineno-tab', 'lineno-pipe', 'fenced', 'combo-crlf-indent'],
  ...['combo-lineno-ws', 'typo-context', 'dropped-line', 'ellipsis-paired', 'dup-exact', 'dup-inline', 'dup-indent'],
  ...['exact-beats-loose', 'absent', 'absent-decoy', 'stale-value', 'short-absent', 'replace-all-absent', 'empty-old'],
  ...['blank-old', 'identical', 'ellipsis-unpaired', 'placeholder-new'],
];
const HARDER_ONES = [
  ...['one-line-indent', 'long-block-indent', 'reflow', 'quote-style', 'punctuation', 'comment-dropped'],
  ...['combo-entities-indent', 'combo-lineno-indent', 'combo-typo-indent', 'replace-all-ws', 'crlf-replace-all', 'shuffled'],
];

const ALL = [...EXACT_KINDS, ...WHITESPACE_KINDS, ...ENCODING_KINDS, ...NEAR_KINDS, ...REFUSE_KINDS];
const rankOf = ({ name }: Kind): number => {
  const names = [...BEFORE_THE_HARDER_ONES, ...HARDER_ONES];
  return names.indexOf(name);
};

/** Those that no list names come first, as they stand: exact and white space. */
export const SHARED_KINDS: readonly Kind[] = ALL.toSorted((a, b) => rankOf(a) - rankOf(b));

/** The seed of the shared set. */
export const SHARED_SEED = 20261130;

/** The seed of one kind of a set whose kinds stand in this order. */
export const sharedSeedOf =
  (seed: number) =>
  (_kind: Kind, index: number): number =>
    seed + 7919 * (index + 1);
