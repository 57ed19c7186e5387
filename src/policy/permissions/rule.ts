// One rule: which tool it is about, and which calls of it. Reads patterns; judges no call.
import { distance } from 'fastest-levenshtein';
import { foldName } from '../../schema/fold-name.ts';
import { oneLine } from '../../schema/one-line.ts';
import { type CommandPattern, parseCommandPattern } from './command-pattern.ts';
import { type FilePattern, parseFilePattern } from './file-pattern.ts';
import type { Effect, RuleEntry } from './rule-entries.ts';
import { canBeginWith, matchesGlob, parseGlob, type TextGlob } from './text-glob.ts';

export interface Rule {
  readonly effect: Effect;
  readonly tool: TextGlob;
  /** Undefined: about every call of the tool. */
  readonly about: ArgumentPattern | undefined;
  readonly text: string;
  readonly source: string;
  readonly line: number | undefined;
}

export type ArgumentPattern =
  | { readonly kind: 'command'; readonly pattern: CommandPattern }
  | { readonly kind: 'path'; readonly pattern: FilePattern }
  /** Names that are spelled in several ways: with dashes, blanks, capitals. */
  | { readonly kind: 'name'; readonly glob: TextGlob };

export type ParsedRule = { readonly kind: 'rule'; readonly rule: Rule } | { readonly kind: 'broken'; readonly expected: string };

/** The argument that a pattern is about, of each tool whose calls can be told apart. */
export const judgedArguments: Readonly<Record<string, { readonly kind: ArgumentPattern['kind']; readonly argument: string }>> = {
  bash: { kind: 'command', argument: 'command' },
  read_file: { kind: 'path', argument: 'path' },
  write_file: { kind: 'path', argument: 'path' },
  edit_file: { kind: 'path', argument: 'path' },
  glob: { kind: 'path', argument: 'path' },
  grep: { kind: 'path', argument: 'path' },
  use_skill: { kind: 'name', argument: 'skill_name' },
  task: { kind: 'name', argument: 'agent' },
};

/** Judged by the place where they begin. */
const searchTools: ReadonlySet<string> = new Set(['glob', 'grep']);

/** A search that begins in `src` sees what is below it, which is what `src/**` is about. */
function withoutBelow(pattern: string): string {
  return pattern.trim().replace(/(?<=[^/])\/\*\*\/?$/, '');
}

/** What a redirect of a command is a call of. */
export const redirectTools: readonly string[] = ['read_file', 'write_file'];

/** Every tool that a run of ours may have, but for those of MCP servers. */
export const toolNames: readonly string[] = [...Object.keys(judgedArguments), 'todo_write'];

export interface Reading {
  /** Our name of a tool that other harnesses call otherwise; any other as it is. */
  toolName(name: string): string;
  /** The workspace, absolute, where it is known. */
  readonly workDir: string | undefined;
  /** A name that no tool can have is kept. */
  readonly mayBeUnknown: boolean;
}

export function parseRule(entry: RuleEntry, { toolName, workDir, mayBeUnknown }: Reading): ParsedRule {
  const [, written, argument] = /^([\w.*/:-]+)(?:\((.*)\))?$/s.exec(entry.text) ?? [];
  if (written === undefined) return { kind: 'broken', expected: describeForm(entry.text) };
  const name = written.includes('*') ? written : toolName(written);
  const rule = { ...entry, tool: parseGlob(name) };
  if (!canBeTool(rule.tool) && !(mayBeUnknown && argument === undefined)) {
    return { kind: 'broken', expected: describeTools(written) };
  }
  if (argument === undefined) return { kind: 'rule', rule: { ...rule, about: undefined } };
  const judged = Object.hasOwn(judgedArguments, name) ? judgedArguments[name] : undefined;
  if (judged === undefined) {
    const tools = Object.keys(judgedArguments).join(', ');
    return { kind: 'broken', expected: `${written} without a pattern: there are patterns for the arguments of ${tools} only` };
  }
  const about = parseArgument(judged.kind, searchTools.has(name) ? withoutBelow(argument) : argument, workDir);
  return about.kind === 'broken' ? about : { kind: 'rule', rule: { ...rule, about: about.about } };
}

const mcpPrefix = 'mcp__';

/** One of ours, or one that a server could have. */
function canBeTool(tool: TextGlob): boolean {
  return canBeginWith(tool, mcpPrefix) || toolNames.some((name) => matchesGlob(tool, name));
}

function describeTools(name: string): string {
  if (/^\.{0,2}\//.test(name)) return 'the tools themselves, and no path of a file';
  const near = toolNames.map((each) => ({ each, far: distance(each, name.toLowerCase()) })).sort((a, b) => a.far - b.far)[0];
  const nearest = near !== undefined && near.far <= Math.max(2, name.length / 3) ? `; the nearest is ${near.each}` : '';
  return `a tool (${toolNames.join(', ')}) or one of an MCP server (${mcpPrefix}server__tool)${nearest}`;
}

/** What is expected of a text that does not look like a rule. */
function describeForm(text: string): string {
  if (/^-\s/.test(text)) return 'the pattern without the dash in front';
  if (/^(?:allow|deny|ask)\s/.test(text)) return 'the pattern alone, without allow, deny or ask';
  if (/^["'[{]/.test(text)) return 'the pattern itself, without quotes and brackets around it';
  if (/^[\w.*/:-]+\s+\(/.test(text)) return 'no blank before the (';
  if (text.includes('(') && !text.endsWith(')')) {
    return text.includes(')')
      ? 'nothing behind the )'
      : 'a ) at its end (in YAML, a pattern with # or ": " needs quotes around all of it)';
  }
  return 'the name of a tool, or tool(pattern), as in bash(npm test:*)';
}

type ParsedArgument =
  | { readonly kind: 'read'; readonly about: ArgumentPattern | undefined }
  | { readonly kind: 'broken'; readonly expected: string };

function parseArgument(kind: ArgumentPattern['kind'], text: string, workDir: string | undefined): ParsedArgument {
  switch (kind) {
    case 'command': {
      const parsed = parseCommandPattern(text);
      if (parsed.kind === 'broken') return parsed;
      return { kind: 'read', about: parsed.kind === 'any' ? undefined : { kind, pattern: parsed.pattern } };
    }
    case 'path': {
      const parsed = parseFilePattern(text, workDir);
      return parsed.kind === 'broken' ? parsed : { kind: 'read', about: { kind, pattern: parsed.pattern } };
    }
    case 'name':
      if (text.trim() === '' || /["',/\\]/.test(text))
        return { kind: 'broken', expected: 'one name in the parentheses, without quotes' };
      return { kind: 'read', about: { kind, glob: parseGlob(foldName(text)) } };
  }
}

export function isAboutTool({ tool }: Rule, name: string): boolean {
  return matchesGlob(tool, name);
}

/** A rule as it was written, with where it comes from. */
export function nameOf(rule: Rule): string {
  return `${rule.text} (${placeOf(rule)})`;
}

/** The same where texts are markdown: a pattern's stars are no emphasis. */
export function markedNameOf(rule: Rule): string {
  return `\`${oneLine(rule.text.replaceAll('`', "'"), maxTextChars)}\` (${placeOf(rule)})`;
}

const maxTextChars = 120;

/** The input, and the line in it where it has lines. */
export function placeOf({ source, line }: Pick<Rule, 'source' | 'line'>): string {
  return line === undefined ? source : `${source}, line ${line}`;
}
