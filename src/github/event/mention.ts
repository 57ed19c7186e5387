// Owns the grammar of a mention: whether a Markdown body calls us in unquoted, non-code text, and what it asks for.
import { fromMarkdown } from 'mdast-util-from-markdown';
import { type Instruction, instructionSchema } from '../../schema/gate.ts';
import { removeHtmlComments } from '../context/html-comments.ts';
import { readOptions } from './read-options.ts';

export type Mention =
  | {
      readonly kind: 'mention';
      readonly instruction: Instruction;
      /** What cannot be read of its options; absent: nothing. */
      readonly problems?: readonly string[];
    }
  | { readonly kind: 'none'; readonly why: string };

/** GitHub keeps no longer body; what is beyond is not read, so that the parser's time is bounded too. */
const maxBodyLength = 65_536;
/** The parser's time grows with the square of the nesting; people stay below eight levels. */
const maxNesting = 8;
/** The parser needs about half a second for this many list items. */
const maxItems = 1_500;

// Set-aside text stands in the searched text as its number between these two private-use characters.
const asideStart = '\uE000';
const asideEnd = '\uE001';

/**
 * Looks for one of `phrases` (case-insensitive, with handle boundaries) in what a reader sees as plain text: not in code, block quotes,
 * HTML comments, link targets, e-mail addresses, paths or longer handles. Reads the first 65,536 characters.
 */
export function findMention(body: string, phrases: readonly string[]): Mention {
  const source = body.slice(0, maxBodyLength).replaceAll(/[\uE000\uE001\0]/g, '');
  const present = phrases.filter((phrase) => phrase !== '' && source.toLowerCase().includes(phrase.toLowerCase()));
  if (present.length === 0) return { kind: 'none', why: `the text does not mention ${phrases.join(' or ')}` };
  const why = tooComplex(source);
  if (why !== null) return { kind: 'none', why };

  const { text, aside } = readableText(source);
  const match = handlePattern(present).exec(text);
  if (match === null) {
    return { kind: 'none', why: `${present.join(', ')} stands only in code, a quote, a comment, or as part of a longer word` };
  }
  const otherHandles = handlePattern(present);
  const before = text.slice(0, match.index).replace(otherHandles, '');
  const after = text.slice(match.index + match[0].length).replace(otherHandles, '');
  return { kind: 'mention', ...toRequest(before, after, aside) };
}

