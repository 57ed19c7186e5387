// Takes the time a turn of a long run, in which the history outgrows the model's window several times: at the beginning and at the end.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startModel } from '../../src/simulator/model/scripted-model.ts';
import type { ReceivedRequest, ScriptStep } from '../../src/simulator/model/scripted-turn.ts';
import type { Sample } from './measure.ts';
import { ROOT, runToEnd } from './measure.ts';

export const LONG_TURNS = 200;
const PROMPT = 'Read the notes and say what is in them.';
const NOTES = 'notes';
/** A page of read_file; 200 of them are five times what fits a model whose name says nothing. */
const NOTE_CHARACTERS = 12_000;
/** What the terminal's requests have on the average, so that the floor carries as much. */
const FLOOR_CHARACTERS = 330_000;
const SUMMARY =
  'The user wants to know what is in the notes. All of those that were read say how the total of a cart is rounded. '.repeat(4);

/** The notes that both read. */
export async function writeNotes(folder: string): Promise<void> {
  await mkdir(path.join(folder, NOTES));
  for (let index = 0; index < LONG_TURNS; index += 1) {
    const line = `Note ${index}: the total of the cart is rounded before the tax is added.\n`;
    await writeFile(path.join(folder, NOTES, `${index}.txt`), line.repeat(Math.ceil(NOTE_CHARACTERS / line.length)));
  }
}

/** The bare loop, which drops what is too much for it. */
export async function measureLongFloor(folder: string): Promise<Sample> {
  const floor = path.join(import.meta.dirname, 'floor.mjs');
  return (await measureLong(folder, (url) => [floor, url, PROMPT, `${FLOOR_CHARACTERS}`])).sample;
}

/** The built terminal entry: compaction by summaries, its session in SQLite. */
export async function measureLongTerminal(folder: string): Promise<Sample> {
  const entry = path.join(ROOT, 'dist', 'cli', 'index.js');
  const command = [entry, '-p', PROMPT, '--provider', 'openai', '--model', 'm', '--max-turns', '0'];
  const { sample, summaries } = await measureLong(folder, () => command);
  if (summaries < 2) throw new Error(`the run compacted ${summaries} times: it is not what this measures`);
  return sample;
}

async function measureLong(folder: string, commandFor: (url: string) => readonly string[]) {
  const turns: ReceivedRequest[] = [];
  let summaries = 0;
  const step: ScriptStep = (request) => {
    if (!request.mayCall) {
      summaries += 1;
      return { text: SUMMARY };
    }
    turns.push(request);
    const isLast = turns.length > LONG_TURNS;
    return isLast
      ? { text: 'Roundings.' }
      : { calls: [{ name: 'read_file', arguments: { path: `${NOTES}/${turns.length - 1}.txt` } }] };
  };
  const model = await startModel(Array.from({ length: 2 * LONG_TURNS }, () => step));
  try {
    const startedAt = performance.now();
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: model.openaiUrl };
    const child = await runToEnd(commandFor(model.openaiUrl), { cwd: folder, env });
    if (child.exitCode !== 0 || turns.length !== LONG_TURNS + 1) {
      throw new Error(
        `it ended with ${child.exitCode} after ${turns.length} of ${LONG_TURNS + 1} requests: ${child.stderr.slice(-500)}`,
      );
    }
    const sample: Sample = {
      firstRequestMs: (turns[0]?.receivedAtMs ?? Number.NaN) - startedAt,
      // In the second quarter it has compacted for the first time.
      turnMs: turnMs(turns, LONG_TURNS / 4),
      lateTurnMs: turnMs(turns, (3 * LONG_TURNS) / 4),
      maxRssMb: child.maxRssMb,
    };
    return { sample, summaries };
  } finally {
    await model.close();
  }
}

/** The mean of a quarter of the run, from the turn `from` on. */
function turnMs(turns: readonly ReceivedRequest[], from: number): number {
  const [first, last] = [turns[from], turns[from + LONG_TURNS / 4]];
  return ((last?.receivedAtMs ?? Number.NaN) - (first?.receivedAtMs ?? Number.NaN)) / (LONG_TURNS / 4);
}
