// The edit benchmark's report as a table.
import type { Score } from './judge.ts';
import type { EditingReport } from './report.ts';

/** For people: a row for each kind, the sums, the times. */
export function renderEditing({ perKind, digest, shared, more, floor, big, bigFloorMs }: EditingReport): string {
  return [
    `edit_file: ${perKind} cases a kind; the shared set (cases ${digest.slice(0, 12)})`,
    ...renderScore(shared),
    `floor, exact matches only: score ${floor.score.toFixed(1)}, ${renderTimes(floor)}`,
    '',
    'edit_file: kinds that are not in the shared set',
    ...renderScore(more),
    '',
    `5 MB: ${big.map(({ name, ms, result }) => `${name} ${ms.toFixed(1)} ms (${result})`).join(', ')}`,
    `floor, indexOf and slice: exact ${bigFloorMs.toFixed(1)} ms`,
  ].join('\n');
}

function renderScore(score: Score): readonly string[] {
  const percent = (part: number, whole: number): string => String(Math.round((100 * part) / whole)).padStart(6);
  const rows = score.kinds.map(({ kind, group, cases, right, refused, wrong, faults }) => {
    const numbers = percent(right, cases) + percent(refused, cases) + percent(wrong, cases);
    const why = Object.entries(faults).map(([fault, count]) => `${fault} ${count}`);
    return `${kind.padEnd(22)}${group.padEnd(18)}${numbers}  ${why.join(', ')}`.trimEnd();
  });
  const sums = `score ${score.score.toFixed(1)}: right ${score.right}, refused ${score.refused}, wrong ${score.wrong}`;
  return [
    `${'kind'.padEnd(22)}${'group'.padEnd(18)} right refus wrong  why wrong`,
    ...rows,
    `${sums} of ${score.cases}; ${renderTimes(score)}`,
  ];
}

const renderTimes = ({ medianMs, p99Ms, maxMs }: Score): string =>
  `median ${medianMs.toFixed(3)} ms, p99 ${p99Ms.toFixed(2)} ms, max ${maxMs.toFixed(1)} ms`;