/** ASCII boundaries on purpose: handles are ASCII, and `请@harness9看` has no spaces. */
function handlePattern(phrases: readonly string[]): RegExp {
  const escaped = phrases.map((phrase) => phrase.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&'));
  return new RegExp(`(?<![A-Za-z0-9_@/\\\\.+-])(?:${escaped.join('|')})(?![A-Za-z0-9_/@-]|\\.[A-Za-z0-9])`, 'gi');
}

/** Control words that nothing stands beside but courtesies; with more on their line they are ordinary words (`stop using var`, `undo this`). */
const standaloneWords: readonly string[] = ['stop', 'status', 'undo', 'help'];
const standaloneLine = /^(?:(stop)(?: (?:it|this|that))?|status|undo|help)$/;
const courtesies: readonly string[] = ['please', 'pls', 'now', 'thanks', 'thank', 'you'];

/** Around a handle that is set in bold, struck out or put in brackets or quotes. */
const wrapOpening = /(?:\*{1,3}|~~|[("'[（「『“])$/;
const wrapClosing = /^(?:\*{1,3}|~~|[)"'\]）」』”])/;
/** Between the handle and the order, with what nobody sees; a dash on the handle's own line, since one below it begins a list. */
const separators = /^(?:[ \t]*[-–—]+(?=[ \t]))?[\s\p{Cf}:,;.!?)"'\]，。：；、！？…）」』”]+/u;

function toRequest(before: string, after: string, aside: readonly string[]): Omit<Extract<Mention, { kind: 'mention' }>, 'kind'> {
  const isWrapped = wrapOpening.test(before) && wrapClosing.test(after);
  const open = isWrapped ? before.replace(wrapOpening, '') : before;
  const lead = open.trim();
  // Options stand before the control word or behind it.
  const outer = readOptions((isWrapped ? after.replace(wrapClosing, '') : after).replace(separators, ''));
  const { command, rest } = takeCommand(outer.rest, hasWords(lead));
  const inner = readOptions(rest);
  const text = putBack(`${lead}${seamOf(open)}${inner.rest}`.trim(), aside).trim();
  const problems = [...outer.problems, ...inner.problems];
  return {
    instruction: { text, command, ...inner.options, ...outer.options },
    ...(problems.length === 0 ? {} : { problems }),
  };
}

/** What stands between the two texts in the handle's place. */
function seamOf(before: string): string {
  if (/\n\s*$/.test(before)) return '\n\n';
  return /[("'[]$/.test(before) ? '' : ' ';
}

/** The control word at the very beginning of the order, and the order without it. "It crashes, @harness9 help" asks for help with it. */
function takeCommand(order: string, hasLead: boolean): { readonly command: Instruction['command']; readonly rest: string } {
  const [line = ''] = order.split('\n', 1);
  const alone = standaloneIn(line);
  if (alone !== null && !(alone === 'help' && hasLead)) return { command: alone, rest: order.slice(line.length).trim() };
  const match = /^([a-z]+)(?![\w'-])[:,.!?：，。！？]*/i.exec(order);
  const command = commandOf(match?.[1]);
  if (command === null || standaloneWords.includes(command)) return { command: null, rest: order.trim() };
  return { command, rest: order.slice(match?.[0].length ?? 0).trim() };
}

/** The word that is all that a line says, whatever it is dressed in; code on it is more than that. */
function standaloneIn(line: string): Instruction['command'] {
  const words = line.toLowerCase().split(/[\p{P}\p{S}\p{M}\p{Cf}\s]+/u);
  const said = words.filter((word) => word !== '' && !courtesies.includes(word)).join(' ');
  const match = standaloneLine.exec(said);
  return commandOf(match?.[1] ?? match?.[0]);
}

function commandOf(word: string | undefined): Instruction['command'] {
  return instructionSchema.shape.command.safeParse(word?.toLowerCase()).data ?? null;
}

/** Code counts; brackets that the handle stands in do not. */
function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

function putBack(text: string, aside: readonly string[]): string {
  return text.replaceAll(/\uE000(\d+)\uE001/g, (_all, index: string) => putBack(aside[Number(index)] ?? '', aside));
}

interface Aside {
  readonly start: number;
  readonly end: number;
  /** `drop`: not part of the order at all; `keep`: part of it, but not searched. */
  readonly use: 'drop' | 'keep';
}

function readableText(source: string): { readonly text: string; readonly aside: readonly string[] } {
  const aside: string[] = [];
  const setAside = (text: string): string => `${asideStart}${aside.push(text) - 1}${asideEnd}`;
  let text = '';
  let at = 0;
  for (const range of findAsides(parseMarkdown(withoutOpenHtml(source)))) {
    if (range.start < at) continue;
    text += source.slice(at, range.start) + (range.use === 'keep' ? setAside(source.slice(range.start, range.end)) : '');
    at = range.end;
  }
  text = removeHtmlComments(text + source.slice(at)).text;
  return { text: setTagsAside(setLinksAside(text, setAside), setAside), aside };
}

/** Definitions, an image's words, and the target or label after a link's words: nobody reads them as text. */
function setLinksAside(text: string, setAside: (text: string) => string): string {
  const hidden = /^ {0,3}\[[^[\]\n]+\]:[^\n]*|!\[[^[\]\n]*\]|(?<=\])(?:\((?:[^()\n]|\([^()\n]*\))*\)|\[[^[\]\n]*\])/gm;
  return text.replaceAll(hidden, setAside);
}

/** Elements whose content is code or a quote; the other tags are set aside without their content. */
const quotingElements = /^(?:code|pre|blockquote|q|samp|kbd|script|style|textarea)$/i;

function setTagsAside(text: string, setAside: (text: string) => string): string {
  const tag = /<\/?([A-Za-z][A-Za-z0-9-]*)(?=[\s/>])[^<>]*>/g;
  let readable = '';
  let at = 0;
  for (let match = tag.exec(text); match !== null; match = tag.exec(text)) {
    const name = match[1] ?? '';
    const isOpening = !match[0].startsWith('</');
    const end = isOpening && quotingElements.test(name) ? endOfElement(text, name, tag.lastIndex) : tag.lastIndex;
    readable += text.slice(at, match.index) + setAside(text.slice(match.index, end));
    at = end;
    tag.lastIndex = end;
  }
  return readable + text.slice(at);
}

function endOfElement(text: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}\\s*>`, 'gi');
  closing.lastIndex = from;
  return closing.exec(text) ? closing.lastIndex : text.length;
}

/**
 * `source` with the openers that nothing closes made plain, so that the parser does not run to the end for each of them; offsets stay.
 * An open comment still hides the rest: removeHtmlComments reads the source itself.
 */
function withoutOpenHtml(source: string): string {
  const pairs = [
    ['<!', '>'],
    ['<?', '?>'],
    ['<!--', '-->'],
    ['<![CDATA[', ']]>'],
  ] as const;
  return pairs.reduce((text, [opener, closer]) => {
    const lastClose = text.lastIndexOf(closer) + 1;
    return text.slice(0, lastClose) + text.slice(lastClose).replaceAll(opener, ` ${opener.slice(1)}`);
  }, source);
}

/** What is not needed here and takes the parser the square of its number, or worse; links are read in setLinksAside. */
const unneeded = ['attention', 'setextUnderline', 'definition', 'labelStartLink', 'labelStartImage', 'labelEnd'];

function parseMarkdown(source: string): Tree {
  return fromMarkdown(source, { extensions: [{ disable: { null: unneeded } }] });
}

type Tree = ReturnType<typeof fromMarkdown>;
type TreeNode = Tree | Tree['children'][number];

/** Ranges in source order that hold no plain text. A node inside a found range is not looked at. */
function findAsides(node: TreeNode): readonly Aside[] {
  const start = node.position?.start.offset ?? 0;
  const end = node.position?.end.offset ?? start;
  switch (node.type) {
    case 'blockquote':
      return [{ start, end, use: 'drop' }];
    case 'code':
    case 'inlineCode':
      return [{ start, end, use: 'keep' }];
    default:
      return 'children' in node ? node.children.flatMap(findAsides) : [];
  }
}

/** Why the parser is not given this text, or null. Block quotes and lists are what its time grows with. */
function tooComplex(source: string): string | null {
  const containers = source.match(/^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))+/gm) ?? [];
  const depths = containers.map((prefix) => prefix.match(/>|[-+*]|\d+[.)]/g)?.length ?? 0);
  if (depths.some((depth) => depth > maxNesting)) return `the Markdown is nested deeper than ${maxNesting} levels`;
  const items = depths.reduce((sum, depth) => sum + depth, 0);
  return items > maxItems ? `the Markdown holds ${items} list items and quotes, more than ${maxItems}` : null;
}
