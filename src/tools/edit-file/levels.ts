// The ways to find old_string in a file, strictest first. A level says every place it could mean; it never chooses one. Pure.
import { viewWithLineFeeds } from './line-ends.ts';
import { offsetsOf } from './places.ts';

/** `content.slice(start, end)` becomes `text`; everything outside stays byte for byte. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** All places that the level takes `oldString` for, in order, each with its replacement; none when it does not apply. */
export type Level = (content: string, oldString: string, newString: string) => readonly Replacement[];

/** The text as given. Only line ends adapt in what is new (G4-01). */
const exactLevel: Level = (content, oldString, newString) =>
  findPlaces(content, oldString, newString).filter(({ start, end }) => content.slice(start, end) === oldString);

/** The same text with other line ends (G4-01, G4-02). */
const lineEndLevel: Level = (content, oldString, newString) => findPlaces(content, oldString, newString);

/** Tried in this order; the first that finds a place decides. Looser ones (indentation, typography) go at the end. */
export const levels: readonly Level[] = [exactLevel, lineEndLevel];

function findPlaces(content: string, oldString: string, newString: string): readonly Replacement[] {
  const view = viewWithLineFeeds(content);
  const old = oldString.replaceAll('\r\n', '\n');
  return offsetsOf(view.text, old, { overlapping: true }).map((offset) => {
    const place = { start: view.toOriginal(offset), end: view.toOriginal(offset + old.length) };
    return { ...place, text: newString };
  });
}
