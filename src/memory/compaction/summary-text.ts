// Owns what a checkpoint's summary is made of: prose (a model's, or notes without one), then the record of the work. Pure.
import { isComment, type Message, textOf } from '../../schema/message.ts';
import { estimateText } from '../../schema/token-estimate.ts';
import type { CutPlan, SummaryRoom } from './plan.ts';
import { shortenText } from './shorten.ts';
import { unpinned } from './view.ts';
import { newestThatFit, oneLine, renderWorkRecord } from './work-record.ts';

/** The parts of a summary that are prose and record; the rest is what stands between. */
const proseShare = 0.6;
const recordShare = 0.39;
/** The part of the prose that new notes may take, where no model merges them with what was there. */
const notesShare = 0.5;
const maxAnswerTokens = 150;
const maxRemarkTokens = 40;

/** The room that prose has. */
export function proseRoom({ tokens, characters }: SummaryRoom): SummaryRoom {
  return { tokens: Math.floor(tokens * proseShare), characters: Math.floor(characters * proseShare) };
}

/** A model's prose, then the record of all that is covered. */
export function writtenSummary(plan: CutPlan, prose: string): string {
  return [shortenText(prose, proseRoom(plan.room)), recordOf(plan, plan.covers)].join('\n\n');
}

/** Without a model: the earlier prose, notes of what is newly covered, the record of all that is covered. */
export function mechanicalSummary(plan: CutPlan): string {
  const room = proseRoom(plan.room);
  const notesRoom = { tokens: room.tokens * notesShare, characters: Math.floor(room.characters * notesShare) };
  const notes = shortenText(newestThatFit(notesOf(plan), notesRoom).join('\n'), notesRoom);
  const earlier = shortenText(earlierProse(plan), {
    tokens: room.tokens - estimateText(notes),
    characters: room.characters - notes.length,
  });
  return [earlier, notes, recordOf(plan, plan.covers)].filter((section) => section !== '').join('\n\n');
}

/** The record is made anew from the history each time, and so is not prose to be kept: it is taken off where it still stands as it was made. */
export function earlierProse(plan: CutPlan): string {
  const previous = plan.previous ?? '';
  const record = recordOf(plan, plan.covered);
  return previous.endsWith(record) ? previous.slice(0, -record.length).trim() : previous;
}

function recordOf({ conversation, room }: CutPlan, covers: number): string {
  const recordRoom = { tokens: room.tokens * recordShare, characters: Math.floor(room.characters * recordShare) };
  return shortenText(renderWorkRecord(conversation.history.slice(0, covers), recordRoom), recordRoom);
}

/** One line for each thing that was said and is not shown any more. */
function notesOf({ conversation, sizes, covered, covers }: CutPlan): readonly string[] {
  const left = new Set(unpinned(conversation, covers, sizes));
  return conversation.history.slice(covered, covers).flatMap((message) => noteOf(message, left));
}

function noteOf(message: Message, left: ReadonlySet<Message>): readonly string[] {
  const text = textOf(message.content).trim();
  if (text === '') return [];
  if (isComment(message)) return left.has(message) ? [`- The user said: ${oneLine(text, maxAnswerTokens)}`] : [];
  if (message.isFromRun === true) return [`- You were told, by no person: ${oneLine(text, maxAnswerTokens)}`];
  if (message.role !== 'assistant') return [];
  const isAnswer = message.toolCalls === undefined;
  return [`- You said: ${oneLine(text, isAnswer ? maxAnswerTokens : maxRemarkTokens)}`];
}
