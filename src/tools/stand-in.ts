// What stands for something else in texts that the model reads: written into a file, it destroys what it stands for. Pure.
import { z } from 'zod';
import { countOf } from './edit-file/places.ts';

/** A text argument that goes into a file or is looked for in one. JSON can say half of a surrogate pair, which no file holds. */
export const wholeText = z.string().refine((text) => text.isWellFormed(), 'a text without lone surrogates');

export interface WantedText {
  /** The argument that it came in. */
  readonly field: string;
  readonly text: string;
  /** What it comes in place of. */
  readonly known: string;
  /** What stands for secrets. */
  readonly redactionMark: string;
  /** Whether the file has bytes that are shown as U+FFFD. */
  readonly hasOddBytes: boolean;
}

/** Why the text must not be written, or undefined. A stand-in that was in the text before is the file's own. */
export function refuseStandIn({ field, text, known, redactionMark, hasOddBytes }: WantedText): string | undefined {
  const hasMore = (mark: string) => countOf(text, mark) > countOf(known, mark);
  if (hasMore(redactionMark)) {
    return (
      `${field} holds "${redactionMark}", which stands for a hidden value in what you read; writing it would destroy the value. ` +
      'Nothing was changed. Change only other lines, with edit_file.'
    );
  }
  if (hasOddBytes && hasMore('\uFFFD')) {
    return (
      `${field} holds "\uFFFD", which stands for bytes that are not UTF-8 in what you read; writing it would destroy them. ` +
      'Nothing was changed. Change only other parts, with edit_file.'
    );
  }
  return undefined;
}
