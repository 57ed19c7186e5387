// Patterns of file names as models write them: those of .gitignore, with braces. Matches in time linear in the path for each alternative.
import { parsePathPattern } from '../../schema/path-pattern.ts';

export type ParsedGlob =
  | { readonly kind: 'glob'; readonly matches: (file: string) => boolean }
  /** What is wrong, in words for the model. */
  | { readonly kind: 'broken'; readonly problem: string };

const maxChars = 1000;
/** `{a,b}` ten times over are a thousand patterns, which nobody means. */
const maxAlternatives = 200;

/**
 * `text` about paths relative to the folder that is searched. Without a slash it is about the name, at any depth; `*` and `?` stay within a name,
 * `**` spans folders; `!` in front turns it around. A name in brackets is taken by its letters as well: `app/[id]/page.tsx` is a file.
 */
export function parseGlob(text: string): ParsedGlob {
  const isNegated = text.startsWith('!');
  const body = (isNegated ? text.slice(1) : text).replace(/^(?:\.\/+)+/, '');
  const problem = problemOf(body);
  if (problem !== undefined) return { kind: 'broken', problem };
  const spelled = expandBraces(body.endsWith('/') ? `${body}**` : body);
  if (spelled.length > maxAlternatives) return broken(`the braces make more than ${maxAlternatives} patterns`);
  const patterns = spelled.flatMap((each) => bracketsBothWays(each)).map((each) => parsePathPattern(each));
  return { kind: 'glob', matches: (file) => patterns.some(({ matches }) => matches(file)) !== isNegated };
}

function broken(problem: string): ParsedGlob {
  return { kind: 'broken', problem };
}

function problemOf(body: string): string | undefined {
  if (body.trim() === '') return 'it is empty; `**` matches every file';
  if (body.length > maxChars) return `it has ${body.length} characters, at most ${maxChars} are taken`;
  if (body.split('/').includes('..')) return '`..` leads out of the folder that is searched; give that folder as path';
  if (/[@+!]\(/.test(body)) return 'groups like @(a|b) are not known; write {a,b}';
  return undefined;
}

/** As a set of characters, and as these characters. */
function bracketsBothWays(pattern: string): readonly string[] {
  return pattern.includes('[') ? [pattern, pattern.replaceAll(/(?<!\\)\[/g, '\\[')] : [pattern];
}

/** The texts that `{a,b}` stands for. Braces without a comma, or without an end, are plain characters. */
function expandBraces(text: string): readonly string[] {
  const group = findGroup(text);
  if (group === undefined) return [text];
  const rest = expandBraces(text.slice(group.end));
  const spelled: string[] = [];
  for (const middle of group.parts.flatMap((part) => expandBraces(part))) {
    for (const end of rest) {
      spelled.push(text.slice(0, group.start) + middle + end);
      if (spelled.length > maxAlternatives) return spelled;
    }
  }
  return spelled;
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly parts: readonly string[];
}

/** The first pair of braces with a comma of its own. */
function findGroup(text: string): Group | undefined {
  for (let start = text.indexOf('{'); start >= 0; start = text.indexOf('{', start + 1)) {
    if (text[start - 1] === '\\') continue;
    const group = readGroup(text, start);
    if (group !== undefined && group.parts.length > 1) return group;
  }
  return undefined;
}

function readGroup(text: string, start: number): Group | undefined {
  const parts: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) {
      parts.push(text.slice(from, at));
      from = at + 1;
    } else if (character === '}' && --depth === 0) {
      return { start, end: at + 1, parts: [...parts, text.slice(from, at)] };
    }
  }
  return undefined;
}
