// What stands at the end of a request only and is never stored: the open answer, the to-do list, the plan mode, at most one reminder.
import { type Message, textPart } from '../schema/message.ts';
import { planModeText } from './plan-mode.ts';
import type { Run } from './run-state.ts';
import { renderTodos } from './todo-list.ts';

/** The messages after the history. A paused answer must stay the last one, unless the reminder ends the run. */
export function outgoingTail({ progress, todos, planMode }: Run, reminder: string | undefined): readonly Message[] {
  const { held } = progress;
  const last = reminder === undefined ? [] : [said(reminder)];
  if (held?.isPaused === true) return [held.message, ...last];
  const open = held === undefined ? [] : [held.message];
  const mode = planMode === 'plan' ? [said(planModeText)] : [];
  return [...open, ...renderTodos(todos.items), ...mode, ...last];
}

/** The reminder of an ordinary turn: what the last answer lacked, else a repetition, else what is due every so many turns. */
export function chooseReminder({ progress, settings }: Run, turn: number): string | undefined {
  if (progress.held?.isPaused === true) return undefined;
  return progress.reminder ?? progress.repetition.reminder ?? dueNudge(settings.memoryNudge, turn);
}

/** A reminder stands in one request only; the one that had to wait keeps its place. */
export function dropReminder({ progress }: Run, shown: string | undefined): void {
  progress.reminder = undefined;
  if (progress.repetition.reminder === shown) progress.repetition = { ...progress.repetition, reminder: undefined };
}

function dueNudge({ everyTurns, text }: Run['settings']['memoryNudge'], turn: number): string | undefined {
  return everyTurns > 0 && text.trim() !== '' && turn % everyTurns === 0 ? text : undefined;
}

function said(text: string): Message {
  return { role: 'user', content: [textPart(text)] };
}
