// A command's output without what changes by itself from run to run: times, process numbers, temporary names. Knows nothing of repeats.
import type { Part } from '../schema/message.ts';
import { textPart } from '../schema/message.ts';

/**
 * Only what carries its mark: a number with a unit of time, a time of day, a number called pid… A bare number is a count that may be
 * progress, and stays. Every pattern begins at an edge and is bounded, so that a long line of digits costs no more than any other.
 */
const volatile: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [/(?<![\d:.])\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?![\d:])/g, '<time>'],
  // Seconds since 1970 with a fraction, or milliseconds: a count is hardly ever that long.
  [/(?<![\d.])1\d{9}(?:\.\d{1,9}|\d{3})(?!\d)/g, '<time>'],
  [
    /(?<![\w.])(?:\d{1,9}(?:[.,]\d{1,9})?\s?(?:[nuµm]?s|secs?|seconds?|m|mins?|minutes?|h|hours?)\s?){1,4}(?![\w/])/g,
    '<duration>',
  ],
  [/\b(pid|process(?: id)?)([ =:#]{1,3})\d{1,10}\b/gi, '$1$2<pid>'],
  // As Node, bash and the sanitizers write it.
  [/\(node:\d{1,10}\)/g, '(node:<pid>)'],
  [/^\[\d{1,4}\] \d{1,10}$/gm, '<job>'],
  [/==\d{1,10}==/g, '==<pid>=='],
  [/\b0x[\da-f]{6,16}\b/gi, '<address>'],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, '<uuid>'],
  // A name in the folder for temporary files whose end was drawn: it has a digit, or an upper-case letter after a lower-case one.
  [/(\/tmp\/|\/var\/folders\/)([\w.-]{0,64}?)(?=\w{0,32}(?:\d|[a-z][A-Z]))\w{6,32}(?![\w.-])/g, '$1$2<name>'],
];

/** The same parts, with the volatile places of their texts as marks. */
export function steadyParts(parts: readonly Part[]): readonly Part[] {
  return parts.map((part) => (part.type === 'text' ? textPart(steadyText(part.text)) : part));
}

function steadyText(text: string): string {
  return volatile.reduce((steady, [pattern, mark]) => steady.replace(pattern, mark), text);
}
