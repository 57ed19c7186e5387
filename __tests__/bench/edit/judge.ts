// What an answer to a case is worth, and the sums of it by kind. Runs nothing.
import { median } from '../section.ts';
import type { EditCase } from './generate.ts';

/** An edit function: the new text, or null when it refuses. */
export type ApplyEdit = (content: string, old: string, made: string, options: { readonly replaceAll: boolean }) => string | null;

/**
 * `refuse`: it had to refuse. `place`: it changed another place. `bystander`: it changed text outside the block as well.
 * `text`: the right place only, but the wrong text.
 */
type Fault = 'refuse' | 'place' | 'bystander' | 'text';

export interface Verdict {
  readonly result: 'right' | 'refused' | 'wrong';
  readonly fault?: Fault;
  /** The answer; null when it refused or changed nothing. */
  readonly out: string | null;
  readonly ms: number;
}

/** Runs one case and judges it. A refusal that was not asked for costs nothing but the point; changing nothing is one. */
export function judgeCase(apply: ApplyEdit, one: EditCase): Verdict {
  const startedAt = performance.now();
  const answer = apply(one.content, one.old, one.new, { replaceAll: one.replaceAll ?? false });
  const ms = performance.now() - startedAt;
  const out = answer === one.content ? null : answer;
  if (out === null) return { result: one.expect === 'apply' ? 'refused' : 'right', out, ms };
  if (one.accept.includes(out)) return { result: 'right', out, ms };
  return { result: 'wrong', fault: faultOf(one, out), out, ms };
}

/** Characters beside the block that still count as its place: the newlines around it. */
const MARGIN = 2;
/** From here on a change is too far off to belong to the block. */
const FAR = 400;

function faultOf(one: EditCase, out: string): Fault {
  if (one.expect === 'refuse') return 'refuse';
  const { from, to } = changedSpan(one.content, out);
  const [low, high] = [one.region[0] - MARGIN, one.region[1] + MARGIN];
  if (from >= low && to <= high) return 'text';
  if (to < low || from > high) return 'place';
  const isFar = from < low - FAR || to > high + FAR;
  return isFar || withoutSpace(out) === withoutSpace(one.accept[0] ?? '') ? 'bystander' : 'place';
}

const withoutSpace = (text: string): string => text.replace(/[ \t\r\n\uFEFF]+/g, '');

/** Where two texts begin to differ, and where they end to, counted in the first. */
export function changedSpan(before: string, after: string): { readonly from: number; readonly to: number } {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return { from: head, to: before.length - tail };
}

export interface KindScore {
  readonly kind: string;
  readonly group: string;
  readonly cases: number;
  readonly right: number;
  readonly refused: number;
  readonly wrong: number;
  /** How often which fault. */
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
}

export interface Score {
  readonly kinds: readonly KindScore[];
  readonly cases: number;
  readonly right: number;
  readonly refused: number;
  readonly wrong: number;
  /** Right less wrong, in per cent of the cases. */
  readonly score: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** The cases that went wrong, in order. */
  readonly wrongCases: readonly { readonly one: EditCase; readonly verdict: Verdict }[];
}

/** As many calls warm the code up before the first one counts. */
const WARM_UP = 200;

/** All cases, judged one after the other; the time of each is the median of `rounds`. */
export function scoreCases(apply: ApplyEdit, cases: readonly EditCase[], rounds = 1): Score {
  for (const one of cases.slice(0, WARM_UP)) judgeCase(apply, one);
  const judged = cases.map((one) => ({ one, verdict: judgeOften(apply, one, rounds) }));
  const times = judged.map(({ verdict }) => verdict.ms).sort((a, b) => a - b);
  const kinds = [...Map.groupBy(judged, ({ one }) => one.kind)].map(([kind, members]) => scoreKind(kind, members));
  const sum = (count: (kind: KindScore) => number): number => kinds.reduce((total, kind) => total + count(kind), 0);
  const [right, refused, wrong] = [sum((kind) => kind.right), sum((kind) => kind.refused), sum((kind) => kind.wrong)];
  const share = (part: number): number => times[Math.floor(times.length * part)] ?? Number.NaN;
  return {
    ...{ kinds, cases: cases.length, right, refused, wrong, score: (100 * (right - wrong)) / cases.length },
    ...{ medianMs: share(0.5), p99Ms: share(0.99), maxMs: times.at(-1) ?? Number.NaN },
    wrongCases: judged.filter(({ verdict }) => verdict.result === 'wrong'),
  };
}

function judgeOften(apply: ApplyEdit, one: EditCase, rounds: number): Verdict {
  const first = judgeCase(apply, one);
  const others = Array.from({ length: rounds - 1 }, () => judgeCase(apply, one).ms);
  return { ...first, ms: median([first.ms, ...others]) ?? Number.NaN };
}

interface Judged {
  readonly one: EditCase;
  readonly verdict: Verdict;
}

function scoreKind(kind: string, members: readonly Judged[]): KindScore {
  const count = (result: Verdict['result']): number => members.filter(({ verdict }) => verdict.result === result).length;
  const faults: Partial<Record<Fault, number>> = {};
  for (const { verdict } of members) if (verdict.fault) faults[verdict.fault] = (faults[verdict.fault] ?? 0) + 1;
  return {
    ...{ kind, group: members[0]?.one.group ?? '', cases: members.length },
    ...{ right: count('right'), refused: count('refused'), wrong: count('wrong'), faults },
  };
}
