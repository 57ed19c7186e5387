// What of a Markdown text is its author's own plain words: code and quotes blanked out. Linear, since whole answers pass through it.

/**
 * The text with code (fences, indented blocks, spans) and block quotes as spaces, everything else at its place. A parser of CommonMark
 * is exact but needs a third of a second for 100 KB; where this one differs it blanks more (a fence may be indented by any depth).
 */
export function blankCode(text: string): string {
  const blanked: string[] = [];
  let paragraph: string[] = [];
  let fence: RegExp | undefined;
  const endParagraph = (): void => {
    if (paragraph.length > 0) blanked.push(blankSpans(paragraph.join('\n')));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    const opened: RegExp | undefined = fence ?? closingOf(line);
    // Indented lines belong to the paragraph that is open, if one is.
    const isIndented = paragraph.length === 0 && /^(?: {4}| {0,3}\t)/.test(line);
    const isAside: boolean = opened !== undefined || isIndented || line.trim() === '' || /^ {0,3}>/.test(line);
    if (isAside) endParagraph();
    if (isAside) blanked.push(blank(line));
    else paragraph.push(line);
    fence = fence?.test(line) === true ? undefined : opened;
  }
  endParagraph();
  return blanked.join('\n');
}

/** What ends the fence that this line opens; undefined when it opens none. Quoted fences are quotes already. */
function closingOf(line: string): RegExp | undefined {
  const [, marks, info = ''] = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(`{3,}|~{3,})(.*)$/s.exec(line) ?? [];
  if (marks === undefined || (marks.startsWith('`') && info.includes('`'))) return undefined;
  return new RegExp(`^\\s*${marks.charAt(0)}{${marks.length},}\\s*$`);
}

/** A span lasts from a run of backticks to the next run of the same length. */
function blankSpans(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)];
  const following = new Map<number, number>();
  const partner = runs.map(() => -1);
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const length = runs[index]?.[0].length ?? 0;
    partner[index] = following.get(length) ?? -1;
    following.set(length, index);
  }
  let result = '';
  let from = 0;
  for (let index = 0; index < runs.length; index += 1) {
    const open = runs[index];
    const close = runs[partner[index] ?? -1];
    if (open === undefined || close === undefined || paragraph[open.index - 1] === '\\') continue;
    const end = close.index + close[0].length;
    result += paragraph.slice(from, open.index) + blank(paragraph.slice(open.index, end));
    from = end;
    index = partner[index] ?? index;
  }
  return result + paragraph.slice(from);
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}
