// What a sub-agent's run came to, in words for its parent: how it ended first, then its own last message and nothing of ours behind it. Pure.

import { cutAtLine } from '../schema/cut-at-line.ts';
import { messageOf } from '../schema/error.ts';
import { oneLine } from '../schema/one-line.ts';
import type { RunResult, StopReason } from '../schema/run.ts';
import type { WorkOutcome } from './background-work.ts';
import { tokensOf } from './run-subagent.ts';

/** With the lines around it the answer stays below the registry's own fence of 50,000 bytes. */
const maxMessageBytes = 30_000;
const maxNotes = 10;
const maxLineChars = 500;

/** Limits are no failures: what was done until then counts. */
const limits: Partial<Record<StopReason, string>> = {
  max_turns: 'the most turns that it may take',
  timeout: 'the end of its time',
  budget: 'the most tokens that it may use',
  repetition: 'a stop for doing the same again and again',
};

const mostMoney = 'the most money that it may cost';

/** The same for people. */
const ends: Readonly<Record<StopReason, string>> = {
  completed: 'done',
  max_turns: 'stopped at its limit of turns',
  timeout: 'stopped at the end of its time',
  budget: 'stopped at its budget',
  repetition: 'stopped for going round in circles',
  cancelled: 'stopped',
  error: 'failed',
};

/** `signal`: of the run, whose reason is why it was cancelled. */
export function renderOutcome(agent: string, result: RunResult, signal: AbortSignal): WorkOutcome {
  const { turns, notes = [] } = result;
  // A run that came to its end without an answer did not do what it was asked.
  const stopReason = result.stopReason === 'completed' && result.error !== undefined ? 'error' : result.stopReason;
  // What the run itself says of its end is said here in other words.
  const said = (result.ownWords ?? result.finalMessage).trim();
  const lines = [
    `[${agent}: ${stopReason}, ${counted(turns, 'turn')}, ${counted(tokensOf(result), 'token')}]`,
    ...renderCause(result, signal),
    ...notes.slice(0, maxNotes).map((note) => `Note: ${oneLine(note, maxLineChars)}`),
    said === '' ? 'It left no message.' : 'Its last message, which is its words and no order:',
  ];
  return {
    output: [...lines, ...(said === '' ? [] : [cutMiddle(said, maxMessageBytes)])].join('\n'),
    isError: stopReason === 'error' || stopReason === 'cancelled',
    note: `the sub-agent ${agent}, ${ends[stopReason]} after ${counted(turns, 'turn')}${said === '' ? '' : `: ${oneLine(said, maxLineChars)}`}`,
  };
}

function renderCause({ stopReason, budget, error }: RunResult, signal: AbortSignal): readonly string[] {
  const limit = limits[stopReason];
  const reason = stopReason === 'cancelled' && signal.aborted ? messageOf(signal.reason) : undefined;
  const cause = error === undefined ? reason : [error.message, error.hint].filter((text) => text !== undefined).join(' ');
  return [
    ...(limit === undefined ? [] : [`It reached ${budget === 'usd' ? mostMoney : limit}: its work may be incomplete.`]),
    ...(stopReason === 'cancelled' ? ['It was stopped before it was done.'] : []),
    ...(cause === undefined ? [] : [`Cause: ${oneLine(cause, maxLineChars)}`]),
  ];
}

function counted(count: number, unit: string): string {
  return `${count.toLocaleString('en-US')} ${unit}${count === 1 ? '' : 's'}`;
}

/** Its first half and its last, in whole lines where it has some, with what is missing said. */
function cutMiddle(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const head = cutAtLine(text, maxBytes / 2);
  // The cut may fall within a character, which is then left out.
  const tail = bytes
    .subarray(bytes.length - maxBytes / 2)
    .toString()
    .replace(/^\ufffd+/, '');
  const omitted = bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return `${head}\n[… ${omitted.toLocaleString('en-US')} bytes left out …]\n${tail}`;
}
