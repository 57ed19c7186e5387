// How well a long run's requests fit a prompt cache, on both protocols: what each keeps of the one before, what is read again, what marks there are.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startModel } from '../../../src/simulator/model/scripted-model.ts';
import type { ScriptStep } from '../../../src/simulator/model/scripted-turn.ts';
import { PromptCache } from '../../provider/anthropic/prompt-cache.ts';
import { findRefusal } from '../../provider/anthropic/strict-request.ts';
import type { StrictRequest } from '../../provider/anthropic/strict-shape.ts';
import { readRequest } from '../../provider/openai/strict-request.ts';
import { askFromAction, NOTE_FILE, ROOT, runToEnd, TURNS } from '../measure.ts';
import type { BenchOptions, SectionResult, Verdict } from '../section.ts';
import { atMost, median } from '../section.ts';
import { simulatePrefixCache } from './simulate-openai.ts';
import { type Protocol, shareKept, splitRequest } from './split-request.ts';

const PROTOCOLS: readonly Protocol[] = ['openai', 'anthropic'];
const PROMPT = 'Fix the typo in the title of README.md.';
const MAX_FIRST_BYTES = 8_192;
/** More blocks than the vendor's cache looks back over. */
const MANY_CALLS = 25;

/** Of one protocol. Shares are of bytes, but `cached`: of the tokens of all requests, as the server's cache is simulated. */
interface CacheResult {
  readonly protocol: Protocol;
  /** Of the first request: in the terminal, and on a comment in the Action. */
  readonly firstBytes: number;
  readonly firstActionBytes: number;
  readonly keptMedian: number;
  readonly keptLeast: number;
  readonly cached: number;
  /** Requests that read less than the one before them left, and those that the vendor would refuse. */
  readonly missed: number;
  readonly refused: number;
  /** Requests with something behind the history: without any, nothing would be shown. */
  readonly tails: number;
}

/** One run of the built terminal on each protocol; nothing of it is a time, so that once is enough. */
export async function measureCache(_options: BenchOptions): Promise<SectionResult> {
  const results: CacheResult[] = [];
  for (const protocol of PROTOCOLS) results.push(await measureProtocol(protocol));
  return { report: { cache: results }, table: renderCache(results), verdicts: results.flatMap(judge) };
}

async function measureProtocol(protocol: Protocol): Promise<CacheResult> {
  const bodies = await runAgent(protocol);
  const requests = bodies.map((body) => splitRequest(body, protocol));
  const kept = requests.slice(1).map(({ stable, tail }, index) => shareKept(requests[index]?.stable ?? [], [...stable, ...tail]));
  const usages = protocol === 'openai' ? openaiUsages(requests) : anthropicUsages(bodies);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  return {
    protocol,
    firstBytes: bytesOf(bodies[0]),
    firstActionBytes: bytesOf(await firstOfAction(protocol)),
    keptMedian: median(kept) ?? 0,
    keptLeast: Math.min(...kept),
    cached: sum(usages.map(({ read }) => read)) / sum(usages.map(({ all }) => all)),
    missed: usages.filter(({ read }, index) => index > 0 && read < (usages[index - 1]?.left ?? 0)).length,
    refused: bodies.filter((body) => isRefused(body, protocol)).length,
    tails: requests.filter(({ tail }) => tail.length > 0).length,
  };
}

/** By the rules of the strict servers. */
function isRefused(body: unknown, protocol: Protocol): boolean {
  return protocol === 'openai' ? typeof readRequest(body) === 'string' : findRefusal(body) !== undefined;
}

function bytesOf(body: unknown): number {
  return Buffer.byteLength(JSON.stringify(body));
}

