// Tokens of a request, estimated without a tokenizer: cheap, additive by message, and not fooled by CJK text, numbers, keys or pictures.
import type { Message, Part, ToolDefinition } from './message.ts';

/** What providers add around a message and a call (role, separators, ids). */
const messageOverhead = 4;
const callOverhead = 8;
const toolOverhead = 8;
/** A picture costs by its pixels, not by its bytes; this is a large one. */
export const imageTokens = 1600;
/** What a UTF-16 unit is estimated at, at most: that of a Han character. */
const mostTokensAUnit = 1.2;

/** Tokens that a request with these messages and tool schemas takes. */
export function estimateTokens(messages: readonly Message[], tools: readonly ToolDefinition[]): number {
  const ofMessages = messages.reduce((sum, message) => sum + estimateMessage(message), 0);
  const ofTools = tools.reduce((sum, tool) => sum + estimateTool(tool), 0);
  return Math.ceil(ofMessages + ofTools);
}

/** Tokens of one message, not rounded. */
export function estimateMessage(message: Message): number {
  const ofParts = message.content.reduce((sum, part) => sum + estimatePart(part), messageOverhead);
  const calls = message.toolCalls ?? [];
  return calls.reduce((sum, call) => sum + callOverhead + estimateText(call.name) + estimateText(call.arguments), ofParts);
}

/** No fewer than `estimateMessage` says, without reading the texts: their length alone shows that most messages are small. */
export function boundMessage({ content, toolCalls = [] }: Message): number {
  const ofParts = content.reduce(
    (sum, part) => sum + (part.type === 'text' ? part.text.length * mostTokensAUnit : estimatePart(part)),
    0,
  );
  const ofCalls = toolCalls.reduce((sum, call) => sum + (call.name.length + call.arguments.length) * mostTokensAUnit, 0);
  return messageOverhead + ofParts + toolCalls.length * callOverhead + ofCalls;
}

/** Tokens of one part, not rounded. */
export function estimatePart(part: Part): number {
  switch (part.type) {
    case 'text':
      return estimateText(part.text);
    case 'image':
      return imageTokens;
    case 'opaque':
      return estimateText(JSON.stringify(part.value) ?? '');
  }
}

function estimateTool(tool: ToolDefinition): number {
  return toolOverhead + estimateText(tool.name) + estimateText(tool.description) + estimateText(JSON.stringify(tool.inputSchema));
}

// Kinds of characters, as numbers: this loop reads every character that is sent, and comparing words takes it three times as long.
const space = 0;
const control = 1;
const digit = 2;
const lower = 3;
const upper = 4;
const mark = 5;
const other = 6;

/** Tokens of a text, not rounded. A longer text never has fewer. The weights were fitted to what public tokenizers make of such texts. */
export function estimateText(text: string): number {
  let tokens = 0;
  let before = space;
  let length = 0;
  let isAfterDigit = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const kind = kindOf(code);
    // A capital and the small letters behind it are one word; a capital behind small letters begins the next one (camelCase).
    const goesOn = kind === before || (kind === lower && before === upper);
    if (!goesOn) isAfterDigit = before === digit;
    length = goesOn ? length + 1 : 1;
    tokens += kind === other ? otherTokens(code) : asciiTokens(kind, length, isAfterDigit);
    before = kind;
  }
  return tokens;
}

function kindOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return lower;
  if (code >= 0x41 && code <= 0x5a) return upper;
  if (code >= 0x30 && code <= 0x39) return digit;
  if (code === 0x20) return space;
  if (code < 0x20) return control;
  return code < 0x80 ? mark : other;
}

/** What the `length`-th character of a run adds: words are cheap, digits go by three, a word's own space is free, indentation is one token. */
function asciiTokens(kind: number, length: number, isAfterDigit: boolean): number {
  switch (kind) {
    case lower:
    case upper:
      return letterTokens(kind, length, isAfterDigit);
    case digit:
      return length % 3 === 1 ? 1 : 0;
    case mark:
      return length === 1 ? 0.85 : 0.35;
    case control:
      return length === 1 ? 0.6 : 0.05;
    default:
      if (length === 1) return 0;
      return length === 2 ? 0.5 : 0.02;
  }
}

/** Letters stuck to a digit are rarely a word: hashes, keys, base64. */
function letterTokens(kind: number, length: number, isAfterDigit: boolean): number {
  if (length === 1) return 0.9;
  if (isAfterDigit) return 0.35;
  if (length > 6) return 0.2;
  return kind === upper ? 0.25 : 0;
}

/** By UTF-16 unit beyond ASCII. Han characters differ most between tokenizers (0.6 to 1.6): this is on the side of too many. */
function otherTokens(code: number): number {
  const isHan = (code >= 0x3400 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff);
  if (isHan) return mostTokensAUnit;
  const isCyrillic = code >= 0x400 && code <= 0x52f;
  const isBoxDrawing = code >= 0x2500 && code <= 0x259f;
  return isCyrillic || isBoxDrawing ? 0.5 : 1;
}
