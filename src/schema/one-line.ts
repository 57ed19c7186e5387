// Text from outside where only a line has room: a label, a list item, a name in an error. Pure.

/** `text` on one line: control and format characters and runs of white space become one space; cut to `maxChars`, with "…" at the cut. */
export function oneLine(text: string, maxChars: number): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1)}…`.toWellFormed();
}