async function firstOfAction(protocol: Protocol): Promise<unknown> {
  const folder = await mkdtemp(path.join(tmpdir(), 'harness9-bench-cache-'));
  try {
    return (await askFromAction(folder, { protocol, prompt: PROMPT })).first.body;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `left`: tokens that the next request can read. */
interface Usage {
  readonly read: number;
  readonly all: number;
  readonly left: number;
}

function openaiUsages(requests: readonly ReturnType<typeof splitRequest>[]): readonly Usage[] {
  const whole = simulatePrefixCache(requests.map(({ stable, tail }) => [...stable, ...tail].join('\n')));
  // What a request leaves is what the same bytes again would read.
  return whole.map((usage, index) => {
    const stable = (requests[index]?.stable ?? []).join('\n');
    return { ...usage, left: simulatePrefixCache([stable, stable])[1]?.read ?? 0 };
  });
}

function anthropicUsages(bodies: readonly unknown[]): readonly Usage[] {
  const cache = new PromptCache();
  return bodies.map((body) => {
    // Whether it is one is counted apart.
    const { read, written, plain } = cache.use(body as StrictRequest);
    return { read, all: read + written + plain, left: read + written };
  });
}

/** The bodies of all requests of a run with everything that a turn can bring: many calls, failing ones, text, a to-do list that changes. */
async function runAgent(protocol: Protocol): Promise<readonly unknown[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'harness9-bench-cache-'));
  const model = await startModel([...Array.from({ length: TURNS }, (_, turn) => stepOf(turn)), { text: 'It is mended.' }]);
  try {
    await writeFile(path.join(folder, NOTE_FILE), 'hello\n'.repeat(TURNS));
    const entry = path.join(ROOT, 'dist', 'cli', 'index.js');
    const env =
      protocol === 'openai'
        ? { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: model.openaiUrl }
        : { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: model.url };
    const command = [entry, '-p', PROMPT, '--provider', protocol, '--model', 'm', '--max-turns', '0'];
    const child = await runToEnd(command, { cwd: folder, env });
    if (child.exitCode !== 0 || model.remaining() > 0) {
      throw new Error(`it ended with ${child.exitCode}, ${model.remaining()} answers left: ${child.stderr.slice(-500)}`);
    }
    return model.requests.map(({ body }) => body);
  } finally {
    await model.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function stepOf(turn: number): ScriptStep {
  const read = (at: number) => ({ name: 'read_file', arguments: { path: NOTE_FILE, offset: at + 1, limit: turn + 1 } });
  const todos = ['Find the typo', 'Mend it', 'Look again'].map((content, index) => ({
    content,
    status: turn > 10 * (index + 1) ? 'completed' : turn > 10 * index ? 'in_progress' : 'pending',
  }));
  if (turn % 10 === 3) return { text: 'I keep a list.', calls: [{ name: 'todo_write', arguments: { todos } }, read(turn)] };
  if (turn % 10 === 5)
    return {
      calls: [
        { name: 'read_file', arguments: { path: `nothing-${turn}.txt` } },
        { name: 'no_such_tool', arguments: {} },
      ],
    };
  if (turn % 25 === 7) return { calls: Array.from({ length: MANY_CALLS }, (_, at) => read(at)) };
  return { text: turn % 2 === 0 ? 'I look further.' : '', calls: Array.from({ length: 1 + (turn % 3) }, (_, at) => read(at)) };
}

function judge(result: CacheResult): readonly Verdict[] {
  const { protocol, keptLeast, firstBytes, firstActionBytes, missed, refused, tails } = result;
  return [
    {
      claim: `${protocol}: each request begins with the whole of the one before: ${percent(keptLeast)} at least`,
      holds: keptLeast === 1,
    },
    {
      claim: `${protocol}: each request reads all that the one before left in the cache: ${missed} of ${TURNS} do not`,
      holds: missed === 0,
    },
    { claim: `${protocol}: requests that the strict server refuses: ${refused}`, holds: refused === 0 },
    { claim: `${protocol}: of which ${tails} had an outgoing-only tail`, holds: tails > 0 },
    atMost(`${protocol}: first request in the terminal, with all tools`, firstBytes, MAX_FIRST_BYTES, 'bytes'),
    atMost(`${protocol}: first request in the Action, with all tools`, firstActionBytes, MAX_FIRST_BYTES, 'bytes'),
  ];
}

function renderCache(results: readonly CacheResult[]): string {
  const rows = results.map(({ protocol, keptMedian, keptLeast, cached, firstBytes, firstActionBytes }) =>
    [protocol, percent(keptMedian), percent(keptLeast), percent(cached), `${firstBytes}`, `${firstActionBytes}`]
      .map((cell) => cell.padStart(12))
      .join(''),
  );
  const head = ['protocol', 'kept median', 'kept least', 'cached', 'first bytes', 'in Action']
    .map((cell) => cell.padStart(12))
    .join('');
  return [`Prompt cache, ${TURNS} turns`, head, ...rows].join('\n');
}

/** Never rounded up to 100 %. */
function percent(share: number): string {
  return `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
}
