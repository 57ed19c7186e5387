// What the built Action takes for a mention on what is very large: calls to GitHub, the first request to the model, memory.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type LargeRun, openLargePull, openLongIssue, runOnLarge } from '../e2e/large-thread.ts';
import { ROOT } from './measure.ts';
import { atMost, type SectionResult } from './section.ts';

const entry = 'dist/main/index.js';
const scenes = {
  'an issue with 1,000 comments': openLongIssue,
  'a pull request with 3,000 files and 1,000 comments': openLargePull,
} as const;

/** What we hold ourselves to. */
const maxCalls = 99;
const maxRequestKb = 300;
const maxRssMb = 300;

/** Each once: what is counted does not depend on the time. */
export async function measureThreads(): Promise<SectionResult> {
  if (!existsSync(path.join(ROOT, entry))) {
    const claim = `threads were not measured: ${entry} is not built (\`npm run build\`)`;
    return { report: {}, table: '', verdicts: [{ claim, holds: false }] };
  }
  const threads: Record<string, LargeRun> = {};
  for (const [name, open] of Object.entries(scenes)) threads[name] = await runOnLarge(open);
  const rows = Object.entries(threads);
  return {
    report: { threads },
    table: ['threads | calls | first request (KB) | memory (MB)', ...rows.map(renderRow)].join('\n'),
    verdicts: rows.flatMap(([name, run]) => [
      atMost(`calls to GitHub for ${name}`, run.calls, maxCalls, 'calls'),
      atMost(`first request for ${name}`, run.requestBytes / 1_024, maxRequestKb, 'KB'),
      atMost(`memory for ${name}`, run.maxRssMb, maxRssMb, 'MB'),
    ]),
  };
}

function renderRow([name, { calls, requestBytes, maxRssMb: rss }]: readonly [string, LargeRun]): string {
  return `${name} | ${calls} | ${(requestBytes / 1_024).toFixed(0)} | ${rss.toFixed(0)}`;
}
