// The conversation to Chat Completions messages; the one conversion for blocking and streaming. It changes no history.
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { argumentsOf, type Message, type Origin, type Part, type ToolCall, textOf } from '../../schema/message.ts';
import { isSameOrigin } from '../origin.ts';
import { safeId, safeName } from './safe-calls.ts';
import { callExtra, reasoningDetails, reasoningFields } from './wire.ts';

/** Backends refuse an empty result (engine.md 1.2). */
const emptyResult = '(no output)';
const pictureResult = '(a picture, shown below)';

/** Every message in order; empty ones are left out (G2-38), and results whose call was cut off the history (G2-34). */
export function convertMessages(messages: readonly Message[], origin: Origin): ChatCompletionMessageParam[] {
  const converted: ChatCompletionMessageParam[] = [];
  let openCalls: ReadonlyMap<string, string> = new Map();
  let pictures: ChatCompletionContentPart[] = [];
  for (const message of messages) {
    if (message.toolCallId !== undefined) {
      const name = openCalls.get(message.toolCallId);
      if (name === undefined) continue;
      const images = imagesOf(message.content);
      const nothing = images.length === 0 ? emptyResult : pictureResult;
      converted.push({ role: 'tool', tool_call_id: safeId(message.toolCallId), content: textOf(message.content) || nothing });
      // A tool message takes text only; the pictures follow once all results stand, and nobody else has sent them.
      if (images.length > 0)
        pictures = [...pictures, { type: 'text', text: `What the call ${message.toolCallId} of ${name} shows:` }, ...images];
      continue;
    }
    converted.push(...userMessage(pictures));
    pictures = [];
    converted.push(...convertMessage(message, origin));
    openCalls = new Map((message.toolCalls ?? []).map(({ id, name }) => [id, name]));
  }
  return [...converted, ...userMessage(pictures)];
}

function convertMessage(message: Message, origin: Origin): ChatCompletionMessageParam[] {
  if (message.role === 'assistant') return assistantMessage(message, origin);
  const text = textOf(message.content);
  if (message.role === 'system') return text.trim() === '' ? [] : [{ role: 'system', content: text }];
  const images = imagesOf(message.content);
  if (images.length === 0) return text.trim() === '' ? [] : [{ role: 'user', content: text }];
  return userMessage(message.content.flatMap(contentPart));
}

function userMessage(content: ChatCompletionContentPart[]): ChatCompletionMessageParam[] {
  return content.length === 0 ? [] : [{ role: 'user', content }];
}

function assistantMessage(message: Message, origin: Origin): ChatCompletionMessageParam[] {
  const calls = message.toolCalls ?? [];
  const text = textOf(message.content);
  if (calls.length === 0 && text.trim() === '') return [];
  const own = ownParts(message, origin);
  const extras = own.get(callExtra);
  const converted: ChatCompletionAssistantMessageParam = {
    role: 'assistant',
    content: text.trim() === '' ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call, at) => ({ ...toolCall(call), ...extraAt(extras, at) })) }),
  };
  const reasoning = [...reasoningFields, reasoningDetails].filter((field) => own.has(field));
  return [{ ...Object.fromEntries(reasoning.map((field) => [field, own.get(field)])), ...converted }];
}

function toolCall(call: ToolCall): ChatCompletionMessageFunctionToolCall {
  const called = { name: safeName(call.name), arguments: argumentText(call) };
  return { id: safeId(call.id), type: 'function', function: called };
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

/** The model's own text while it is an object; what is cut or broken goes back as `{}` (G2-31): strict servers refuse it for ever. */
function argumentText(call: ToolCall): string {
  return Object.keys(argumentsOf(call) ?? {}).length === 0 ? '{}' : call.arguments;
}

function imagesOf(parts: readonly Part[]): ChatCompletionContentPart[] {
  return parts.filter((part) => part.type === 'image').flatMap(contentPart);
}

function contentPart(part: Part): ChatCompletionContentPart[] {
  if (part.type === 'image') return [{ type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } }];
  return part.type === 'text' && part.text.trim() !== '' ? [{ type: 'text', text: part.text }] : [];
}
