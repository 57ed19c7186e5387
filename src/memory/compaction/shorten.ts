// Cuts what is too large out of the middle of a text or a message, with a note that says so. Pure: the same input, the same bytes.
import { argumentsOf, type Message, type Part, type ToolCall, textPart } from '../../schema/message.ts';
import { boundMessage, estimateMessage, estimatePart, estimateText, imageTokens } from '../../schema/token-estimate.ts';
import { partitionPoint } from '../partition-point.ts';

/** What a text may take. `headShare`: the part of it that goes to the beginning, the rest goes to the end. Default a half. */
export interface Room {
  readonly tokens: number;
  readonly characters?: number;
  readonly headShare?: number;
}

/** What a message may take. Vendor blocks go whole or not at all, and only when they alone are larger than `opaqueTokens`. */
export interface MessageRoom {
  readonly tokens: number;
  readonly opaqueTokens: number;
  readonly headShare?: number;
}

/** No text is made shorter than its note. */
const leastTokens = 24;
/** What the note itself takes. */
const noteTokens = 16;
const noteCharacters = 44;
/** Where characters have no limit of their own: blank text, which costs next to nothing, must not become endless either. */
const charactersPerToken = 8;
const lostImage = textPart('[a picture was left out of this view]');

/** The text, or its head and tail when it takes more than its room. Never cuts a character in two. */
export function shortenText(text: string, room: Room): string {
  const characters = room.characters ?? Number.POSITIVE_INFINITY;
  if (text.length <= characters && estimateText(text) <= room.tokens) return text;
  const body = {
    tokens: Math.max(room.tokens - noteTokens, 0),
    characters: Math.max(Math.min(characters - noteCharacters, room.tokens * charactersPerToken), 0),
  };
  const headShare = room.headShare ?? 0.5;
  const head = longest(text.length, scale(body, headShare), (length) => text.slice(0, length));
  const tail = longest(text.length - head.length, scale(body, 1 - headShare), (length) => text.slice(text.length - length));
  const begin = /[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head;
  const end = /^[\uDC00-\uDFFF]/.test(tail) ? tail.slice(1) : tail;
  return `${begin}\n[… ${text.length - begin.length - end.length} characters left out …]\n${end}`;
}

function scale(room: { readonly tokens: number; readonly characters: number }, share: number): Required<Omit<Room, 'headShare'>> {
  return { tokens: room.tokens * share, characters: Math.floor(room.characters * share) };
}

/** The longest of the pieces, by length, that has room. */
function longest(length: number, room: Required<Omit<Room, 'headShare'>>, pieceOf: (length: number) => string): string {
  const count = Math.min(length, room.characters) + 1;
  const fits = partitionPoint(count, (candidate) => estimateText(pieceOf(candidate)) > room.tokens) - 1;
  return fits <= 0 ? '' : pieceOf(fits);
}

/** The message itself when it has room; else with its largest texts and arguments cut to one size, and pictures that do not fit left out. */
export function shortenMessage(message: Message, room: MessageRoom): Message {
  if (boundMessage(message) <= room.tokens || estimateMessage(message) <= room.tokens) return message;
  const content = dropBulky(message.content, room);
  const calls = message.toolCalls ?? [];
  const sizes = [...content.map(textTokens), ...calls.map((call) => estimateText(call.arguments))];
  const bare = estimateMessage({ ...message, content }) - sizes.reduce((sum, size) => sum + size, 0);
  const tokens = Math.max(shareOut(sizes, room.tokens - bare), leastTokens);
  const textRoom = { tokens, headShare: room.headShare ?? 0.5 };
  return {
    ...message,
    content: content.map((part) => (part.type === 'text' ? textPart(shortenText(part.text, textRoom)) : part)),
    ...(message.toolCalls === undefined ? {} : { toolCalls: calls.map((call) => shortenCall(call, tokens)) }),
  };
}

function textTokens(part: Part): number {
  return part.type === 'text' ? estimateText(part.text) : 0;
}

function dropBulky(parts: readonly Part[], room: MessageRoom): readonly Part[] {
  const opaque = parts.reduce((sum, part) => sum + (part.type === 'opaque' ? estimatePart(part) : 0), 0);
  let images = Math.floor(room.tokens / imageTokens);
  return parts.flatMap((part): readonly Part[] => {
    if (part.type === 'opaque') return opaque > room.opaqueTokens ? [] : [part];
    if (part.type === 'text') return [part];
    images -= 1;
    return images < 0 ? [lostImage] : [part];
  });
}

/** The height at which everything larger must be cut so that the sum is `total`; small ones stay whole. */
function shareOut(sizes: readonly number[], total: number): number {
  let left = total;
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = left / (sizes.length - index);
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** Arguments stay a JSON object with the same names, so that the call still reads as what it was. Broken ones are sent as `{}` anyway. */
function shortenCall(call: ToolCall, tokens: number): ToolCall {
  if (estimateText(call.arguments) <= tokens) return call;
  const values = Object.entries(argumentsOf(call) ?? {});
  const texts = values.map(([, value]) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const names = values.reduce((sum, [name]) => sum + estimateText(JSON.stringify(name)) + 1, 0);
  // Quotes and line breaks take more room inside JSON than in the text: try with less until it fits.
  for (let room = Math.min(shareOut(texts.map(estimateText), tokens - names), tokens); room > leastTokens / 2; room *= 0.7) {
    const shortened = values.map(([name, value], index) => [name, shortenValue(value, texts[index] ?? '', room)] as const);
    const text = JSON.stringify(Object.fromEntries(shortened));
    if (estimateText(text) <= tokens) return { ...call, arguments: text };
  }
  return { ...call, arguments: '{}' };
}

/** A large list or object becomes the shortened text of its JSON. */
function shortenValue(value: unknown, text: string, tokens: number): unknown {
  const shortened = shortenText(text, { tokens });
  return shortened === text ? value : shortened;
}
