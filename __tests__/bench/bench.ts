// `npm run bench`: what the product takes, beside its floors, in one run. `--json` for a machine, `--runs 7`; `--starts`, `--edit`, `--tools`, `--cache`, `--threads`: these only.
import { measureCache } from './cache/measure-cache.ts';
import { measureEditing } from './edit/measure-editing.ts';
import type { BenchOptions, SectionResult } from './section.ts';
import { measureStarts } from './starts.ts';
import { measureThreads } from './threads.ts';
import { measureTools } from './tools/measure-tools.ts';

const SECTIONS: Readonly<Record<string, (options: BenchOptions) => Promise<SectionResult>>> = {
  '--starts': measureStarts,
  '--edit': measureEditing,
  '--tools': measureTools,
  '--cache': measureCache,
  '--threads': measureThreads,
};

const DEFAULT_RUNS = 7;

function parseRuns(args: readonly string[]): number {
  const given = args.indexOf('--runs');
  return given < 0 ? DEFAULT_RUNS : Math.max(1, Number(args[given + 1]) || DEFAULT_RUNS);
}

/** The sections that are asked for; all when none is. One after the other: they would take each other's time. */
async function measureSections(args: readonly string[], runs: number): Promise<readonly SectionResult[]> {
  const flags = Object.keys(SECTIONS);
  const asked = flags.filter((flag) => args.includes(flag));
  const results: SectionResult[] = [];
  for (const [flag, measure] of Object.entries(SECTIONS)) {
    if (asked.length === 0 || asked.includes(flag)) results.push(await measure({ runs }));
  }
  return results;
}

async function main(args: readonly string[]): Promise<number> {
  const runs = parseRuns(args);
  const results = await measureSections(args, runs);
  const verdicts = results.flatMap((result) => result.verdicts);
  if (args.includes('--json')) {
    const reports = results.map(({ report }) => report);
    console.log(JSON.stringify(Object.assign({ node: process.version, runs }, ...reports, { verdicts }), null, 2));
  } else {
    for (const { table } of results) console.log(`${table}\n`);
    for (const { claim, holds } of verdicts) console.log(`${holds ? '✓' : '✗'} ${claim}`);
  }
  return verdicts.every(({ holds }) => holds) ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
