// Tokens of a request, estimated without a tokenizer: cheap, additive by message, and not fooled by CJK text or pictures.
import type { Message, Part, ToolDefinition } from '../schema/message.ts';

/** Tokens a character: English and code take about a fourth, CJK scripts about one, other scripts about a half. */
const asciiTokens = 0.25;
const cjkTokens = 1;
const otherTokens = 0.5;
/** What providers add around a message and a call (role, separators, ids). */
const messageOverhead = 4;
const callOverhead = 8;
const toolOverhead = 8;
/** A picture costs by its pixels, not by its bytes; this is a large one. */
const imageTokens = 1600;

/** Tokens that a request with these messages and tool schemas takes. */
export function estimateTokens(messages: readonly Message[], tools: readonly ToolDefinition[]): number {
  const ofMessages = messages.reduce((sum, message) => sum + estimateMessage(message), 0);
  const ofTools = tools.reduce((sum, tool) => sum + estimateTool(tool), 0);
  return Math.ceil(ofMessages + ofTools);
}

function estimateMessage(message: Message): number {
  const ofParts = message.content.reduce((sum, part) => sum + estimatePart(part), messageOverhead);
  const calls = message.toolCalls ?? [];
  return calls.reduce((sum, call) => sum + callOverhead + estimateText(call.name) + estimateText(call.arguments), ofParts);
}

function estimatePart(part: Part): number {
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

/** Tokens of a text, not rounded. */
export function estimateText(text: string): number {
  let tokens = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) tokens += asciiTokens;
    else tokens += isCjk(code) ? cjkTokens : otherTokens;
  }
  return tokens;
}

/** By UTF-16 unit: Hangul, kana, ideographs, their punctuation and full-width forms. Rarer ideographs are two units of a half. */
function isCjk(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x11ff) ||
    (code >= 0x2e80 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7af) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xff00 && code <= 0xffef)
  );
}
