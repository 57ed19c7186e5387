// Text from outside where only a line has room: a label, a list item, a name in an error. Pure.

/** `text` on one line: control and format characters and runs of white space become one space; cut to `maxChars`, with "…" at the cut. */
export function oneLine(text: string, maxChars: number): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  if (line.length <= maxChars) return line;
  // Half of a pair may be left at the end.
  return `${line.slice(0, maxChars - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
