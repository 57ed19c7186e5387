// Prompts, answers, arguments and results in the JSON form of the semantic conventions: redacted, then cut to a size. Used only when asked for.
import type { Attributes } from '@opentelemetry/api';
import { isObservation, type Message, type Part, type ToolCall, type ToolResult } from '../../schema/message.ts';
import type { ModelRequest } from '../../schema/model-call.ts';
import { parseJson } from '../../schema/parse-json.ts';
import { isRecord } from '../../schema/record.ts';

/** Bytes of one attribute: a batch of spans must stay under what receivers take (the usual collector: 20 MB). */
const maxAttributeBytes = 32 * 1024;
const cutMark = '… (cut)';

type Redact = (text: string) => string;

/** Every attribute that holds content, made from what is at hand. */
export interface Content {
  ofPrompt(prompt: string): Attributes;
  ofChat(request: ModelRequest, answer: Message | undefined): Attributes;
  ofCall(call: ToolCall, result: ToolResult | undefined): Attributes;
}

/** No content at all. */
export const noContent: Content = { ofPrompt: () => ({}), ofChat: () => ({}), ofCall: () => ({}) };

/** Content with `redact` applied to every whole text, before anything is cut. */
export function createContent(redact: Redact): Content {
  const messagesOf = (messages: readonly Message[]): string =>
    fitJson(newest(messages).map((message) => messageForm(message, redact)));
  return {
    ofPrompt: (prompt) => ({
      'gen_ai.input.messages': messagesOf([{ role: 'user', content: [{ type: 'text', text: prompt }] }]),
    }),
    ofChat: ({ messages }, answer) => ({
      'gen_ai.system_instructions': fitJson(
        messages.filter(isSystem).flatMap(({ content }) => content.map((part) => partForm(part, redact))),
      ),
      'gen_ai.input.messages': messagesOf(messages.filter((message) => !isSystem(message))),
      ...(answer === undefined ? {} : { 'gen_ai.output.messages': fitJson([answerForm(answer, redact)]) }),
    }),
    ofCall: (call, result) => ({
      'gen_ai.tool.call.arguments': fitJson(argumentsForm(call, redact)),
      ...(result === undefined
        ? {}
        : { 'gen_ai.tool.call.result': fitJson({ parts: result.output.map((part) => partForm(part, redact)) }) }),
    }),
  };
}

function isSystem({ role }: Message): boolean {
  return role === 'system';
}

function messageForm(message: Message, redact: Redact): Record<string, unknown> {
  const parts = message.content.map((part) => partForm(part, redact));
  if (isObservation(message)) {
    return { role: 'tool', parts: [{ type: 'tool_call_response', id: redact(message.toolCallId), response: parts }] };
  }
  const calls = (message.toolCalls ?? []).map((call) => ({
    type: 'tool_call',
    id: redact(call.id),
    name: redact(call.name),
    arguments: argumentsForm(call, redact),
  }));
  return { role: message.role, parts: [...parts, ...calls] };
}

function answerForm(answer: Message, redact: Redact): Record<string, unknown> {
  const reason = answer.finishReason ?? 'other';
  return { ...messageForm(answer, redact), finish_reason: reason === 'tool_calls' ? 'tool_call' : reason };
}

/** Pictures are told by their size, and a vendor's own block by its kind. */
function partForm(part: Part, redact: Redact): Record<string, unknown> {
  switch (part.type) {
    case 'text':
      return { type: 'text', content: redact(part.text) };
    case 'image':
      return { type: 'image', mime_type: part.mediaType, bytes: Buffer.byteLength(part.data, 'base64') };
    case 'opaque':
      return { type: 'opaque', kind: part.kind };
  }
}

/** The model's text as it is redacted in the history, keys too; an object where it still is one. */
function argumentsForm(call: ToolCall, redact: Redact): Record<string, unknown> {
  const text = redact(call.arguments);
  const value = parseJson(text);
  return isRecord(value) ? value : { text };
}

/** The last messages, in order, that fill an attribute: redacting a long history for each call would take its time. */
function newest(messages: readonly Message[]): readonly Message[] {
  let left = maxAttributeBytes;
  let from = messages.length;
  while (from > 0 && left > 0) {
    from -= 1;
    left -= sizeOf(messages[from]);
  }
  return messages.slice(from);
}

function sizeOf(message: Message | undefined): number {
  const texts = message?.content.map((part) => (part.type === 'text' ? part.text.length : 0)) ?? [];
  const calls = message?.toolCalls?.map((call) => call.arguments.length) ?? [];
  return [...texts, ...calls].reduce((sum, size) => sum + size, 0);
}

/** `value` as JSON of at most the size of an attribute: first its texts are cut, then the older half of a list is left out, again and again. */
function fitJson(value: unknown): string {
  for (let limit = maxAttributeBytes; limit >= 32; limit /= 4) {
    const json = JSON.stringify(value, (_key, member: unknown) => (typeof member === 'string' ? cut(member, limit) : member));
    if (Buffer.byteLength(json) <= maxAttributeBytes) return json;
  }
  if (!Array.isArray(value)) return '{}';
  return value.length > 1 ? fitJson(value.slice(Math.ceil(value.length / 2))) : '[]';
}

function cut(text: string, maxChars: number): string {
  // Half of a pair may be left at the end.
  return text.length <= maxChars ? text : `${text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '')}${cutMark}`;
}
