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
 * `call` is the call alone, `exact` the call with its result. `near` leaves out of a command's output what changes by itself (times,
 * process numbers): without it a test run that says how long it took would never be the same. Others' results have nothing like that,
 * and are equal in both.
 */
interface Keys {
  readonly call: string;
  readonly exact: string;
  readonly near: string;
}

/** `isCounted`: since the last progress; what was before still tells what is new. */
interface Seen extends Keys {
  readonly turn: number;
  readonly isCounted: boolean;
}

/** `suspicion`: of a circle, grown with every repeat since the model was told, up to `most`; `news`: what has come since the last one. */
interface Reminded {
  readonly key: string;
  readonly call: string;
  readonly most: number;
  readonly suspicion: number;
  readonly news: News;
}

/**
 * New is a call that was not seen before, or whose result was not. `failed`: all that was new was refused by its tool; a command that fails
 * says something all the same.
 */
type News = 'none' | 'failed' | 'some';

export const noRepetition: RepetitionState = { reminder: undefined, verdict: undefined, turn: 0, seen: [], reminded: [] };

/**
 * What a repeat adds to the suspicion, by what was new since the one before it. Failures may be attempts, so they are borne longer; whoever
 * learns something new in between is on the way, and the suspicion is gone.
 */
const suspicionAfter: Readonly<Record<'none' | 'failed', number>> = { none: 3, failed: 1 };
/** Two repeats after the model was told, when nothing was new; six when every attempt in between failed. */
const mostSuspicion = 2 * suspicionAfter.none;
/** Nearly the same may be somebody who waits for something: twice the patience, before the reminder and after it. */
const nearPatience = 2;
/** A command that sleeps before it looks waits for sure, and takes its time: what never ends is for the limits of turns and time. */
const waitPatience = 10;
/** Turns that are looked back on, for each repeat that is allowed: a round of 16 calls is a circle, the same file read hours later is none. */
const windowTurnsPerRepeat = 16;
/** Of parallel calls; beyond it the oldest are forgotten. */
const mostSeen = 1024;
/** Deeper arguments no tool takes; they are compared as they were written. */
const maxDepth = 64;
const maxPreviewBytes = 120;

/**
 * Notes a turn's calls, in their order. The same pair in `maxRepeats` turns (0 = off; one is never a repeat) since the last progress
 * is told to the model, once; going on with it is the verdict, unless something new comes in between. Progress is a write or a command that
 * worked and is new: it may have changed what the others look at. To and fro between two texts is none. A result that differs makes another
 * pair, and whoever saw a result change may look again.
 */
export function noteTurn(state: RepetitionState, pairs: readonly CallPair[], maxRepeats: number): RepetitionState {
  if (maxRepeats <= 0 || state.verdict !== undefined) return state;
  const most = Math.max(2, maxRepeats);
  const turn = state.turn + 1;
  const past = state.seen.filter((one) => one.turn > turn - windowTurnsPerRepeat * most);
  const calls = pairs.map(readPair);
  const noted = calls.reduce(noteCall, { turn, seen: past, reminded: state.reminded, news: 'none' });
  const { seen } = noted;
  const reminded = noted.reminded.filter(({ key }) => isKnown(seen, key)).map((one) => goOn(one, calls, noted.news));
  const next = { reminder: undefined, verdict: undefined, turn, seen: seen.slice(-mostSeen), reminded };

  const overdone = reminded.find((one) => one.suspicion >= one.most);
  const culprit = calls.find((call) => overdone !== undefined && hasKey(call, overdone.key));
  if (overdone !== undefined && culprit !== undefined) return { ...next, verdict: verdictText(seen, culprit, overdone.key) };

  const repeat = findRepeat(seen, calls, { most, reminded });
  if (repeat === undefined) return next;
  return { ...next, reminder: reminderText(seen, repeat.call, repeat.record.key), reminded: [...reminded, repeat.record] };
}

interface Call extends Keys {
  readonly name: string;
  /** Canonical, or as written where they are no JSON object. */
  readonly args: string;
  readonly isCommand: boolean;
  /** It may have changed what others look at. */
  readonly mayChange: boolean;
  /** If it is new. */
  readonly brings: News;
}

function readPair({ call, result, effect }: CallPair): Call {
  const { name } = call;
  const { isError } = result;
  const parsed = isDeeperThan(call.arguments, maxDepth) ? undefined : argumentsOf(call);
  const args = parsed === undefined ? call.arguments : canonicalJson(parsed);
  const hashWith = (output: ToolResult['output']): string => hashOf([name, args, isError, output]);
  const exact = hashWith(result.output);
  const isCommand = effect === 'execute';
  return {
    name,
    args,
    call: hashOf([name, args]),
    exact,
    near: isCommand ? hashWith(steadyParts(result.output)) : exact,
    isCommand,
    mayChange: !isError && (isCommand || effect === 'write'),
    brings: isError && !isCommand ? 'failed' : 'some',
  };
}

interface Noted {
  readonly turn: number;
  readonly seen: readonly Seen[];
  readonly reminded: readonly Reminded[];
  readonly news: News;
}

function noteCall({ turn, seen: before, reminded: told, news }: Noted, now: Call): Noted {
  const { call, exact, near } = now;
  const isNew = !isKnown(before, near);
  const isProgress = isNew && now.mayChange;
  // Its own other results are of another state of things.
  const isOver = (one: Seen): boolean => isProgress || (one.call === call && one.near !== near);
  const seen = before.map((one) => (isOver(one) ? { ...one, isCounted: false } : one));
  return {
    turn,
    seen: [...seen, { turn, call, exact, near, isCounted: true }],
    reminded: told.filter((one) => !isProgress && (one.call !== call || hasKey(now, one.key))),
    news: isNew ? moreOf(news, now.brings) : news,
  };
}

function goOn(record: Reminded, calls: readonly Call[], newer: News): Reminded {
  const news = moreOf(record.news, newer);
  if (!calls.some((call) => hasKey(call, record.key))) return { ...record, news };
  return { ...record, news: 'none', suspicion: news === 'some' ? 0 : record.suspicion + suspicionAfter[news] };
}

function moreOf(a: News, b: News): News {
  if (a === 'some' || b === 'some') return 'some';
  return a === 'failed' ? a : b;
}

/** The first call of the turn that is due to be told and was not told yet. */
function findRepeat(
  seen: readonly Seen[],
  calls: readonly Call[],
  { most, reminded }: { readonly most: number; readonly reminded: readonly Reminded[] },
): { readonly call: Call; readonly record: Reminded } | undefined {
  for (const call of calls) {
    if (reminded.some(({ key }) => hasKey(call, key))) continue;
    const patience = isWait(call) ? waitPatience : 1;
    const isExact = turnsWith(seen, call.exact) >= most * patience;
    const nearly = Math.max(nearPatience, patience);
    if (!isExact && turnsWith(seen, call.near) < most * nearly) continue;
    const key = isExact ? call.exact : call.near;
    const record = {
      key,
      call: call.call,
      most: mostSuspicion * (isExact ? patience : nearly),
      suspicion: 0,
      news: 'none',
    } as const;
    return { call, record };
  }
  return undefined;
}

function isWait({ isCommand, args }: Call): boolean {
  return isCommand && /\bsleep\b/.test(args);
}

function hasKey(one: Pick<Keys, 'exact' | 'near'>, key: string): boolean {
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
    'Making it once more will not tell you anything new. Work with what it returned, try something else, or write the final answer.' +
    (call.isCommand ? ' If you are waiting for something, let the command sleep before it looks.' : '')
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
