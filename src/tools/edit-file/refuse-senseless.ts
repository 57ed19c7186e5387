// Edits that cannot be meant, whatever the file holds: nothing to find, nothing to change, or text that is no code but stands for some. Pure.
import { EditError } from './edit-error.ts';
import { bringsLineNumbers } from './line-numbers.ts';

/** Throws an EditError that says what is wrong with the two strings. */
export function refuseSenseless(oldString: string, newString: string): void {
  if (oldString === '') {
    throw new EditError(
      'EMPTY_OLD_STRING',
      'old_string is empty. Give the text to replace; to make or fill a file use write_file.',
    );
  }
  if (oldString === newString) throw new EditError('IDENTICAL', 'old_string and new_string are identical: nothing would change.');
  if (bringsLineNumbers(oldString, newString)) {
    throw new EditError('LINE_NUMBERS', 'the lines of new_string begin with line numbers, which read_file adds. Leave them out.');
  }
  const placeholder = findPlaceholder(oldString, newString);
  if (placeholder !== undefined) {
    throw new EditError(
      'PLACEHOLDER',
      `new_string holds "${placeholder}", which would stand in the file instead of the code. Write the code out, or edit a smaller part.`,
    );
  }
}

const commentMarks = /^(?:\/\/+|\/\*+|#+|<!--|--|;+|%+|\{\/\*|\*)\s*|\s*(?:\*\/\}?|-->)$/g;
const ellipsis = /\.{3,}|…/g;
/** `...rest,`: one of several in an object, a list or arguments of JavaScript and its like. */
const spread = /^\.{3}[\w$.?()[\]]*[\w)\]],$/;
/** Of these at least one is said by whoever leaves code out… */
const strongWords =
  'rest existing unchanged remain remaining remainder remains omitted previous previously same etc brevity elided truncated snip snipped continues continue original unmodified keep kept untouched changes stays stay below above';
/** …and besides them only such. */
const weakWords =
  'a all and any are as at before body block class code content contents definition else everything file for from function functions goes here implementation implementations in is it its lines line logic method methods more no not of on other others part parts section sections so stuff that the this to was were with your our statements imports fields cases tests options';
const strong = new Set(strongWords.split(' '));
const allowed = new Set([...strong, ...weakWords.split(' ')]);
/** A comment of more words says something of its own. */
const maxWords = 8;
/** So many lines gone are left out, not merely deleted. */
const minLinesGone = 2;

/** The first line of `newString` that stands for code which it leaves out, or undefined. A line that `oldString` has too is the file's own. */
function findPlaceholder(oldString: string, newString: string): string | undefined {
  const known = new Set(oldString.split('\n').map((line) => line.trim()));
  const lines = newString.split('\n').map((line) => line.trim());
  const isShorter = oldString.split('\n').length - lines.length >= minLinesGone;
  return lines.find((line) => !known.has(line) && standsForCode(line, isShorter));
}

/** With an ellipsis and the words for it in any case; with one of the two only where the edit takes lines away. */
function standsForCode(line: string, isShorter: boolean): boolean {
  if (line === '' || line.length > 120 || spread.test(line)) return false;
  const text = line.replace(commentMarks, '');
  const hasEllipsis = text.search(ellipsis) !== -1;
  const words = text.replace(ellipsis, ' ').match(/[\p{L}\p{N}']+/gu) ?? [];
  if (words.length === 0) return hasEllipsis && isShorter && /^[\s.…()[\]<>{}]*$/.test(text);
  const isComment = text !== line;
  if (words.length > maxWords || (!isComment && !hasEllipsis) || (!hasEllipsis && !isShorter)) return false;
  const folded = words.map((word) => word.toLowerCase());
  return (
    folded.every((word) => allowed.has(word)) && folded.some((word) => strong.has(word) || (hasEllipsis && word === 'other'))
  );
}
