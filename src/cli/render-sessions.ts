// Kept conversations as text for people. Pure; making it harmless is harmless.ts's.
import type { SearchHit, SessionInfo } from '../compose/terminal-sessions.ts';
import { type Message, textOf } from '../schema/message.ts';
import { oneLine } from '../schema/one-line.ts';
import type { TodoItem } from '../schema/todo.ts';

/** `workspace`, `tag`: what was asked about; null for all. */
export function renderSessions(
  sessions: readonly SessionInfo[],
  { workspace, tag }: { readonly workspace: string | null; readonly tag: string | null },
): string {
  if (sessions.length === 0) {
    return `there are no sessions${workspace === null ? '' : ` of ${workspace}`}${tag === null ? '' : ` with the tag ${tag}`}`;
  }
  return sessions.map((session) => renderLine(session, workspace)).join('\n');
}

export function renderHits(hits: readonly SearchHit[], workspace: string | null): string {
  if (hits.length === 0) return 'nothing was found';
  return hits.map(({ session, snippet }) => `${renderLine(session, workspace)}\n    ${snippet}`).join('\n');
}

const titleCharacters = 70;
/** What Linux takes for a path. */
const maxPathCharacters = 4096;

function renderLine({ id, updatedAt, messageCount, title, tags, workspace }: SessionInfo, only: string | null): string {
  const when = `${updatedAt.slice(0, 16).replace('T', ' ')}Z`;
  const marks = tags.map((tag) => ` #${oneLine(tag, titleCharacters)}`).join('');
  // A folder's name may hold a line end, and so may a tag that another program set.
  const where = only === null ? `  ${oneLine(workspace, maxPathCharacters)}` : '';
  return `${id}  ${when}  ${String(messageCount).padStart(4)}  ${oneLine(title, titleCharacters) || '(empty)'}${marks}${where}`;
}

/** What a conversation holds besides its place in the list. */
export interface ConversationContent {
  readonly messages: readonly Message[];
  readonly todos: readonly TodoItem[];
  readonly plan: string | null;
  readonly checkpoint: { readonly coversMessages: number } | null;
}

/** The conversation from top to bottom; long outputs of tools are cut, the JSON has all of them. */
export function renderConversation(info: SessionInfo | undefined, content: ConversationContent): string {
  const { messages, todos, plan, checkpoint } = content;
  const head = info === undefined ? [] : [renderLine(info, null)];
  const cut = checkpoint === null ? [] : [`the first ${checkpoint.coversMessages} messages go to the model as a summary`];
  const list = todos.map(({ status, content: text }) => `[${status}] ${text}`);
  return [
    [...head, ...cut].join('\n'),
    ...messages.map(renderMessage),
    ...(list.length === 0 ? [] : [section('to-do list', list.join('\n'))]),
    ...(plan === null ? [] : [section('plan that waits', plan)]),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function renderMessage(message: Message): string {
  const text = textOf(message.content);
  if (message.toolCallId !== undefined) return section(message.isError === true ? 'result (failed)' : 'result', shorten(text));
  const calls = (message.toolCalls ?? []).map(({ name, arguments: given }) => `→ ${name} ${shorten(given)}`);
  const pictures = message.content.filter(({ type }) => type === 'image').map(() => '(a picture)');
  const lines = [text, ...pictures, ...calls].filter((line) => line !== '');
  return section(speakerOf(message), lines.join('\n'));
}

function speakerOf({ role, isFromRun }: Message): string {
  if (isFromRun === true) return 'note';
  return role === 'assistant' ? 'harness9' : role;
}

function section(name: string, text: string): string {
  return `── ${name} ──\n${text}`;
}

/** A screen or two of one result; more hides the conversation. */
const maxCharacters = 2000;

function shorten(text: string): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters).toWellFormed()}\n… ${text.length - maxCharacters} more characters: --output-format json has them`;
}

const promptCharacters = 100;

export function renderRemoved(id: string, removed: readonly Message[]): string {
  const [first] = removed;
  if (first === undefined) return `${id} has nothing to take back`;
  return `${removed.length} messages are taken back from ${id}, as far as: ${oneLine(textOf(first.content), promptCharacters)}`;
}
