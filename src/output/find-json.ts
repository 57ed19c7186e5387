// The JSON value that a message is: all of it, its one block of JSON, or the one value in its words. Never a guess between two. Pure.
import { messageOf } from '../schema/error.ts';
import { isDeeperThan } from '../schema/json-depth.ts';
import { oneLine } from '../schema/one-line.ts';
import { parseJson } from '../schema/parse-json.ts';

/** Deeper data is none that a schema was written for, and whoever walks through it may fall. */
const maxDepth = 64;
const maxFaultChars = 120;

export type FoundJson = { readonly value: unknown } | { readonly problem: string };

/** What we look at of a node of `mdast`. */
interface MarkdownNode {
  readonly type: string;
  readonly lang?: string | null | undefined;
  readonly value?: string;
  readonly children?: readonly MarkdownNode[];
}

/** Reads Markdown, as `mdast-util-from-markdown` does. */
export type ParseMarkdown = (text: string) => MarkdownNode;

/** The value of a message; `problem` is a clause that says why it has none. */
export function findJson(message: string, parseMarkdown: ParseMarkdown): FoundJson {
  const text = message.trim();
  if (text === '') return { problem: 'it is empty' };
  if (isDeeperThan(text, maxDepth)) return { problem: `it nests deeper than ${maxDepth} levels` };
  const whole = parse(text);
  if ('value' in whole) return whole;
  const [block, ...others] = /```|~~~/.test(text) ? jsonBlocks(parseMarkdown(text)) : [];
  if (others.length > 0)
    return { problem: `it has ${others.length + 1} blocks of JSON, and which of them is the answer is not guessed` };
  if (block !== undefined) return parse(block);
  const inWords = parseJson(betweenBrackets(text));
  return inWords === undefined ? whole : { value: inWords };
}

function parse(text: string): FoundJson {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: `it is no JSON: ${oneLine(messageOf(error), maxFaultChars)}` };
  }
}

/** Blocks that are said to be JSON, and those of no language that are an object or a list. */
function jsonBlocks({ type, lang, value = '', children = [] }: MarkdownNode): readonly string[] {
  if (type !== 'code') return children.flatMap(jsonBlocks);
  return isJsonBlock(lang ?? '', value) ? [value] : [];
}

function isJsonBlock(language: string, text: string): boolean {
  if (language !== '') return language.toLowerCase() === 'json';
  const value = parseJson(text);
  return typeof value === 'object' && value !== null;
}

/** From the first bracket to the last: JSON only where it is the one value, and no other bracket stands in the words around it. */
function betweenBrackets(text: string): string {
  const start = text.search(/[{[]/);
  const end = text.search(/[{}[\]][^{}[\]]*$/);
  return start === -1 ? '' : text.slice(start, end + 1);
}
