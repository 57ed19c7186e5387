// Patterns of files as people and models write them: those of .gitignore, with braces. Rules and searches read them here alike, so that what a rule
// denies is what a search does not see. Matches in time linear in the path for each alternative.
import { parsePathPattern } from './path-pattern.ts';

export interface FileGlob {
  readonly kind: 'glob';
  /** `file`: relative to the folder of the pattern. */
  readonly matches: (file: string) => boolean;
  /** On some systems capitals make no other file. */
  readonly mayMatch: (file: string) => boolean;
  /** How many patterns its braces make: what it costs. */
  readonly alternatives: number;
}

export type ParsedFileGlob =
  | FileGlob
  /** What is wrong, in words that people and models read. */
  | { readonly kind: 'broken'; readonly problem: string };

const maxChars = 1000;
/** `{a,b}` ten times over are a thousand patterns, which nobody means. */
const maxAlternatives = 200;

/**
 * `text` without a slash is about the name, at any depth; `*` and `?` stay within a name, `**` spans folders. A name in brackets is taken by its
 * letters as well: `app/[id]/page.tsx` is a file. Parentheses are plain: `app/(shop)/page.tsx` is one, too.
 */
export function parseFileGlob(text: string): ParsedFileGlob {
  const body = text.replace(/^(?:\.\/+)+/, '').replaceAll(/\/(?:\.?\/)+/g, '/');
  const problem = problemOf(body);
  if (problem !== undefined) return { kind: 'broken', problem };
  const spelled = expandBraces(body);
  if (spelled.length > maxAlternatives)
    return { kind: 'broken', problem: `the braces make more than ${maxAlternatives} patterns` };
  const patterns = spelled.flatMap(bracketsBothWays);
  const matches = matcherOf(patterns);
  const matchesSmall = matcherOf(patterns.map((pattern) => pattern.toLowerCase()));
  // A class of capitals is none any more in small letters.
  return {
    kind: 'glob',
    matches,
    mayMatch: (file) => matches(file) || matchesSmall(file.toLowerCase()),
    alternatives: spelled.length,
  };
}

/** Whether the path, or a folder that it is in, is one of those that `matches` is about. The workspace itself, `''` or `.`, is none. */
export function isWithinMatch(path: string, matches: (path: string) => boolean): boolean {
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
    if (matches(path.slice(0, end))) return true;
  }
  return path !== '' && path !== '.' && matches(path);
}

function matcherOf(patterns: readonly string[]): (file: string) => boolean {
  const parsed = patterns.map((pattern) => parsePathPattern(pattern));
  return (file) => parsed.some(({ matches }) => matches(file));
}

function problemOf(body: string): string | undefined {
  if (body.trim() === '') return 'it is empty; `**` matches every file';
  if (body.length > maxChars) return `it has ${body.length} characters, at most ${maxChars} are taken`;
  if (body.split('/').includes('..')) return '`..` leads out of the folder that is searched; give that folder as path';
  if (/[@+!]\(|\([^()/]*\|[^()/]*\)/.test(body)) return 'groups like @(a|b) and (a|b) are not known; write {a,b}';
  if (/\{[^{},/]*\.\.[^{},/]*\}/.test(body)) return 'ranges like {1..3} are not known; write {1,2,3}';
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
