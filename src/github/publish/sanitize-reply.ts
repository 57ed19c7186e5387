// Makes the model's Markdown harmless before it leaves under our name: mentions, closing words, images, hidden text, raw HTML (H1, H3, H5). Pure.
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { isIssueUrl, openingOf } from './closing-words.ts';
import { decodeEntities } from './decode-entities.ts';
import { cutText, fencedCode, inlineCode } from './inline-code.ts';
import { neutraliseText, type TextRules } from './neutralise-text.ts';

export interface ReplyRules extends TextRules {
  /** Hosts whose images are shown, such as `github.com`; GitHub's own image hosts always are. */
  readonly host: string;
}

/** GitHub's limit for a body. */
const maxBodyChars = 65_536;

/** What a Markdown tree is to us: nodes with a place in the source. */
interface Node {
  readonly type: string;
  readonly position?: { readonly start: { readonly offset?: number }; readonly end: { readonly offset?: number } } | undefined;
  readonly children?: readonly Node[];
  readonly url?: string;
  readonly alt?: string | null;
  readonly identifier?: string;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Pass {
  readonly source: string;
  readonly rules: ReplyRules;
  readonly edits: Edit[];
  /** `<details>` and the like that are open. */
  readonly open: string[];
  /** Footnotes that the text refers to; GitHub does not show the others. */
  readonly footnotes: ReadonlySet<string>;
  /** What a reader sees just before the node that is visited, within its block. */
  before: string;
}

/** Raw HTML that is shown as text may hold Markdown, so the result is looked at again until nothing changes. */
const maxPasses = 5;
const maxMarkersInLine = 100;
const maxSignsInParagraph = 3_000;
/** What may end an address is looked at again from each of its characters. */
const punctuationRun = /[!"'),*.:;<?_~&\]]{300}/;

/**
 * The same text as a reader sees it, and with no effect on anybody else. Unclosed fences and `<details>` are closed. What is beyond
 * `maxChars` is never parsed.
 */
export function sanitizeReply(markdown: string, rules: ReplyRules, maxChars = maxBodyChars): string {
  let text = withoutInvisible(cutText(markdown.toWellFormed(), maxChars)).trim();
  if (isTangled(text)) return fencedCode(text, '');
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const next = sanitizeOnce(text, rules);
    if (next === text) return text;
    text = next;
  }
  return fencedCode(text, '');
}

/**
 * The parser takes quadratic time for what opens and never closes. No answer of a person or a well-meaning model looks like this,
 * so it is shown as it is and not parsed.
 */
function isTangled(text: string): boolean {
  if (punctuationRun.test(text)) return true;
  if (text.split('\n').some((line) => (/^(?:[\s>*+-]|\d+[.)])*/.exec(line)?.[0].match(/\S/g)?.length ?? 0) > maxMarkersInLine))
    return true;
  return text.split(/\n[ \t]*\n/).some((paragraph) => (paragraph.match(/[*_[\]!<`&~]/g)?.length ?? 0) > maxSignsInParagraph);
}

function sanitizeOnce(source: string, rules: ReplyRules): string {
  const root = parse(source);
  const footnotes = new Set(findAll(root, 'footnoteReference').map((node) => node.identifier ?? ''));
  const pass: Pass = { source, rules, edits: [], open: [], footnotes, before: '' };
  visit(root, pass, false);
  const closed = closeLastFence(root, applyEdits(source, pass.edits), source);
  return [closed, ...pass.open.toReversed().map((tag) => `</${tag}>`)].join('\n\n').trim();
}

/** As GitHub reads it: tables before code spans, footnotes, bare addresses. */
function parse(source: string): Node {
  // The transforms would put in nodes without a place; what they find is found in the text here.
  const fromGfm = gfmFromMarkdown().map(({ transforms: _, ...extension }) => extension);
  return fromMarkdown(source, { extensions: [gfm()], mdastExtensions: fromGfm }) as Node;
}

function findAll(node: Node, type: string): Node[] {
  return [...(node.type === type ? [node] : []), ...(node.children ?? []).flatMap((child) => findAll(child, type))];
}

/** Bidi controls, tags and zero widths; the joiners of emoji stay. Line breaks and tabs are kept, other controls are not. */
function withoutInvisible(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/(?!\u200d)\p{Cf}/gu, '')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/[\u{e0100}-\u{e01ef}\u115f\u1160\u3164\uffa0]/gu, '');
}

const blocks: readonly string[] = ['paragraph', 'heading', 'tableCell'];

function visit(node: Node, pass: Pass, isInCell: boolean): void {
  const start = node.position?.start.offset ?? 0;
  const end = node.position?.end.offset ?? 0;
  if (blocks.includes(node.type)) pass.before = '';
  const source = pass.source.slice(start, end);
  const text = replacementOf(node, source, pass);
  // A bar that was not there before would begin a new cell.
  if (text !== null) pass.edits.push({ start, end, text: isInCell ? text.replace(/(?<!\\)\|/g, '\\|') : text });
  else for (const child of node.children ?? []) visit(child, pass, isInCell || node.type === 'tableCell');
  if (node.type === 'text') pass.before = `${pass.before}${decodeEntities(source)}`.slice(-40);
  else if (node.type === 'break') pass.before += ' ';
  else if (node.type === 'inlineCode' || node.type === 'image') pass.before = '';
}

/** What stands in a node's place; null: it stays, and its children are looked at. */
function replacementOf(node: Node, source: string, pass: Pass): string | null {
  const { url = '' } = node;
  const { host } = pass.rules;
  switch (node.type) {
    case 'text':
      return neutraliseText(source, pass.rules, pass.before);
    case 'html':
      return sanitizeHtml(source, pass);
    case 'image':
      return isOwnHost(url, host) ? null : inlineCode(`image: ${url}`, 300);
    case 'imageReference':
      return inlineCode(`image: ${node.alt ?? node.identifier ?? ''}`);
    case 'definition':
      return renderDefinition(node, host);
    case 'footnoteDefinition':
      return pass.footnotes.has(node.identifier ?? '') ? null : `\\${source}`;
    case 'link':
      return isTelling(url, host) || isClosing(url, pass) ? inlineCode(url, 500) : null;
    default:
      return null;
  }
}

/** `Fixes https://…/issues/7` closes; the address is a link beside the word. */
function isClosing(url: string, { before }: Pass): boolean {
  return isIssueUrl(url) && openingOf(before) !== '';
}

/** Without its title, which nobody sees; a definition that is no address is hidden text (B4), one that carries data is shown. */
function renderDefinition(node: Node, host: string): string {
  const url = node.url ?? '';
  if (/^https?:/i.test(url) && isTelling(url, host)) return inlineCode(`${node.identifier ?? ''}: ${url}`, 500);
  return /^https?:\/\/\S+$/.test(url) && url.length <= 200
    ? `[${node.identifier ?? ''}]: <${url.replace(/[<>]/g, encodeURIComponent)}>`
    : '';
}

/** A foreign address that could carry data away when it is clicked (H2). */
function isTelling(url: string, host: string): boolean {
  if (/^(#|\.?\/|mailto:)/.test(url) || isOwnHost(url, host)) return false;
  return !/^https?:\/\//i.test(url) || url.length > 200 || /[?;]|\/\/[^/]*@|[A-Za-z0-9+/_-]{60}/.test(url);
}

function isOwnHost(url: string, host: string): boolean {
  if (/[^\x21-\x7e]/.test(url)) return false;
  try {
    const asked = new URL(url, `https://${host}/`);
    const isGitHubs = asked.hostname === host || asked.hostname.endsWith('.githubusercontent.com');
    return asked.protocol === 'https:' && isGitHubs && asked.username === '';
  } catch {
    return false;
  }
}

const keptTag = /^<(\/?)(details|summary|kbd|sub|sup|br|hr)\s*\/?>$/i;
/** A comment that ends is not there; one that does not is shown, so that nothing after it is hidden. */
const piece = /<!--[\s\S]*?-->|<\/?[a-z][^<>]*>|</gi;

/** Comments out, a few harmless tags kept without attributes, every other `<` shown as itself. */
function sanitizeHtml(source: string, pass: Pass): string {
  const isShown = [...source.matchAll(piece)].some(([tag]) => !isComment(tag) && !keptTag.test(tag));
  // What becomes text is Markdown in the next pass, and is made harmless there.
  const neutralise = (text: string) => (isShown ? text : neutraliseText(text, { ...pass.rules, isHtml: true }));
  let position = 0;
  let text = '';
  for (const match of source.matchAll(piece)) {
    text += neutralise(source.slice(position, match.index)) + sanitizeTag(match[0], pass);
    position = match.index + match[0].length;
  }
  return text + neutralise(source.slice(position));
}

/** A comment that ends; `<!--` alone is matched as a sign. */
function isComment(tag: string): boolean {
  return tag.startsWith('<!--') && tag.endsWith('-->');
}

function sanitizeTag(tag: string, pass: Pass): string {
  if (isComment(tag)) return '';
  const kept = keptTag.exec(tag);
  if (kept === null) return `&lt;${tag.slice(1)}`;
  const [, slash, name = ''] = kept;
  if (!/^(details|summary)$/i.test(name)) return tag;
  if (slash === '') pass.open.push(name.toLowerCase());
  else if (pass.open.at(-1) === name.toLowerCase()) pass.open.pop();
  else return `&lt;${tag.slice(1)}`;
  return tag;
}

function applyEdits(source: string, edits: readonly Edit[]): string {
  let position = 0;
  let text = '';
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    text += source.slice(position, edit.start) + edit.text;
    position = edit.end;
  }
  return text + source.slice(position);
}

/** A fence that the text never closes would take our own lines into it; one in a list or a quote ends with that. */
function closeLastFence(root: Node, text: string, source: string): string {
  const last = root.children?.at(-1);
  if (last?.type !== 'code') return text;
  const code = source.slice(last.position?.start.offset ?? 0, last.position?.end.offset ?? 0);
  const fence = /^(`{3,}|~{3,})/.exec(code)?.[1];
  if (fence === undefined) return text;
  const lines = code.split('\n');
  const isClosed = lines.length > 1 && new RegExp(`^\\s*${fence[0]}{${fence.length},}\\s*$`).test(lines.at(-1) ?? '');
  return isClosed ? text : `${text}\n${fence}`;
}
