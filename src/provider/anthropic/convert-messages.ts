// The conversation to Messages turns; the one conversion for blocking and streaming. It changes no history and sets no cache marks.
import type { ContentBlockParam, TextBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { type Message, type Origin, textOf } from '../../schema/message.ts';
import { convertMessage, createIds, hasWords, textBlock } from './convert-blocks.ts';

/** A block and the message that it comes from, so that a cache mark can find the tail. */
export interface PlacedBlock {
  readonly block: ContentBlockParam;
  readonly source: number;
}

/** One turn; user and assistant alternate. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly PlacedBlock[];
}

/** The first message must be a user's (G3-21). */
const missingStart = '(The beginning of this conversation was left out.)';
/** So must the last one: models from 4.6 on do not go on with an answer of theirs (G3-07). */
const missingEnd = '(Go on.)';

/** System prompts as blocks, all of them, blank ones left out. */
export function convertSystem(messages: readonly Message[]): TextBlockParam[] {
  return messages
    .filter((message) => message.role === 'system')
    .map((message) => textOf(message.content))
    .filter(hasWords)
    .map(textBlock);
}

/**
 * The turns: neighbours of one role are merged (spec: strict alternation), the results of a turn stand first in the order of its calls
 * (G3-03, G3-05), and results whose call was cut off the history are left out (G3-21).
 */
export function convertMessages(messages: readonly Message[], origin: Origin): readonly Turn[] {
  const conversion = { origin, idOf: createIds() };
  const turns = messages.flatMap((message, source): readonly Turn[] => {
    const blocks = message.role === 'system' ? [] : convertMessage(message, conversion).map((block) => ({ block, source }));
    return blocks.length === 0 ? [] : [{ role: message.role === 'assistant' ? 'assistant' : 'user', blocks }];
  });
  const merged = mergeNeighbours(turns);
  const ordered = merged.map((turn, index) => (turn.role === 'user' ? orderResults(turn, callsOf(merged[index - 1])) : turn));
  const paired = mergeNeighbours(ordered.filter((turn) => turn.blocks.length > 0));
  return endWithUser(startWithUser(paired), messages);
}

function mergeNeighbours(turns: readonly Turn[]): readonly Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) {
    const before = merged.at(-1);
    if (before?.role === turn.role) {
      merged[merged.length - 1] = { role: turn.role, blocks: [...before.blocks, ...turn.blocks] };
    } else {
      merged.push(turn);
    }
  }
  return merged;
}

function callsOf(turn: Turn | undefined): readonly string[] {
  return turn?.role === 'assistant' ? turn.blocks.flatMap(({ block }) => (block.type === 'tool_use' ? [block.id] : [])) : [];
}

function orderResults(turn: Turn, calls: readonly string[]): Turn {
  const results = calls.flatMap((id) =>
    turn.blocks.filter(({ block }) => block.type === 'tool_result' && block.tool_use_id === id).slice(0, 1),
  );
  return { role: 'user', blocks: [...results, ...turn.blocks.filter(({ block }) => block.type !== 'tool_result')] };
}

function startWithUser(turns: readonly Turn[]): readonly Turn[] {
  if (turns[0]?.role !== 'assistant') return turns;
  return [{ role: 'user', blocks: [{ block: textBlock(missingStart), source: 0 }] }, ...turns];
}

/** A paused answer goes back as the last message, without white space at its end, which is refused there (G3-07). */
function endWithUser(turns: readonly Turn[], messages: readonly Message[]): readonly Turn[] {
  const last = turns.at(-1);
  if (last?.role !== 'assistant') return turns;
  if (messages.at(-1)?.finishReason !== 'pause') {
    return [...turns, { role: 'user', blocks: [{ block: textBlock(missingEnd), source: messages.length }] }];
  }
  const end = last.blocks.at(-1);
  if (end?.block.type !== 'text') return turns;
  const trimmed = { ...end, block: { ...end.block, text: end.block.text.replace(/[\s\p{Cc}]+$/u, '') } };
  return [...turns.slice(0, -1), { ...last, blocks: [...last.blocks.slice(0, -1), trimmed] }];
}
