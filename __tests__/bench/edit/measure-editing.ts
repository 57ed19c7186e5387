// The benchmark of edit_file's function: the shared set, the kinds beyond it, a file of 5 MB; beside a tool that knows exact matches only.
import type { BenchOptions, SectionResult, Verdict } from '../section.ts';
import { atMost, median } from '../section.ts';
import { applyExactly, applyFirst } from './baseline.ts';
import type { BigCase } from './big-file.ts';
import { bigCases } from './big-file.ts';
import { digestOf } from './generate.ts';
import type { ApplyEdit, Score } from './judge.ts';
import { scoreCases } from './judge.ts';
import { SHARED_SEED } from './kinds/shared-kinds.ts';
import { applyOurs } from './ours.ts';
import { installPinnedPackages, PINNED_PACKAGES } from './pinned-packages.ts';
import { elementAt } from './random.ts';
import { renderEditing } from './render-editing.ts';
import type { BigResult, EditingReport } from './report.ts';
import { moreCases, sharedCases } from './sets.ts';

/** What we hold ourselves to. */
const MIN_SCORE = 94;
/** Of the cases of a kind, in per cent, by kind or by group. */
const MIN_RIGHT: Readonly<Record<string, number>> = {
  ...{ exact: 100, eol: 100, encoding: 100, ambiguous: 100, refuse: 100 },
  ...{ whitespace: 99, escape: 99, copied: 99, combo: 97, near: 80 },
  ...{ 'typo-context': 95, 'dropped-line': 95, reflow: 80, 'under-escaped': 80 },
};
const MAX_MEDIAN_MS = 0.1;
const MAX_P99_MS = 1;
const MAX_BIG_EXACT_MS = 15;
const MAX_BIG_LOOSE_MS = 250;

const PER_KIND = 40;
/** Each case is timed as often: what else the machine does must not make it slow. */
const ROUNDS = 3;
/** Of the cases of the shared benchmark: whoever compares scores has to have these. */
const SHARED_DIGEST = '12d81447be1b9fc6aeaf5ae6597d458d523d6e3f91fc7f7475bc15f1496e7ee4';

/** All of it. Installs the pinned packages into a temporary folder at the first time. */
export function measureEditing({ runs }: BenchOptions): Promise<SectionResult> {
  const sources = { nodeModules: installPinnedPackages(), packages: PINNED_PACKAGES, seed: SHARED_SEED };
  const cases = sharedCases(sources, PER_KIND);
  const big = bigCases();
  const report: EditingReport = {
    perKind: PER_KIND,
    digest: digestOf(cases),
    shared: scoreCases(applyOurs, cases, ROUNDS),
    more: scoreCases(applyOurs, moreCases(sources, PER_KIND), ROUNDS),
    floor: scoreCases(applyExactly, cases, ROUNDS),
    big: big.map((one) => measureBig(applyOurs, one, runs)),
    bigFloorMs: measureBig(applyFirst, elementAt(big, 0), runs).ms,
  };
  const verdicts = judgeEditing(report);
  return Promise.resolve({ report: { edit: forMachines(report) }, table: renderEditing(report), verdicts });
}

function measureBig(apply: ApplyEdit, { name, content, old, new: made, want }: BigCase, runs: number): BigResult {
  const times: number[] = [];
  let out: string | null = null;
  // The first run warms up and is not counted.
  for (let run = 0; run <= runs; run += 1) {
    const startedAt = performance.now();
    out = apply(content, old, made, { replaceAll: false });
    if (run > 0) times.push(performance.now() - startedAt);
  }
  const isRight = out === want;
  return { name, ms: median(times) ?? Number.NaN, result: isRight ? 'right' : out === null ? 'refused' : 'wrong' };
}

function judgeEditing({ digest, shared, more, big }: EditingReport): readonly Verdict[] {
  const short = shared.kinds.filter(
    ({ kind, group, right, cases }) => (100 * right) / cases < (MIN_RIGHT[kind] ?? MIN_RIGHT[group] ?? 100),
  );
  return [
    { claim: 'edit: the cases are those of the shared benchmark', holds: digest === SHARED_DIGEST },
    { claim: `edit: score ${shared.score.toFixed(1)} (at least ${MIN_SCORE})`, holds: shared.score >= MIN_SCORE },
    { claim: `edit: ${shared.wrong + more.wrong} wrong edits (none)`, holds: shared.wrong + more.wrong === 0 },
    {
      claim: `edit: kinds below what is asked of them: ${short.map(({ kind }) => kind).join(', ') || 'none'}`,
      holds: short.length === 0,
    },
    atMost('edit: median', shared.medianMs, MAX_MEDIAN_MS, 'ms'),
    atMost('edit: 99 of 100', shared.p99Ms, MAX_P99_MS, 'ms'),
    ...big.flatMap(({ name, ms, result }) => [
      { claim: `edit: 5 MB, ${name}: ${result}`, holds: result === 'right' || (result === 'refused' && name !== 'exact') },
      atMost(`edit: 5 MB, ${name}`, ms, name === 'exact' ? MAX_BIG_EXACT_MS : MAX_BIG_LOOSE_MS, 'ms'),
    ]),
  ];
}

/** Without the texts of the cases; those that went wrong by name. */
function forMachines({ shared, more, floor, ...rest }: EditingReport) {
  const slim = ({ wrongCases, ...score }: Score) => ({ ...score, wrongCases: wrongCases.map(({ one }) => one.id) });
  return { ...rest, shared: slim(shared), more: slim(more), floor: slim(floor) };
}
