// Reads a model's answer: does it act, must it be asked again, or is it the end? Pure; the answer's content decides, then its finish reason.
import {
  addUsage,
  argumentsOf,
  type FinishReason,
  type Message,
  type Part,
  type ToolCall,
  type ToolDefinition,
  textOf,
  textPart,
} from '../schema/message.ts';
import type { RunError } from '../schema/run.ts';
import { isAnnouncement } from './announcement.ts';
import { takeOutLeakedCalls } from './leaked-call.ts';

/** How often in a row the model was asked again, by cause; acting or a follow-up starts them anew. */
export interface Streaks {
  readonly nudges: number;
  readonly leaks: number;
  readonly announcements: number;
  readonly continuations: number;
  readonly pauses: number;
  readonly cutCalls: number;
}

export const noStreaks: Streaks = { nudges: 0, leaks: 0, announcements: 0, continuations: 0, pauses: 0, cutCalls: 0 };

/** Bounds of asking again: enough for a hiccup, too few for a model that is stuck to spend much. */
const most: Streaks = { nudges: 1, leaks: 1, announcements: 1, continuations: 2, pauses: 5, cutCalls: 3 };

/**
 * An answer that is not in the history yet, since the next one belongs to it (`joins`) or replaces it.
 * `isPaused`: it goes back as the very last message, nothing after it.
 */
export interface Held {
  readonly message: Message;
  readonly joins: boolean;
  readonly isPaused: boolean;
}

/** `cutIds`: calls that the output limit cut, to be answered, not run. `reminder` goes into the next request only. */
export type Reading =
  | { readonly kind: 'act'; readonly message: Message; readonly cutIds: ReadonlySet<string>; readonly streaks: Streaks }
  | { readonly kind: 'again'; readonly held: Held | undefined; readonly reminder: string | undefined; readonly streaks: Streaks }
  | {
      readonly kind: 'final';
      readonly message: Message | undefined;
      readonly text: string;
      readonly error: RunError | undefined;
    };

const emptyReminder =
  'Your last reply had neither an answer nor a tool call. Call a tool to go on, or write the final answer as plain text now.';
const lostCallReminder =
  'Your last reply announced a tool call, but none arrived. Make the call now, or write the final answer as plain text.';
const leakReminder =
  'Your last reply had a tool call written as text. It was taken out and not run. Make it as a real tool call, or write the final ' +
  'answer as plain text, without such markup.';
const announcementReminder =
  'Your last reply says what you will do next, but it has no tool call, so nothing was done. Make the call now. If there is nothing ' +
  'left to do, write the whole final answer: it takes the place of that reply.';
const continueReminder =
  'Your reply was cut off by the output limit. Go on exactly where it stopped; do not repeat anything and do not start again.';

export const cutCallText =
  'This call was not run: the output limit cut it off, so its arguments are incomplete. Write in smaller pieces: create the file with ' +
  'its first part, then add the rest with further calls.';

/** The tools that there are, and those of them that were offered. */
export interface Toolbox {
  readonly tools: readonly ToolDefinition[];
  readonly offered: readonly ToolDefinition[];
}

/** What an answer means. `held` is the answer before it, when that one is still open. */
export function readAnswer(answer: Message, held: Held | undefined, streaks: Streaks, { tools, offered }: Toolbox): Reading {
  const whole = held?.joins === true ? joinMessages(held.message, answer) : answer;
  const { message, isLeaking } = takeOutLeakedCalls(whole, tools);
  const calls = message.toolCalls ?? [];
  const text = textOf(message.content);
  const reason = message.finishReason;
  // What stands in a refused answer was stopped on its way: its calls may be incomplete, so they are not run either.
  if (reason === 'refusal' || reason === 'content_filter') return refused(withoutCalls(message), text, reason);
  if (calls.length > 0) return readCalls(message, calls, streaks);
  if (reason === 'pause' && streaks.pauses < most.pauses) {
    const paused = { message: whole, joins: true, isPaused: true };
    return { kind: 'again', held: paused, reminder: undefined, streaks: { ...streaks, pauses: streaks.pauses + 1 } };
  }
  if (isLeaking) return readUnusable(message, held, { reminder: leakReminder, cause: 'leaks', streaks });
  if (isBlank(text)) return readUnusable(message, held, { reminder: emptyReminder, cause: 'nudges', streaks });
  if (reason === 'tool_calls') return readUnusable(message, held, { reminder: lostCallReminder, cause: 'nudges', streaks });
  if (reason === 'length' && streaks.continuations < most.continuations) {
    const open = { message, joins: true, isPaused: false };
    const next = { ...streaks, continuations: streaks.continuations + 1 };
    return { kind: 'again', held: open, reminder: continueReminder, streaks: next };
  }
  const canChange = offered.some(({ effect }) => effect !== 'read');
  if (!isCut(reason) && offered.length > 0 && isAnnouncement(text, { canChange })) {
    return readUnusable(message, held, { reminder: announcementReminder, cause: 'announcements', streaks });
  }
  return final(message, joinText(text, noteOn(reason)));
}

