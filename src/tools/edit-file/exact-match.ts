// The places where old_string stands as it is, line ends aside (G4-01, G4-02). Pure.
import { viewWithLineFeeds } from './line-ends.ts';
import { offsetsOf } from './places.ts';
import type { Replacement } from './replacement.ts';

/**
 * All of them, overlapping ones too, each replaced by `newString`. Places with the very same line ends win over the others. Texts have LF
 * where they mean a line end, except for those that must be found with CRLF as such.
 */
export function findExactly(content: string, oldString: string, newString: string): readonly Replacement[] {
  const view = viewWithLineFeeds(content);
  const old = oldString.replaceAll('\r\n', '\n');
  const places = offsetsOf(view.text, old, { overlapping: true }).map((offset) => ({
    start: view.toOriginal(offset),
    end: view.toOriginal(offset + old.length),
    text: newString,
  }));
  const same = places.filter(({ start, end }) => content.slice(start, end) === oldString);
  return same.length > 0 ? same : places;
}
