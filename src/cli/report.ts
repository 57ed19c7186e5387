// What a run looks like from outside: its events and its result in the wished format on stdout, advice on stderr, the exit code.
import { describeCost } from '../schema/cost-words.ts';
import { adviceOf, Harness9Error, hintOf, messageOf } from '../schema/error.ts';
import { noUsage } from '../schema/message.ts';
import type { EngineEvent, RunError, RunResult } from '../schema/run.ts';
import type { World } from '../schema/world.ts';
import type { OutputFormat } from './every-command.ts';
import { type Outward, renderJson, renderText } from './harmless.ts';
import { holdDeltas } from './held-deltas.ts';

export interface Reporter {
  /** One event of a stream; the last one is the result. */
  readonly event: (event: EngineEvent) => void;
  /** The end of a run that was no stream. */
  readonly result: (result: RunResult) => void;
  /** The end of a run that did not begin: what was thrown, as the data that every other run ends with. */
  readonly failure: (error: unknown, signal: AbortSignal) => RunResult;
  /** A line for people. */
  readonly say: (line: string) => void;
}

type Output = Pick<World, 'stdout' | 'stderr'>;

/** Says what happens in one format; stdout gets the answer (`text`), one object (`json`) or the events (`stream-json`) and nothing else. */
export function createReporter(format: OutputFormat, output: Output, outward: Outward): Reporter {
  const print = (value: unknown): void => output.stdout(`${renderJson(value, outward)}\n`);
  const say = (line: string): void => output.stderr(`${renderText(line, outward)}\n`);
  const advise = (result: RunResult): void => {
    const { error, cost, fallbacks = [], notes = [] } = result;
    const money = cost && describeCost(cost);
    const others = fallbacks.map(({ from, to, why }) => `${to} took over from ${from} (${why})`);
    const lines = [...notes, ...others, limitOf(result), error?.message, error?.hint, money && `cost: ${money}`];
    for (const line of lines) if (line !== undefined) say(line);
  };
  return {
    event: holdDeltas((event) => {
      print(event);
      if (event.type === 'done' || event.type === 'error') advise(event.data);
    }, outward.redact),
    result: (result) => {
      // Whoever asked for a form gets it and nothing else: what the model may have written around it is for people.
      if (format === 'json') print(result);
      else if (result.structuredOutput !== undefined) print(result.structuredOutput);
      else if (result.finalMessage !== '') output.stdout(`${renderText(result.finalMessage, outward)}\n`);
      advise(result);
    },
    failure: (error, signal) => {
      const result = failureOf(error, signal);
      if (format === 'json') print(result);
      if (format === 'stream-json') print({ type: result.error === undefined ? 'done' : 'error', turn: 0, data: result });
      if (result.error !== undefined) say(`harness9: ${adviceOf(error)}`);
      return result;
    },
    say,
  };
}

/** Which limit ended the run, by its flag: the model's own last words need not name it. */
function limitOf({ stopReason, budget }: Pick<RunResult, 'stopReason' | 'budget'>): string | undefined {
  if (stopReason === 'max_turns') return 'stopped at the limit of turns (--max-turns)';
  if (stopReason === 'timeout') return 'stopped at the time limit';
  if (stopReason === 'repetition') return 'stopped because the same step was repeated without getting further';
  if (stopReason !== 'budget') return undefined;
  return `stopped at the budget in ${budget === 'usd' ? 'dollars (--max-cost-usd)' : 'tokens (--max-tokens-total)'}`;
}

/** 0 completed, 1 error, 2 usage, 3 a limit, 130 interrupted. An answer that is none (refused, empty) is an error for a script. */
export function exitCodeOf({ stopReason, error }: RunResult): number {
  if (error !== undefined && usageCodes.includes(error.code)) return 2;
  return stopReason === 'completed' && error !== undefined ? 1 : exitCodes[stopReason];
}

/** A flag that cannot be understood, or what it names: then no model was asked, and nothing was run. */
const usageCodes: readonly string[] = [
  'CLI_USAGE',
  'CONFIG_MALFORMED',
  'CONFIG_UNREADABLE',
  'HOOKS_INVALID',
  'MCP_CONFIG',
  'OUTPUT_SCHEMA',
  'PERMISSION_RULES',
  'PRICE_UNKNOWN',
  'PROVIDER_FALLBACK',
  'PROVIDER_SCRIPT',
  'SCRIPT_MALFORMED',
  'SCRIPT_UNREADABLE',
  'TRACING_ENDPOINT',
];

const exitCodes: Readonly<Record<RunResult['stopReason'], number>> = {
  completed: 0,
  error: 1,
  max_turns: 3,
  timeout: 3,
  budget: 3,
  repetition: 3,
  cancelled: 130,
};

/** An error as data, with its code and hint where it has them. */
function describeError(error: unknown): RunError {
  const hint = hintOf(error);
  const code = error instanceof Harness9Error ? error.code : 'INTERNAL';
  return { code, message: messageOf(error), ...(hint === undefined ? {} : { hint }) };
}

function failureOf(error: unknown, signal: AbortSignal): RunResult {
  const nothing = { finalMessage: '', turns: 0, usage: noUsage, durationMs: 0 };
  if (signal.aborted) return { stopReason: 'cancelled', ...nothing };
  return { stopReason: 'error', ...nothing, error: describeError(error) };
}
