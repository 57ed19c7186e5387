// Text from outside as plain words within a line of ours: nothing in it is Markdown, a mention, or an address that is one click away. Pure.
import { inlineCode } from './inline-code.ts';

/** What is shown as code: what is written as code, and addresses, which could carry something away (H2). */
const codeOrAddress = /`([^`]+)`|((?:https?:\/\/|www\.)[^\s`]*[^\s`.,;:!?'")\]}])/gi;
/** An underscore within a word means nothing to Markdown; with a backslash in it a key would be none to the redactor, and one to the reader. */
const signs = /[\\`*[\]<>#~|!&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** A backslash does not keep GitHub from seeing a mention; an invisible joiner does. */
const joiner = '\u2060';

/** `line`, which has no line ends, with code and addresses as code and all else as it is. */
export function plainLine(line: string): string {
  let position = 0;
  let plain = '';
  for (const match of line.matchAll(codeOrAddress)) {
    const [all, code, address = ''] = match;
    plain += asWords(line.slice(position, match.index)) + inlineCode(code ?? address, line.length);
    position = match.index + all.length;
  }
  return plain + asWords(line.slice(position));
}

function asWords(words: string): string {
  return words.replace(signs, '\\$&').replaceAll('@', `@${joiner}`);
}
