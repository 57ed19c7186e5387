// What a search did not look at, in words: so that nothing found is not taken for nothing there. Pure.
import { showPath } from '../shown-path.ts';
import type { LeftOut } from './walk.ts';

/** Of a whole answer; the registry cuts what is longer in its middle. */
export const maxAnswerBytes = 40_000;

/** Limit of a search in time, below that of a tool, so that there is an answer. */
export const searchLimitMs = 25_000;

export const cutShort = `stopped after ${searchLimitMs / 1000} s or when it was cancelled, so this is not all: narrow it with path or a pattern of files`;

/** Nothing of it is there by accident: what could not be read. */
export function describeTrouble({ unreadable, unnameable, isRootIgnored, excluded }: LeftOut): readonly string[] {
  return [
    isRootIgnored ? 'git ignores this path: all in it was searched' : '',
    excluded > 0 ? `${excluded} left out by exclude or by a permission rule` : '',
    unreadable > 0 ? `${unreadable} could not be read` : '',
    unnameable > 0 ? `${unnameable} left out whose names are not UTF-8` : '',
  ].filter((note) => note !== '');
}

/** What git ignores, and how to search it all the same. */
export function describeIgnored({ ignored, ignoredCount }: LeftOut, shownRoot: string): readonly string[] {
  if (ignoredCount === 0) return [];
  const names = ignored.map((name) => showPath(shownRoot === '.' ? name : `${shownRoot}/${name}`)).join(', ');
  const more = ignoredCount > ignored.length ? ` and ${ignoredCount - ignored.length} more` : '';
  return [`left out, ignored by git: ${names}${more} (to search one give it as path)`];
}

/** `3 files` */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
