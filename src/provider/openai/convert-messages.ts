// The conversation to Chat Completions messages; the one conversion for blocking and streaming. It changes no history.
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { type Message, type Origin, type Part, type ToolCall, textOf } from '../../schema/message.ts';
import { isSameOrigin } from '../origin.ts';
import { safeArguments, safeId, safeName } from '../safe-calls.ts';
import { callExtra, reasoningDetails, reasoningFields } from './wire.ts';

/** Backends refuse an empty result (engine.md 1.2). */
const emptyResult = '(no output)';
const pictureResult = '(a picture, shown below)';

/** Every message in order; empty ones are left out (G2-38), and results whose call was cut off the history (G2-34). */
export function convertMessages(messages: readonly Message[], origin: Origin): ChatCompletionMessageParam[] {
  const converted: ChatCompletionMessageParam[] = [];
  let openCalls: ReadonlyMap<string, ChatCompletionMessageFunctionToolCall | undefined> = new Map();
  let pictures: ChatCompletionContentPart[] = [];
  for (const message of messages) {
    if (message.toolCallId !== undefined) {
      const call = openCalls.get(message.toolCallId);
      if (call === undefined) continue;
      const images = imagesOf(message.content);
      const nothing = images.length === 0 ? emptyResult : pictureResult;
      converted.push({ role: 'tool', tool_call_id: call.id, content: wordsOf(message) ?? nothing });
      // A tool message takes text only; the pictures follow once all results stand, and nobody else has sent them.
      if (images.length > 0) {
        const whose = `What the call ${call.id} of ${call.function.name} shows:`;
        pictures = [...pictures, { type: 'text', text: whose }, ...images];
      }
      continue;
    }
    converted.push(...userMessage(pictures));
    pictures = [];
    const given = message.toolCalls ?? [];
    const calls = given.map((call) => toolCall(call, isOwn(message, origin)));
    converted.push(...convertMessage(message, calls, origin));
    openCalls = new Map(given.map(({ id }, at) => [id, calls[at]]));
  }
  return [...converted, ...userMessage(pictures)];
}

function isOwn(message: Message, origin: Origin): boolean {
  return message.origin !== undefined && isSameOrigin(message.origin, origin);
}

type Calls = readonly ChatCompletionMessageFunctionToolCall[];

/** `calls`: those of the message, as they are sent. */
function convertMessage(message: Message, calls: Calls, origin: Origin): ChatCompletionMessageParam[] {
  if (message.role === 'assistant') return assistantMessage(message, calls, origin);
  const words = wordsOf(message);
  if (message.role === 'system') return words === undefined ? [] : [{ role: 'system', content: words }];
  if (imagesOf(message.content).length > 0) return userMessage(message.content.flatMap(contentPart));
  return words === undefined ? [] : [{ role: 'user', content: words }];
}

/** What a message says, undefined when that is nothing. Half a character, which a cut may leave, makes a body that servers cannot read. */
function wordsOf(message: Message): string | undefined {
  const text = textOf(message.content).toWellFormed();
  return text.trim() === '' ? undefined : text;
}

function userMessage(content: ChatCompletionContentPart[]): ChatCompletionMessageParam[] {
  return content.length === 0 ? [] : [{ role: 'user', content }];
}

function assistantMessage(message: Message, calls: Calls, origin: Origin): ChatCompletionMessageParam[] {
  const words = wordsOf(message);
  if (calls.length === 0 && words === undefined) return [];
  const own = ownParts(message, origin);
  const extras = own.get(callExtra);
  const converted: ChatCompletionAssistantMessageParam = {
    role: 'assistant',
    content: words ?? null,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call, at) => ({ ...call, ...extraAt(extras, at) })) }),
  };
  const reasoning = [...reasoningFields, reasoningDetails].filter((field) => own.has(field));
  return [{ ...Object.fromEntries(reasoning.map((field) => [field, own.get(field)])), ...converted }];
}

/** A server knows its own ids again, and may have put into them what it needs (LiteLLM: Gemini's signatures). */
function toolCall(call: ToolCall, isOfServer: boolean): ChatCompletionMessageFunctionToolCall {
  const called = { name: safeName(call.name), arguments: safeArguments(call).text };
  return { id: isOfServer ? call.id : safeId(call.id), type: 'function', function: called };
}

/** What goes back under the name it came with, to the server that sent it, and to no other (G2-17); by that name. */
function ownParts(message: Message, origin: Origin): ReadonlyMap<string, unknown> {
  const own = message.content.filter((part) => part.type === 'opaque').filter((part) => isSameOrigin(part.origin, origin));
  return new Map(own.map((part) => [part.kind, part.value]));
}

function extraAt(extras: unknown, at: number): object {
  const extra: unknown = Array.isArray(extras) ? extras[at] : undefined;
  return extra === undefined || extra === null ? {} : { [callExtra]: extra };
}

function imagesOf(parts: readonly Part[]): ChatCompletionContentPart[] {
  return parts.filter((part) => part.type === 'image').flatMap(contentPart);
}

function contentPart(part: Part): ChatCompletionContentPart[] {
  if (part.type === 'image') return [{ type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } }];
  return part.type === 'text' && part.text.trim() !== '' ? [{ type: 'text', text: part.text.toWellFormed() }] : [];
}
