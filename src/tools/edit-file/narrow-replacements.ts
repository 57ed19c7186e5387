// Making replacements no wider than what changes, with the line ends of the place. Pure.
import { createLineEndFinder, viewWithLineFeeds } from './line-ends.ts';
import type { Replacement } from './replacement.ts';
import { sharedHead, sharedTail } from './similarity.ts';

/** Each replacement without the characters that old and new share at both ends, so that lines left alone keep their own line ends. */
export function narrow(content: string, replacements: readonly Replacement[]): readonly Replacement[] {
  const lineEndAt = createLineEndFinder(content);
  return replacements.map((replacement) => {
    const { start, end, inserted } = withoutSharedEnds(content, replacement);
    if (!inserted.includes('\n')) return { start, end, text: inserted };
    // In a text of one line the new text's own line ends are all there is.
    const lineEnd = lineEndAt(start) ?? (replacement.text.includes('\r\n') ? '\r\n' : '\n');
    return { start, end, text: lineEnd === '\n' ? inserted : inserted.replaceAll('\n', lineEnd) };
  });
}

/** `inserted` has LF only. */
function withoutSharedEnds(content: string, { start, end, text }: Replacement): { start: number; end: number; inserted: string } {
  const view = viewWithLineFeeds(content.slice(start, end));
  const old = view.text;
  const wanted = text.replaceAll('\r\n', '\n');
  const head = sharedHead(old, wanted);
  const tail = sharedTail(old, wanted, head);
  return {
    start: start + view.toOriginal(head),
    end: start + view.toOriginal(old.length - tail),
    inserted: wanted.slice(head, wanted.length - tail),
  };
}
