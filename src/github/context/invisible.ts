// Owns which characters nobody sees (B2, B3): taken out of texts, written out in code that the model is shown.

/** Format and control characters and what Unicode says may be ignored: tags, variation selectors, bidi marks, fillers, soft hyphen. */
const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;
/** Terminal colours, titles and cursor moves, whole: without their first character the rest would stay as text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
export const ansi = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;

/** `text` without invisible characters, and how many there were. Line ends and tabs stay, and joiners within an emoji. */
export function removeInvisible(text: string): { readonly text: string; readonly count: number } {
  let count = 0;
  const plain = text.replaceAll(/\r\n?|[\u2028\u2029]/g, '\n').replaceAll(ansi, (sequence) => {
    count += sequence.length;
    return '';
  });
  const visible = plain.replaceAll(invisible, (character, offset: number) => {
    if (character === '\n' || character === '\t' || isPartOfEmoji(plain, offset, character)) return character;
    count += 1;
    return '';
  });
  return { text: visible, count };
}

/** `text` with every invisible character written as `\u202e`: in code it may be the fault that is looked for (B3). */
export function escapeInvisible(text: string): string {
  return text.replaceAll(/\r\n/g, '\n').replaceAll(invisible, (character) => {
    if (character === '\n' || character === '\t') return character;
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}

const beforeJoiner = /\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?$/u;
const beforeSelector = /[\p{Extended_Pictographic}0-9#*]$/u;
const pictographic = /^\p{Extended_Pictographic}/u;

function isPartOfEmoji(text: string, offset: number, character: string): boolean {
  // Two characters of two units each are all that the patterns look back at.
  const before = text.slice(Math.max(0, offset - 4), offset);
  if (character === '\ufe0f') return beforeSelector.test(before);
  return character === '\u200d' && beforeJoiner.test(before) && pictographic.test(text.slice(offset + 1, offset + 3));
}

/** A path as it stands in a list: with a line end in it, it would write lines of its own (B9). */
export function quotePath(path: string): string {
  return JSON.stringify(path).slice(1, -1);
}
