// Owns whether a remark has its place in the diff, and what the model is told when it has none. Pure.
import type { ReviewComment } from '../../schema/bundle.ts';
import { oneLine } from '../../schema/one-line.ts';
import type { DiffIndex, FileLines } from './load-diff-index.ts';
import type { DiffLine } from './read-patch.ts';

/** A remark as the model makes it. */
export interface Remark {
  readonly path: string;
  readonly line: number;
  readonly start_line?: number | undefined;
  readonly side?: 'LEFT' | 'RIGHT' | undefined;
  readonly body: string;
  readonly suggestion?: string | undefined;
}

export type Placed =
  | { readonly kind: 'comment'; readonly comment: ReviewComment }
  | { readonly kind: 'problem'; readonly problem: string };

/** The comment of a review, or why GitHub would refuse it, with what would do. */
export function placeComment(remark: Remark, index: DiffIndex): Placed {
  const path = remark.path.replace(/^(?:\.\/)+/, '');
  const file = index.get(path);
  if (file === undefined) return problem(describeUnknown(path, index));
  if (file.why !== null) return problem(`${quote(path)} has no line in the diff: ${file.why}. Say it in your answer.`);
  const side = remark.side ?? 'RIGHT';
  const lines = side === 'LEFT' ? file.left : file.right;
  const start = remark.start_line ?? remark.line;
  const [first, last] = [Math.min(start, remark.line), Math.max(start, remark.line)];
  const [from, to] = [lines.get(first), lines.get(last)];
  if (from === undefined || to === undefined) {
    return problem(describeMissing(from === undefined ? first : last, { path, side, file }));
  }
  if (from.hunk !== to.hunk) return problem(`lines ${first} and ${last} stand in two parts of the diff: name lines of one.`);
  const suggestion = remark.suggestion === undefined ? null : asLines(remark.suggestion);
  const wrong = suggestion === null ? null : refuseSuggestion(suggestion, { side, lines, first, last });
  if (wrong !== null) return problem(wrong);
  const startLine = first === last ? null : first;
  return {
    kind: 'comment',
    comment: { path, side, startLine, line: last, body: remark.body.trim(), suggestion, code: to.text.slice(0, maxCodeChars) },
  };
}

/** To know a line again. */
const maxCodeChars = 500;

function problem(text: string): Placed {
  return { kind: 'problem', problem: text };
}

/** Without the last line's end, which the fence around it brings. */
function asLines(suggestion: string): string {
  return suggestion.replaceAll('\r\n', '\n').replace(/\n$/, '');
}

interface Range {
  readonly side: 'LEFT' | 'RIGHT';
  readonly lines: ReadonlyMap<number, DiffLine>;
  readonly first: number;
  readonly last: number;
}

function refuseSuggestion(suggestion: string, { side, lines, first, last }: Range): string | null {
  if (side === 'LEFT') return 'a suggestion takes the place of new lines: leave out `side`, and name lines of the new file.';
  const there: string[] = [];
  for (let line = first; line <= last; line += 1) there.push(lines.get(line)?.text ?? '');
  return there.join('\n') === suggestion ? 'the suggestion is what stands there already: change it, or leave it out.' : null;
}

const maxNames = 10;

function describeUnknown(path: string, index: DiffIndex): string {
  if (index.size === 0) return 'the pull request changes no file: say it in your answer.';
  const name = path.split('/').at(-1);
  const alike = [...index.keys()].filter((known) => known.split('/').at(-1) === name);
  const named = (alike.length > 0 ? alike : [...index.keys()]).slice(0, maxNames).map(quote).join(', ');
  return `${quote(path)} is not changed by this pull request${alike.length > 0 ? '; do you mean' : '. Changed are'} ${named}${alike.length > 0 ? '?' : '.'}`;
}

const maxRanges = 3;

function describeMissing(line: number, at: { readonly path: string; readonly side: 'LEFT' | 'RIGHT'; readonly file: FileLines }) {
  const { path, side, file } = at;
  const ranges = rangesOf(side === 'LEFT' ? file.left : file.right);
  const distance = ([from, to]: Span) => Math.max(from - line, line - to, 0);
  const nearest = ranges.toSorted((one, other) => distance(one) - distance(other)).slice(0, maxRanges);
  const of = `${side === 'LEFT' ? 'the old file' : 'the new file'}`;
  if (nearest.length === 0) return `no line of ${of} ${quote(path)} is in the diff; try the other side.`;
  const words = nearest.sort(([one], [other]) => one - other).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return `line ${line} of ${of} ${quote(path)} is not in the diff; the nearest that are: ${words.join(', ')}.`;
}

type Span = readonly [from: number, to: number];

/** Lines of one hunk follow each other. */
function rangesOf(lines: ReadonlyMap<number, DiffLine>): readonly Span[] {
  const spans = new Map<number, Span>();
  for (const [line, { hunk }] of lines) spans.set(hunk, [spans.get(hunk)?.[0] ?? line, line]);
  return [...spans.values()];
}

function quote(path: string): string {
  return `\`${oneLine(path, 200).replaceAll('`', '´')}\``;
}
