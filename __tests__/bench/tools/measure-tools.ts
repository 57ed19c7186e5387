// The throughput of each tool of the host, called through the registry as the engine does, beside the least that does the same.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { textOf } from '../../../src/schema/message.ts';
import { createHostTools } from '../../../src/tools/host-tools.ts';
import type { Registry } from '../../../src/tools/registry.ts';
import { createRegistry } from '../../../src/tools/registry.ts';
import type { BenchOptions, SectionResult } from '../section.ts';
import { median } from '../section.ts';
import type { Contest } from './contests.ts';
import { CONTESTS, EDITED_FILE, FILES_A_FOLDER, NEEDLE, PAGE_BYTES, PAGE_FILE, TREE, TREE_FOLDERS } from './contests.ts';

/** Medians, in milliseconds a call. */
interface ToolResult {
  readonly name: string;
  readonly than: string;
  readonly callMs: number;
  readonly floorMs: number;
  readonly bytes?: number;
}

/** Every contest `runs` times, tool and floor by turns. Throws when a call fails: its time would say nothing. */
export async function measureTools({ runs }: BenchOptions): Promise<SectionResult> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'harness9-bench-tools-')));
  const lifetime = new AbortController();
  try {
    await fillWorkspace(folder);
    const registry = createRegistry();
    const env = { PATH: '/usr/bin:/bin', HOME: folder };
    const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');
    const tools = createHostTools({ workDir: folder, env, redactionMark: '***', randomHex, lifetime: lifetime.signal });
    for (const tool of tools) registry.register(tool);
    const results: ToolResult[] = [];
    for (const contest of CONTESTS) results.push(await measureContest(contest, { registry, folder, runs }));
    return { report: { tools: results }, table: renderTools(results, runs), verdicts: [] };
  } finally {
    lifetime.abort();
    await rm(folder, { recursive: true, force: true });
  }
}

async function fillWorkspace(folder: string): Promise<void> {
  await writeFile(path.join(folder, PAGE_FILE), 'line of text\n'.repeat(Math.floor(PAGE_BYTES / 13)));
  const edited = `${'export const other = 1; // nothing to see\n'.repeat(200)}const value = 0;\n${'// the rest\n'.repeat(200)}`;
  for (const name of [EDITED_FILE, `floor-${EDITED_FILE}`]) await writeFile(path.join(folder, name), edited);
  for (let index = 0; index < TREE_FOLDERS; index += 1) {
    const inside = path.join(folder, TREE, `part-${index}`);
    await mkdir(inside, { recursive: true });
    for (let file = 0; file < FILES_A_FOLDER; file += 1) {
      // Every needle is in a file of each folder, and few enough of them for an answer.
      const needle = file < 10 && index % 4 === 0 ? `${NEEDLE}${file}` : 'hay';
      const lines = `export const name${file} = '${needle}';\n${'// what else stands in a file\n'.repeat(60)}`;
      await writeFile(path.join(inside, `file-${file}.ts`), lines);
    }
  }
}

interface Ring {
  readonly registry: Registry;
  readonly folder: string;
  readonly runs: number;
}

async function measureContest(contest: Contest, { registry, folder, runs }: Ring): Promise<ToolResult> {
  const times = { call: [] as number[], floor: [] as number[] };
  // The first run warms up and is not counted.
  for (let run = 0; run <= runs; run += 1) {
    const first = run * contest.calls;
    const call = await timed(contest.calls, (index) => callTool(registry, contest, first + index));
    const floor = await timed(contest.calls, (index) => contest.floor(folder, first + index));
    if (run === 0) continue;
    times.call.push(call);
    times.floor.push(floor);
  }
  return {
    ...{ name: contest.name, than: contest.than },
    callMs: median(times.call) ?? Number.NaN,
    floorMs: median(times.floor) ?? Number.NaN,
    ...(contest.bytes === undefined ? {} : { bytes: contest.bytes }),
  };
}

/** Milliseconds a call. */
async function timed(calls: number, call: (index: number) => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  for (let index = 0; index < calls; index += 1) await call(index);
  return (performance.now() - startedAt) / calls;
}

async function callTool(registry: Registry, { tool, args }: Contest, round: number): Promise<void> {
  const call = { id: `call-${round}`, name: tool, arguments: JSON.stringify(args(round)) };
  const { isError, output } = await registry.execute(call, { signal: new AbortController().signal });
  if (isError) throw new Error(`${tool} failed: ${textOf(output).slice(0, 500)}`);
}

function renderTools(results: readonly ToolResult[], runs: number): string {
  const rate = (ms: number): string => (1000 / ms).toFixed(ms > 100 ? 1 : 0);
  const megabytes = (ms: number, bytes: number | undefined): string =>
    bytes === undefined ? '' : (bytes / ms / 1000).toFixed(0);
  const rows = results.map(({ name, than, callMs, floorMs, bytes }) =>
    [
      name.padEnd(18),
      ...[callMs.toFixed(2), rate(callMs), megabytes(callMs, bytes), rate(floorMs), megabytes(floorMs, bytes)].map((cell) =>
        cell.padStart(11),
      ),
      ...[`${(callMs / floorMs).toFixed(1)} ×`.padStart(11), `   ${than}`],
    ].join(''),
  );
  const heads = ['ms a call', 'calls/s', 'MB/s', 'floor c/s', 'floor MB/s', 'factor'].map((head) => head.padStart(11)).join('');
  return [
    `Tools, through the registry in this process; medians of ${runs} runs taken in turn`,
    '',
    `${''.padEnd(18)}${heads}   floor`,
    ...rows,
  ].join('\n');
}
