// What an edit does to a text. Pure data.

import type { Span } from './places.ts';

/** `content.slice(start, end)` becomes `text`; offsets are UTF-16 code units. Everything outside stays. */
export interface Replacement extends Span {
  readonly text: string;
}

/** `content` with ascending replacements done. */
export function splice(content: string, replacements: readonly Replacement[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, text } of replacements) {
    pieces.push(content.slice(at, start), text);
    at = end;
  }
  return pieces.concat(content.slice(at)).join('');
}
