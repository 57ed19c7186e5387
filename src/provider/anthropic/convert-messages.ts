// The conversation to Messages turns; the one conversion for blocking and streaming. It changes no history and sets no cache marks.
import type {
  ContentBlockParam,
  ImageBlockParam,
  TextBlockParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import { argumentsOf, type Message, type OpaquePart, type Origin, type Part, textOf } from '../../schema/message.ts';
import { isSameOrigin } from '../origin.ts';

/** A block and the message that it comes from, so that a cache mark can find the tail. */
export interface PlacedBlock {
  readonly block: ContentBlockParam;
  readonly source: number;
}

type ImagePart = Extract<Part, { type: 'image' }>;

/** One turn; user and assistant alternate. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly PlacedBlock[];
}

/** The API refuses an empty result (G3-06). */
const emptyResult = '(no output)';
/** The first message must be a user's (G3-21). */
const missingStart = '(The beginning of this conversation was left out.)';

/** System prompts as blocks, all of them, blank ones left out. */
export function convertSystem(messages: readonly Message[]): TextBlockParam[] {
  return messages
    .filter((message) => message.role === 'system')
    .map((message) => textOf(message.content))
    .filter((text) => text.trim() !== '')
    .map((text) => ({ type: 'text', text }));
}

/**
 * The turns: neighbours of one role are merged (spec: strict alternation), the results of a turn stand first in the order of its calls
 * (G3-03, G3-05), and results whose call was cut off the history are left out (G3-21).
 */
export function convertMessages(messages: readonly Message[], origin: Origin): readonly Turn[] {
  const turns = messages.flatMap((message, source): readonly Turn[] => {
    const blocks = message.role === 'system' ? [] : convertMessage(message, origin).map((block) => ({ block, source }));
    return blocks.length === 0 ? [] : [{ role: message.role === 'assistant' ? 'assistant' : 'user', blocks }];
  });
  const merged = mergeNeighbours(turns);
  const ordered = merged.map((turn, index) => (turn.role === 'user' ? orderResults(turn, callsOf(merged[index - 1])) : turn));
  return trimLast(startWithUser(mergeNeighbours(ordered.filter((turn) => turn.blocks.length > 0))));
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

function convertMessage(message: Message, origin: Origin): readonly ContentBlockParam[] {
  if (message.toolCallId !== undefined) return [convertResult(message, message.toolCallId)];
  const content = message.content.flatMap((part) => convertPart(part, origin));
  const calls = (message.toolCalls ?? []).map((call) => ({
    type: 'tool_use' as const,
    id: safeId(call.id),
    name: call.name,
    // Cut or broken arguments go back as an object all the same (G3-15): strict servers refuse such a history for ever.
    input: argumentsOf(call) ?? {},
  }));
  const blocks = [...content, ...calls];
  // Thinking alone says nothing, and the API refuses a turn that ends in it.
  return blocks.every((block) => block.type === 'thinking' || block.type === 'redacted_thinking') ? [] : blocks;
}

function convertPart(part: Part, origin: Origin): readonly ContentBlockParam[] {
  if (part.type === 'opaque') return isSameOrigin(part.origin, origin) ? [vendorBlock(part)] : [];
  if (part.type === 'image') return [imageBlock(part)];
  return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
}

/** Byte for byte as it came (G3-08); this is the vendor's own block on its way back to the vendor, so its type is taken on trust. */
function vendorBlock(part: OpaquePart): ContentBlockParam {
  return part.value as ContentBlockParam;
}

function convertResult(message: Message, toolCallId: string): ToolResultBlockParam {
  const images = message.content.filter((part) => part.type === 'image').map(imageBlock);
  const text = textOf(message.content).trim() === '' ? emptyResult : textOf(message.content);
  return {
    type: 'tool_result',
    tool_use_id: safeId(toolCallId),
    content: images.length === 0 ? text : [{ type: 'text', text }, ...images],
    ...(message.isError ? { is_error: true } : {}),
  };
}

function imageBlock(part: ImagePart): ImageBlockParam | TextBlockParam {
  const mediaType = (['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const).find((known) => known === part.mediaType);
  if (mediaType === undefined) {
    return {
      type: 'text',
      text: `(A picture of type ${part.mediaType} was left out: this model takes JPEG, PNG, GIF and WebP.)`,
    };
  }
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: part.data } };
}

/** Another vendor's ids may hold characters that this API refuses. */
function safeId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_');
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
  const first = turns[0];
  if (first?.role !== 'assistant') return turns;
  return [{ role: 'user', blocks: [{ block: { type: 'text', text: missingStart }, source: 0 }] }, ...turns];
}

/** White space at the end of a last assistant turn is refused (G3-07). */
function trimLast(turns: readonly Turn[]): readonly Turn[] {
  const last = turns.at(-1);
  const end = last?.blocks.at(-1);
  if (last?.role !== 'assistant' || end?.block.type !== 'text') return turns;
  const trimmed = { ...end, block: { ...end.block, text: end.block.text.trimEnd() } };
  return [...turns.slice(0, -1), { ...last, blocks: [...last.blocks.slice(0, -1), trimmed] }];
}
