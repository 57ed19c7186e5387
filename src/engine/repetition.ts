// Whether the model goes round in circles: the same calls with the same results, again and again. Pure; the turn acts on what is found.
import { StringDecoder } from 'node:string_decoder';
import { canonicalJson, hashOf } from '../schema/canonical-json.ts';
import { isDeeperThan } from '../schema/json-depth.ts';
import { argumentsOf, type ToolCall, type ToolDefinition, type ToolResult } from '../schema/message.ts';
import { steadyParts } from './steady-text.ts';

/** A call that ran, with its result. `effect`: of its tool, if there is such a tool. */
interface CallPair {
  readonly call: ToolCall;
  readonly result: ToolResult;
  readonly effect: ToolDefinition['effect'] | undefined;
}

/**
 * What is known of the calls so far, bounded in size. `reminder` is for the next request, `verdict` says to people why the run must
 * stop, as a clause; both come from the turn that was noted last, and a verdict stays.
 */
export interface RepetitionState {
  readonly reminder: string | undefined;
  readonly verdict: string | undefined;
  readonly turn: number;
  readonly seen: readonly Seen[];
  readonly reminded: readonly Reminded[];
}

/**
 * `exact` is the call with its result. `near` leaves out of a command's output what changes by itself (times, process numbers): without
 * it a test run that says how long it took would never be the same. Others' results have nothing like that, and are equal in both.
 * `isCounted`: since the last progress; what was before still tells what is new.
 */
interface Seen {
  readonly turn: number;
  readonly exact: string;
  readonly near: string;
  readonly isCounted: boolean;
}

/** `more`: how often it was seen again since the model was told, without having changed its course; `news`: what was new in between. */
interface Reminded {
  readonly key: string;
  readonly mostMore: number;
  readonly more: number;
  readonly news: number;
}

export const noRepetition: RepetitionState = { reminder: undefined, verdict: undefined, turn: 0, seen: [], reminded: [] };

/** How often the same may come once more after the model was told. */
const mostMoreAfterReminder = 2;
/** Nearly the same may be somebody who waits for something: twice the patience, before the reminder and after it. */
const nearPatience = 2;
/** Turns that are looked back on, for each repeat that is allowed: a round of 16 calls is a circle, the same file read hours later is none. */
const windowTurnsPerRepeat = 16;
/** Of parallel calls; beyond it the oldest are forgotten. */
const mostSeen = 1024;
/** New calls between two repeats that make them no circle. A command that worked counts for all: it may have changed what the repeat looks at. */
const newsOfAnotherCourse = 4;
/** Deeper arguments no tool takes; they are compared as they were written. */
const maxDepth = 64;
const maxPreviewBytes = 120;

/**
 * Notes a turn's calls, in their order. The same pair in `maxRepeats` turns (0 = off; one is never a repeat) since the last progress
 * is told to the model, once; twice more after that, without another course in between, is the verdict. Progress is a write that
 * worked and is new: to and fro between two texts is none. A result that differs makes another pair.
 */
export function noteTurn(state: RepetitionState, pairs: readonly CallPair[], maxRepeats: number): RepetitionState {
  if (maxRepeats <= 0 || state.verdict !== undefined) return state;
  const most = Math.max(2, maxRepeats);
  const turn = state.turn + 1;
  const past = state.seen.filter((one) => one.turn > turn - windowTurnsPerRepeat * most);
  const calls = pairs.map(readPair);
  const { seen, reminded: told, news } = calls.reduce(noteCall, { turn, seen: past, reminded: state.reminded, news: 0 });
  const reminded = told.filter(({ key }) => isKnown(seen, key)).map((one) => goOn(one, calls, news));
  const next = { reminder: undefined, verdict: undefined, turn, seen: seen.slice(-mostSeen), reminded };

  const overdone = reminded.find((one) => one.more >= one.mostMore);
  const culprit = calls.find((call) => overdone !== undefined && hasKey(call, overdone.key));
  if (overdone !== undefined && culprit !== undefined) return { ...next, verdict: verdictText(seen, culprit, overdone.key) };

  const repeat = findRepeat(seen, calls, { most, reminded });
  if (repeat === undefined) return next;
  return { ...next, reminder: reminderText(seen, repeat.call, repeat.record.key), reminded: [...reminded, repeat.record] };
}

