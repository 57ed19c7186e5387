// One message to the blocks that stand for it. It knows nothing of turns, and changes no message.
import type {
  ContentBlockParam,
  ImageBlockParam,
  TextBlockParam,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import {
  type ImagePart,
  type Message,
  type OpaquePart,
  type Origin,
  type Part,
  type ToolCall,
  textOf,
} from '../../schema/message.ts';
import { isSameOrigin } from '../origin.ts';
import { safeArguments, safeName } from '../safe-calls.ts';
import { placeOf } from './call-place.ts';
import { isThinking } from './thinking.ts';

/** What all messages of a request are converted with. */
export interface Conversion {
  readonly origin: Origin;
  readonly idOf: (id: string) => string;
}

/** The API refuses an empty result (G3-06). */
const emptyResult = '(no output)';
/** What the API's own and its gateways' patterns for ids have in common. */
const foreignToIds = /[^\w-]/g;
const longestId = 64;

/** Ids as the vendor takes them: each another one, and the same in every request, since a history only grows. */
export function createIds(): Conversion['idOf'] {
  const given = new Map<string, string>();
  const taken = new Set<string>();
  return (id) => {
    const known = given.get(id);
    if (known !== undefined) return known;
    let own = id.replace(foreignToIds, '_').slice(0, longestId) || 'call';
    for (let count = 2; taken.has(own); count += 1) own = `${own.slice(0, longestId - 5)}_${count}`;
    given.set(id, own);
    taken.add(own);
    return own;
  };
}

/** Whether the API counts a text as one: it refuses blocks of white space (G3-06). */
export function hasWords(text: string): boolean {
  return /[^\s\p{Cc}]/u.test(text);
}

/** A text as a block. Half of a character, which a cut may leave, would make the body no JSON in the API's eyes. */
export function textBlock(text: string): TextBlockParam {
  return { type: 'text', text: text.toWellFormed() };
}

/** The blocks of a message that is no system prompt; none when it says nothing. */
export function convertMessage(message: Message, conversion: Conversion): readonly ContentBlockParam[] {
  if (message.toolCallId !== undefined) return [convertResult(message, conversion.idOf(message.toolCallId))];
  const calls = (message.toolCalls ?? []).map((call) => convertCall(call, conversion));
  const places = new Set<ToolUseBlockParam>();
  const content = message.content.flatMap((part): readonly ContentBlockParam[] => {
    const place = placeOf(part, conversion.origin);
    if (place === undefined) return convertPart(part, conversion.origin);
    const call = calls[place];
    if (call === undefined || places.has(call)) return [];
    places.add(call);
    return [call];
  });
  return withoutLastThinking([...content, ...calls.filter((call) => !places.has(call))]);
}

/** Thinking that leads to nothing says nothing, and the API refuses a turn that ends in it. */
function withoutLastThinking(blocks: readonly ContentBlockParam[]): readonly ContentBlockParam[] {
  return blocks.slice(0, blocks.findLastIndex((block) => !isThinking(block)) + 1);
}

function convertCall(call: ToolCall, { idOf }: Conversion): ToolUseBlockParam {
  return {
    type: 'tool_use',
    id: idOf(call.id),
    name: safeName(call.name),
    input: safeArguments(call).input,
  };
}

function convertPart(part: Part, origin: Origin): readonly ContentBlockParam[] {
  if (part.type === 'opaque') return isSameOrigin(part.origin, origin) ? [vendorBlock(part)] : [];
  if (part.type === 'image') return [imageBlock(part)];
  return hasWords(part.text) ? [textBlock(part.text)] : [];
}

/** Byte for byte as it came (G3-08); this is the vendor's own block on its way back to the vendor, so its type is taken on trust. */
function vendorBlock(part: OpaquePart): ContentBlockParam {
  return part.value as ContentBlockParam;
}

function convertResult(message: Message, id: string): ToolResultBlockParam {
  const images = message.content.filter((part) => part.type === 'image').map(imageBlock);
  const said = textOf(message.content);
  const text = hasWords(said) ? said.toWellFormed() : emptyResult;
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: images.length === 0 ? text : [{ type: 'text', text }, ...images],
    ...(message.isError ? { is_error: true } : {}),
  };
}

function imageBlock(part: ImagePart): ImageBlockParam | TextBlockParam {
  const mediaType = (['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const).find((known) => known === part.mediaType);
  if (mediaType === undefined) {
    return textBlock(`(A picture of type ${part.mediaType} was left out: this model takes JPEG, PNG, GIF and WebP.)`);
  }
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: part.data } };
}
