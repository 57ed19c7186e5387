// Entities of Markdown as the characters that a reader sees, so that an effect cannot hide in them. Pure, linear.
import { decodeString } from 'micromark-util-decode-string';

const entity = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi;
/** Characters that would mean something else in Markdown than their entity does: these stay as they are. */
const structural = /[\\`*_[\]<>&~|!()$]/;

/** The source with its entities decoded, but for those that only stand for a sign of Markdown. Never makes a new line. */
export function decodeEntities(source: string): string {
  return source.replace(entity, (all) => {
    const decoded = decodeString(all);
    if (decoded === all || structural.test(decoded)) return all;
    return decoded.replace(/[\p{Cc}]/gu, ' ').replace(/(?!\u200d)\p{Cf}/gu, '');
  });
}