interface Call {
  readonly name: string;
  /** Canonical, or as written where they are no JSON object. */
  readonly args: string;
  readonly exact: string;
  readonly near: string;
  readonly isWrite: boolean;
  /** It ran a command, and that worked. */
  readonly hasRun: boolean;
}

function readPair({ call, result, effect }: CallPair): Call {
  const parsed = isDeeperThan(call.arguments, maxDepth) ? undefined : argumentsOf(call);
  const args = parsed === undefined ? call.arguments : canonicalJson(parsed);
  const hashWith = (output: ToolResult['output']): string => hashOf([call.name, args, result.isError, output]);
  const exact = hashWith(result.output);
  return {
    name: call.name,
    args,
    exact,
    near: effect === 'execute' ? hashWith(steadyParts(result.output)) : exact,
    isWrite: effect === 'write' && !result.isError,
    hasRun: effect === 'execute' && !result.isError,
  };
}

interface Noted {
  readonly turn: number;
  readonly seen: readonly Seen[];
  readonly reminded: readonly Reminded[];
  readonly news: number;
}

function noteCall({ turn, seen, reminded, news }: Noted, call: Call): Noted {
  const one = { turn, exact: call.exact, near: call.near, isCounted: true };
  if (isKnown(seen, call.near)) return { turn, seen: [...seen, one], reminded, news };
  if (!call.isWrite) return { turn, seen: [...seen, one], reminded, news: news + (call.hasRun ? newsOfAnotherCourse : 1) };
  return { turn, seen: [...seen.map((before) => ({ ...before, isCounted: false })), one], reminded: [], news: 0 };
}

function goOn(record: Reminded, calls: readonly Call[], moreNews: number): Reminded {
  const news = record.news + moreNews;
  if (!calls.some((call) => hasKey(call, record.key))) return { ...record, news };
  return { ...record, news: 0, more: news >= newsOfAnotherCourse ? 1 : record.more + 1 };
}

/** The first call of the turn that is due to be told and was not told yet. */
function findRepeat(
  seen: readonly Seen[],
  calls: readonly Call[],
  { most, reminded }: { readonly most: number; readonly reminded: readonly Reminded[] },
): { readonly call: Call; readonly record: Reminded } | undefined {
  const fresh = { more: 0, news: 0 };
  for (const call of calls) {
    if (reminded.some(({ key }) => hasKey(call, key))) continue;
    if (turnsWith(seen, call.exact) >= most)
      return { call, record: { key: call.exact, mostMore: mostMoreAfterReminder, ...fresh } };
    if (turnsWith(seen, call.near) < most * nearPatience) continue;
    return { call, record: { key: call.near, mostMore: mostMoreAfterReminder * nearPatience, ...fresh } };
  }
  return undefined;
}

function hasKey(one: Pick<Seen, 'exact' | 'near'>, key: string): boolean {
  return one.exact === key || one.near === key;
}

function isKnown(seen: readonly Seen[], key: string): boolean {
  return seen.some((one) => hasKey(one, key));
}

/** In how many turns since the last progress; the same call twice in one turn is a slip, not a circle. */
function turnsWith(seen: readonly Seen[], key: string): number {
  return new Set(seen.filter((one) => one.isCounted && hasKey(one, key)).map(({ turn }) => turn)).size;
}

function reminderText(seen: readonly Seen[], call: Call, key: string): string {
  return (
    `In ${turnsWith(seen, key)} turns you have made the same call and got ${sameResult(call, key)}: ${shown(call)}\n` +
    'Making it once more will not tell you anything new. Work with what it returned, try something else, or write the final answer.'
  );
}

function verdictText(seen: readonly Seen[], call: Call, key: string): string {
  const turns = turnsWith(seen, key);
  return `the model made the same call in ${turns} turns and got ${sameResult(call, key)}, also after it was told so: ${shown(call)}`;
}

function sameResult(call: Call, key: string): string {
  return call.exact === key
    ? 'the same result'
    : 'the same result but for what changes by itself (times, process numbers, temporary names)';
}

/** The call on one line, its arguments cut to `maxPreviewBytes` of UTF-8 between two characters. */
function shown({ name, args }: Call): string {
  const bytes = Buffer.from(args.replaceAll(/\s+/g, ' '));
  if (bytes.length <= maxPreviewBytes) return `${name} ${bytes.toString()}`;
  // A stream's decoder keeps back what is not whole yet; the mark of the cut has three bytes.
  return `${name} ${new StringDecoder('utf8').write(bytes.subarray(0, maxPreviewBytes - 3))}…`;
}