function readCalls(message: Message, calls: readonly ToolCall[], streaks: Streaks): Reading {
  const cut = isCut(message.finishReason) ? calls.filter((call) => argumentsOf(call) === undefined) : [];
  if (cut.length === 0) return { kind: 'act', message, cutIds: new Set(), streaks: noStreaks };
  const cutCalls = streaks.cutCalls + 1;
  if (cutCalls > most.cutCalls) {
    const error: RunError = {
      code: 'MODEL_OUTPUT_LIMIT',
      message: `The model's output limit cut its tool calls off ${cutCalls} times in a row.`,
      hint: 'Ask for a smaller change, or in a workflow raise max_output_tokens.',
    };
    return { kind: 'final', message: withoutCalls(message), text: joinText(textOf(message.content), error.message), error };
  }
  const cutIds = new Set(cut.map((call) => call.id));
  // Broken JSON in the history would be refused by strict servers for ever.
  const toolCalls = calls.map((call) => (cutIds.has(call.id) ? { ...call, arguments: '{}' } : call));
  return { kind: 'act', message: { ...message, toolCalls }, cutIds, streaks: { ...noStreaks, cutCalls } };
}

interface Shortcoming {
  readonly cause: 'nudges' | 'leaks' | 'announcements';
  readonly reminder: string;
  readonly streaks: Streaks;
}

/** No call, and no text that ought to be the answer: one reminder for each cause, then the best text there is, else an honest end. */
function readUnusable(message: Message, held: Held | undefined, { cause, reminder, streaks }: Shortcoming): Reading {
  const earlier = held?.joins === false ? held : undefined;
  const shown = isBlank(textOf(message.content)) ? earlier : { message, joins: false, isPaused: false };
  if (streaks[cause] < most[cause]) {
    return { kind: 'again', held: shown, reminder, streaks: { ...streaks, [cause]: streaks[cause] + 1 } };
  }
  if (shown !== undefined) return final(shown.message, textOf(shown.message.content));
  const error: RunError = {
    code: 'MODEL_EMPTY_ANSWER',
    message: 'The model ended without an answer: its last replies had neither a text to show nor a tool call to run.',
    hint: 'Ask again, or use another model.',
  };
  return { kind: 'final', message: undefined, text: error.message, error };
}

function refused(message: Message, text: string, reason: 'refusal' | 'content_filter'): Reading {
  const why = message.finishDetail === undefined ? '' : ` The provider says: ${message.finishDetail}`;
  const error: RunError =
    reason === 'refusal'
      ? { code: 'MODEL_REFUSED', message: `The model declined to answer this request.${why}`, hint: 'Ask in other words.' }
      : {
          code: 'MODEL_CONTENT_FILTER',
          message: `The provider's content filter stopped the model's answer.${why}`,
          hint: 'Ask in other words, or use another model.',
        };
  return { kind: 'final', message, text: joinText(text, error.message), error };
}

function final(message: Message, text: string): Reading {
  return { kind: 'final', message, text, error: undefined };
}

function noteOn(reason: FinishReason | undefined): string {
  if (reason === 'length') return "(The reply was cut off by the model's output limit.)";
  return reason === 'context_overflow' ? "(The reply was cut off because the model's context window is full.)" : '';
}

function isCut(reason: FinishReason | undefined): boolean {
  return reason === 'length' || reason === 'context_overflow';
}

/** Some servers write a placeholder where the model said nothing. */
export function isBlank(text: string): boolean {
  return /^\s*(\((empty|no) content\))?\s*$/.test(text);
}

/** Two texts as paragraphs; an empty one leaves no gap. */
export function joinText(first: string, second: string): string {
  return [first, second].filter((text) => text.trim() !== '').join('\n\n');
}

/** The message with its calls taken out: calls that nobody runs must not stand in the history. */
export function withoutCalls(message: Message): Message {
  const { toolCalls: _calls, ...rest } = message;
  return rest;
}

/** An answer and what came after it as one message: a continuation says once what it repeats, a new paragraph stands apart. */
export function joinMessages(first: Message, second: Message, how: 'continuation' | 'paragraph' = 'continuation'): Message {
  const usage = first.usage === undefined || second.usage === undefined ? second.usage : addUsage(first.usage, second.usage);
  const rest =
    how === 'paragraph' ? [textPart('\n\n'), ...second.content] : withoutOverlap(textOf(first.content), second.content);
  const joined = { ...second, content: mergeTexts([...first.content, ...rest]) };
  return usage === undefined ? joined : { ...joined, usage };
}

function withoutOverlap(said: string, next: readonly Part[]): readonly Part[] {
  const index = next.findIndex((part) => part.type === 'text');
  return next.map((part, at) =>
    at === index && part.type === 'text' ? textPart(part.text.slice(overlapLength(said, part.text))) : part,
  );
}

function mergeTexts(parts: readonly Part[]): readonly Part[] {
  const merged: Part[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (part.type === 'text' && last?.type === 'text') merged.splice(-1, 1, textPart(last.text + part.text));
    else merged.push(part);
  }
  return merged;
}

/** How many characters at the start of `next` repeat the end of `text`; short ones are chance, long ones are not looked for. */
function overlapLength(text: string, next: string): number {
  for (let length = Math.min(text.length, next.length, 500); length >= 16; length -= 1) {
    if (text.endsWith(next.slice(0, length))) return length;
  }
  return 0;
}
