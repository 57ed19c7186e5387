// One rule: which tool it is about, and which calls of it. Reads patterns; judges no call.
import { type CommandPattern, parseCommandPattern } from './command-pattern.ts';
import { type FilePattern, parseFilePattern } from './file-pattern.ts';
import type { Effect, RuleEntry } from './rule-entries.ts';
import { isLiteral, matchesGlob, parseGlob, type TextGlob } from './text-glob.ts';

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

/** What a redirect of a command is a call of. */
export const redirectTools: readonly string[] = ['read_file', 'write_file'];

export function parseRule(entry: RuleEntry): ParsedRule {
  const [, name, argument] = /^([\w.*/:-]+)(?:\((.*)\))?$/s.exec(entry.text) ?? [];
  if (name === undefined) return { kind: 'broken', expected: 'the name of a tool, or tool(pattern), as in bash(npm test:*)' };
  const rule = { ...entry, tool: parseGlob(name) };
  if (argument === undefined) return { kind: 'rule', rule: { ...rule, about: undefined } };
  const judged = Object.hasOwn(judgedArguments, name) ? judgedArguments[name] : undefined;
  if (judged === undefined) {
    const tools = Object.keys(judgedArguments).join(', ');
    return { kind: 'broken', expected: `${name} without a pattern: there are patterns for the arguments of ${tools} only` };
  }
  const about = parseArgument(judged.kind, argument);
  return about.kind === 'broken' ? about : { kind: 'rule', rule: { ...rule, about: about.about } };
}

type ParsedArgument =
  | { readonly kind: 'read'; readonly about: ArgumentPattern | undefined }
  | { readonly kind: 'broken'; readonly expected: string };

function parseArgument(kind: ArgumentPattern['kind'], text: string): ParsedArgument {
  switch (kind) {
    case 'command': {
      const parsed = parseCommandPattern(text);
      if (parsed.kind === 'broken') return parsed;
      return { kind: 'read', about: parsed.kind === 'any' ? undefined : { kind, pattern: parsed.pattern } };
    }
    case 'path': {
      const parsed = parseFilePattern(text);
      return parsed.kind === 'broken' ? parsed : { kind: 'read', about: { kind, pattern: parsed.pattern } };
    }
    case 'name':
      if (text.trim() === '') return { kind: 'broken', expected: 'a name in the parentheses' };
      return { kind: 'read', about: { kind, glob: parseGlob(foldName(text)) } };
  }
}

/** One spelling for the names of skills and agents. */
export function foldName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-');
}

export function isAboutTool({ tool }: Rule, name: string): boolean {
  return matchesGlob(tool, name);
}

/** Whether it names one tool, which then should be there. */
export function namesOne({ tool }: Rule): boolean {
  return isLiteral(tool);
}
