// Start-up, time a turn and memory of the built entries, beside their floors.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Sample } from './measure.ts';
import { measureAction, measureEmptyNode, measureFloor, measureTerminal, NOTE_FILE, ROOT, TURNS } from './measure.ts';
import { LONG_TURNS, measureLongFloor, measureLongTerminal, writeNotes } from './measure-long.ts';
import type { BenchOptions, SectionResult, Verdict } from './section.ts';
import { median } from './section.ts';

const CONTESTANTS = {
  'empty Node': { measure: measureEmptyNode, needs: null },
  'bare loop': { measure: measureFloor, needs: null },
  terminal: { measure: measureTerminal, needs: 'dist/cli/index.js' },
  action: { measure: measureAction, needs: 'dist/main/index.js' },
  'long floor': { measure: measureLongFloor, needs: null },
  'long run': { measure: measureLongTerminal, needs: 'dist/cli/index.js' },
} as const;
type Name = keyof typeof CONTESTANTS;

/** What we hold ourselves to. */
const MAX_TERMINAL_TO_FLOOR = 4;
const MAX_ACTION_START_MS = 1_000;
const MAX_LONG_RUN_TO_FLOOR = 5;
const MAX_LATE_TO_EARLY = 1.5;

type Medians = Readonly<Partial<Record<Name, Sample>>>;

/** Each contestant that is built, `runs` times. */
export async function measureStarts({ runs }: BenchOptions): Promise<SectionResult> {
  const names = Object.keys(CONTESTANTS) as readonly Name[];
  const missing = names.filter(
    (name) => CONTESTANTS[name].needs !== null && !existsSync(path.join(ROOT, CONTESTANTS[name].needs)),
  );
  const medians = await measureInTurn(
    names.filter((name) => !missing.includes(name)),
    runs,
  );
  const notMeasured = missing.map((name) => ({
    claim: `${name} was not measured: ${CONTESTANTS[name].needs} is not built (\`npm run build\`)`,
    holds: false,
  }));
  return {
    report: { turns: TURNS, medians, missing },
    table: renderMedians(medians, runs),
    verdicts: [...judgeStarts(medians), ...judgeLongRun(medians), ...notMeasured],
  };
}

/** All contestants once, then all once more: what else the machine does hits them alike. The first round warms up and is not counted. */
async function measureInTurn(names: readonly Name[], runs: number): Promise<Medians> {
  const folder = await mkdtemp(path.join(tmpdir(), 'harness9-bench-'));
  await writeFile(path.join(folder, NOTE_FILE), 'hello\n'.repeat(TURNS));
  await writeNotes(folder);
  const samples = new Map<Name, Sample[]>(names.map((name) => [name, []]));
  try {
    for (let round = 0; round <= runs; round += 1) {
      for (const name of names) {
        const sample = await CONTESTANTS[name].measure(folder);
        if (round > 0) samples.get(name)?.push(sample);
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return Object.fromEntries([...samples].map(([name, taken]) => [name, medianSample(taken)]));
}

function medianSample(taken: readonly Sample[]): Sample {
  return {
    firstRequestMs: median(taken.map((sample) => sample.firstRequestMs)) ?? Number.NaN,
    turnMs: median(taken.map((sample) => sample.turnMs)),
    lateTurnMs: median(taken.map((sample) => sample.lateTurnMs)),
    maxRssMb: median(taken.map((sample) => sample.maxRssMb)),
  };
}

function judgeLongRun({ 'long run': run, 'long floor': floor }: Medians): readonly Verdict[] {
  if (run?.turnMs == null || run.lateTurnMs === null || floor?.lateTurnMs == null) return [];
  const growth = run.lateTurnMs / run.turnMs;
  const factor = run.lateTurnMs / floor.lateTurnMs;
  return [
    {
      claim: `the last turns of ${LONG_TURNS} take ${growth.toFixed(1)} × the time of earlier ones (limit ${MAX_LATE_TO_EARLY} ×)`,
      holds: growth <= MAX_LATE_TO_EARLY,
    },
    {
      claim: `and ${factor.toFixed(1)} × the time of a bare loop that forgets (limit ${MAX_LONG_RUN_TO_FLOOR} ×)`,
      holds: factor <= MAX_LONG_RUN_TO_FLOOR,
    },
  ];
}

function judgeStarts({ terminal, action, 'bare loop': floor }: Medians): readonly Verdict[] {
  const factor = terminal === undefined || floor === undefined ? null : terminal.firstRequestMs / floor.firstRequestMs;
  return [
    ...(factor === null
      ? []
      : [
          {
            claim: `terminal starts in ${factor.toFixed(1)} × the bare loop's time (limit ${MAX_TERMINAL_TO_FLOOR} ×)`,
            holds: factor <= MAX_TERMINAL_TO_FLOOR,
          },
        ]),
    ...(action === undefined
      ? []
      : [
          {
            claim: `action asks its model after ${action.firstRequestMs.toFixed(0)} ms (limit ${MAX_ACTION_START_MS} ms)`,
            holds: action.firstRequestMs <= MAX_ACTION_START_MS,
          },
        ]),
  ];
}

function renderMedians(medians: Medians, runs: number): string {
  const cell = (value: number | null, digits: number): string => (value === null ? '–' : value.toFixed(digits)).padStart(15);
  const heads = ['start, ms', 'a turn¹, ms', 'late turn², ms', 'max RSS, MB'].map((head) => head.padStart(15));
  const rows = Object.entries(medians).map(([name, { firstRequestMs, turnMs, lateTurnMs, maxRssMb }]) => {
    return `${name.padEnd(12)}${cell(firstRequestMs, 0)}${cell(turnMs, 2)}${cell(lateTurnMs, 2)}${cell(maxRssMb, 0)}`;
  });
  return [
    `Medians of ${runs} runs taken in turn; Node ${process.version}\n`,
    `${''.padEnd(12)}${heads.join('')}`,
    ...rows,
    `\nStart: to the first model request (empty Node: to its end). ¹ Over ${TURNS} turns, each with one read_file.`,
    `² In the last quarter of ${LONG_TURNS} turns that outgrow the model's window; ¹ is then the second quarter. The floor forgets,`,
    'the terminal compacts by summaries.',
  ].join('\n');
}
