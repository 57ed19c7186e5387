// Tool calls that a model wrote as text instead of making them: found and taken out, never run. Pure.
import { isDeeperThan } from '../schema/json-depth.ts';
import { type Message, type Part, type ToolDefinition, textOf, textPart } from '../schema/message.ts';
import { parseJson } from '../schema/parse-json.ts';
import { isRecord } from '../schema/record.ts';
import { isAnnouncement } from './announcement.ts';
import { blankCode } from './plain-text.ts';

/** `closing` is empty where nothing closes it. */
interface Form {
  readonly opening: RegExp;
  readonly closing: (opening: RegExpExecArray) => string;
}

const xmlClosing: Form['closing'] = ([, tag = '']) => `</${tag}>`;

/**
 * How models write calls when their server does not read them: an opening that is a call and no mere mention of the tag, and what
 * closes it. Without a closing the rest of the text belongs to it: it was cut.
 */
const forms: readonly Form[] = [
  {
    // <tool_call>{"name":…}, <function_calls><invoke …>, <tool_call>bash\n<arg_key>…
    opening:
      /(?<!\\)<((?:\w{1,20}:)?(?:tool_?(?:calls?|use)|function_calls?))\b[^<>]{0,200}>(?=\s*(?:[{[]\s*["{]|<(?!\/)|[\w.:-]{1,64}(?:\s*<arg_key>|[ \t]*\n\s*[<{])))/g,
    closing: xmlClosing,
  },
  { opening: /(?<=^[ \t]{0,3})<((?:\w{1,20}:)?(?:tool_?(?:calls?|use)|function_calls?))>\s*(?![\s\S])/gm, closing: xmlClosing },
  { opening: /(?<!\\)<((?:\w{1,20}:)?invoke)\s{1,9}name=["'][^"'<>]{1,100}["'][^<>]{0,100}>/g, closing: xmlClosing },
  { opening: /(?<!\\)<(function)=[\w.:-]{1,64}>/g, closing: xmlClosing },
  { opening: /(?<!\\)\[(TOOL_CALLS?)\](?=\s*(?:[{[]|[\w.:-]{1,64}\s*[[{(]))/g, closing: ([, tag = '']) => `[/${tag}]` },
  // The special tokens of several families, for the first of a section: all that follows is calls. One that is only spoken of is followed by words.
  {
    opening:
      /(?:<[|｜][^<>|｜\n]{0,20}tool[^<>|｜\n]{0,40}[|｜]>|<\|python_tag\|>)(?=\s*(?:$(?![\s\S])|[<{[]|[\w.:-]{1,64}(?:[<({[]|\n\s*[<{[])))/g,
    closing: () => '',
  },
  { opening: /<[|｜]DSML[|｜](?:function_calls|invoke)\b/g, closing: () => '' },
  { opening: /<\|channel\|>[^<>\n]{0,40}\bto=\w/g, closing: () => '' },
];

const orphanClosings = /^(?:\s*<\/(?:\w{1,20}:)?(?:tool_?(?:calls?|use)|function_calls?|invoke|function)>)+/;
/** Every form has one of these; most answers have none, and are not looked at further. */
const anyForm = /tool_?(?:call|use)|function_calls?|invoke|<function=|TOOL_CALL|<[|｜]/;
/** Deeper JSON is no call that a tool would take. */
const maxDepth = 64;

/**
 * The message without calls that stand in its text, and whether it had any: markup outside code and quotes, or JSON that calls one of
 * `tools` and is all there is, but for words that announce it. An answer that only thinks is looked through, too: some servers take the call for a part of the thought.
 */
export function takeOutLeakedCalls(message: Message, tools: readonly ToolDefinition[]): { message: Message; isLeaking: boolean } {
  const text = textOf(message.content);
  if (text.trim() === '')
    return { message, isLeaking: message.content.some((part) => leaksOf(thoughtOf(part), tools).length > 0) };
  const leaks = leaksOf(text, tools);
  if (leaks.length === 0) return { message, isLeaking: false };
  const rest = without(text, leaks);
  const others = message.content.filter((part) => part.type !== 'text');
  return { message: { ...message, content: rest === '' ? others : [...others, textPart(rest)] }, isLeaking: true };
}

interface Place {
  readonly start: number;
  readonly end: number;
}

function leaksOf(text: string, tools: readonly ToolDefinition[]): readonly Place[] {
  if (isCallJson(text, tools)) return [{ start: 0, end: text.length }];
  const announced = announcedFence(text, tools);
  if (announced !== undefined) return [announced];
  // In an answer that is data, what stands in its strings is quoted there.
  return anyForm.test(text) && jsonOf(text) === undefined ? markupIn(text) : [];
}

/** The fence that is the end of the text, when a call stands in it and all the words before only announce it. */
function announcedFence(text: string, tools: readonly ToolDefinition[]): Place | undefined {
  const start = text.indexOf('\n```') + 1;
  if (start === 0 || !isCallJson(text.slice(start), tools)) return undefined;
  return isAnnouncement(text.slice(0, start), { canChange: true }) ? { start, end: text.length } : undefined;
}

/** The places of markup, in order, none in another. */
function markupIn(text: string): readonly Place[] {
  const own = blankCode(text);
  const openings = forms
    .flatMap(({ opening, closing }) => [...text.matchAll(opening)].map((match) => ({ match, close: closing(match) })))
    .filter(({ match }) => own.charAt(match.index) === text.charAt(match.index))
    .sort((a, b) => a.match.index - b.match.index);
  const places: Place[] = [];
  let end = 0;
  for (const { match, close } of openings) {
    if (match.index < end) continue;
    end = endOf(text, match.index + match[0].length, close);
    places.push({ start: match.index, end });
  }
  return places;
}

/** Behind the closing and whatever closes nothing after it. What is called stands as it was written, so backticks in it hide nothing. */
function endOf(text: string, from: number, close: string): number {
  const at = close === '' ? -1 : text.indexOf(close, from);
  if (at === -1) return text.length;
  const end = at + close.length;
  return end + (orphanClosings.exec(text.slice(end))?.[0].length ?? 0);
}

function without(text: string, places: readonly Place[]): string {
  const kept: string[] = [];
  let from = 0;
  for (const { start, end } of places) {
    kept.push(trimLines(text.slice(from, start)));
    from = end;
  }
  return [...kept, trimLines(text.slice(from))].filter((piece) => piece !== '').join('\n\n');
}

/** Without blank lines around it; the first line may be indented code. */
function trimLines(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
}

/** Whether the whole text is a call, or a list of calls, as JSON, bare or in one fence. */
function isCallJson(text: string, tools: readonly ToolDefinition[]): boolean {
  return isCall(jsonOf(text), new Set(tools.map(({ name }) => name.toLowerCase())));
}

/** The object or list that all of the text is, bare or in one fence; undefined where it is none, or too deep to be looked at. */
function jsonOf(text: string): unknown {
  const json = unfenced(text.trim());
  if (!/^[{[]/.test(json) || !/[}\]]$/.test(json) || isDeeperThan(json, maxDepth)) return undefined;
  return parseJson(json);
}

/** What stands in the one fence that is all of the text. */
function unfenced(text: string): string {
  const firstEnd = text.indexOf('\n');
  if (!/^```\w{0,20}\s*$/.test(text.slice(0, Math.max(0, firstEnd))) || !text.endsWith('\n```')) return text;
  return text.slice(firstEnd, -3).trim();
}

function isCall(value: unknown, names: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((one) => isCall(one, names));
  if (!isRecord(value)) return false;
  if (isRecord(value.function)) return isCall(value.function, names);
  if (Array.isArray(value.tool_calls)) return isCall(value.tool_calls, names);
  const name = value.name ?? value.tool;
  const hasArguments = ['arguments', 'args', 'parameters', 'input'].some((key) => key in value);
  return typeof name === 'string' && names.has(name.toLowerCase().replace(/^functions?\./, '')) && hasArguments;
}

/** The words of a vendor's own block (thinking), wherever it keeps them. */
function thoughtOf(part: Part): string {
  if (part.type !== 'opaque') return '';
  if (typeof part.value === 'string') return part.value;
  const fields = isRecord(part.value) ? Object.values(part.value) : [];
  return fields.filter((field) => typeof field === 'string').join('\n');
}
