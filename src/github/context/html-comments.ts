// Owns the removal of HTML comments from text outside code, to a fixpoint and in linear time (B1).

/**
 * `text` without HTML comments: nested by removal (`<!-<!-- x -->- y -->`), closed by `--!>`, empty (`<!-->`) or never closed
 * (then everything to the end is hidden). No `<!--` is left in the result. `count` is how many were taken out.
 */
export function removeHtmlComments(text: string): { readonly text: string; readonly count: number } {
  if (!text.includes('-')) return { text, count: 0 };
  let kept = '';
  let count = 0;
  let at = 0;
  for (;;) {
    // The opener may have been put together by a removal, so it is looked for at the seam too: three characters are enough.
    const seam = kept.slice(-3);
    const opener = `${seam}${text.slice(at, at + 3)}`.indexOf('<!--');
    const start = opener >= 0 ? at + opener - seam.length : text.indexOf('<!--', at);
    if (start < 0) return { text: kept + text.slice(at), count };
    kept = start < at ? kept.slice(0, start - at) : kept + text.slice(at, start);
    count += 1;
    const end = endOfComment(text, start + 4);
    if (end < 0) return { text: kept, count };
    at = end;
  }
}

/** Where the comment whose content starts at `from` is over, or -1. Rules of the HTML standard, 13.2.5.43 and after. */
export function endOfComment(text: string, from: number): number {
  if (text.startsWith('>', from)) return from + 1;
  if (text.startsWith('->', from)) return from + 2;
  const close = /--!?>/g;
  close.lastIndex = from;
  return close.exec(text) ? close.lastIndex : -1;
}
