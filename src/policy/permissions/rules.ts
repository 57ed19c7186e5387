// The permission rules of a run: read from what the inputs say, and asked what they say of a tool as a whole. Judges no call.
import { distance } from 'fastest-levenshtein';
import { Harness9Error } from '../../schema/error.ts';
import type { ToolDefinition } from '../../schema/message.ts';
import { oneLine } from '../../schema/one-line.ts';
import { isAboutTool, namesOne, parseRule, type Rule } from './rule.ts';
import { type Entries, type RuleProblem, splitPatternList, splitRules } from './rule-entries.ts';

export interface PermissionRules {
  readonly rules: readonly Rule[];
  /** What is not allowed is denied: there is a list of what is. Its name. */
  readonly onlyAllowed: string | undefined;
}

export interface GivenRules {
  readonly allowedTools: string | null;
  readonly disallowedTools: string | null;
  readonly permissionRules: string | null;
}

/** The run's own: they stay without being listed. Listed with patterns, they are held to these. */
export const ownTools = ['todo_write', 'use_skill', 'task'];
const maxShownChars = 120;

/** Throws PERMISSION_RULES, with everything in the inputs that is no rule. */
export function parsePermissionRules({ allowedTools, disallowedTools, permissionRules }: GivenRules): PermissionRules {
  const isGiven = allowedTools !== null && allowedTools.trim() !== '';
  return parseEntries(
    [
      splitPatternList(allowedTools ?? '', 'allowed_tools', 'allow'),
      splitPatternList(disallowedTools ?? '', 'disallowed_tools', 'deny'),
      splitRules(permissionRules ?? '', 'permission_rules'),
    ],
    isGiven ? 'allowed_tools' : undefined,
  );
}

/**
 * The rules of lists that are taken apart already, as a sub-agent's definition has them: `tools` undefined = all. `source`: whose they are, for
 * errors and denials. Throws PERMISSION_RULES.
 */
export function parseToolLists(
  lists: { readonly tools: readonly string[] | undefined; readonly disallowedTools: readonly string[] },
  source: string,
): PermissionRules {
  const entriesOf = (patterns: readonly string[], effect: 'allow' | 'deny'): Entries => ({
    entries: patterns.map((text) => ({ effect, text: text.trim(), source, line: undefined })),
    problems: [],
  });
  return parseEntries(
    [entriesOf(lists.tools ?? [], 'allow'), entriesOf(lists.disallowedTools, 'deny')],
    lists.tools === undefined ? undefined : source,
  );
}

function parseEntries(all: readonly Entries[], onlyAllowed: string | undefined): PermissionRules {
  const rules: Rule[] = [];
  const problems: RuleProblem[] = all.flatMap((each) => each.problems);
  for (const entry of all.flatMap(({ entries }) => entries)) {
    const parsed = parseRule(entry);
    if (parsed.kind === 'rule') rules.push(parsed.rule);
    else problems.push({ source: entry.source, line: entry.line, seen: entry.text, expected: parsed.expected });
  }
  if (problems.length > 0) throw createError(problems);
  return { rules, onlyAllowed };
}

function createError(problems: readonly RuleProblem[]): Harness9Error {
  const lines = problems.map(({ source, line, seen, expected }) => {
    const place = line === undefined ? source : `${source}, line ${line}`;
    return `${place}: ${JSON.stringify(oneLine(seen, maxShownChars))} is no rule: expected ${expected}`;
  });
  return new Harness9Error({
    code: 'PERMISSION_RULES',
    message: lines.join('\n'),
    hint: 'Rules are written as tool or tool(pattern): read_file(src/**), bash(npm test:*), mcp__github__*.',
  });
}

/** Whether there is no rule, and nothing to ask. */
export function isEmpty({ rules, onlyAllowed }: PermissionRules): boolean {
  return rules.length === 0 && onlyAllowed === undefined;
}

/** Whether any call of the tool can be allowed: if not, the model need not know of it. */
export function mayEver(rules: PermissionRules, toolName: string): boolean {
  const about = rules.rules.filter((rule) => isAboutTool(rule, toolName));
  if (about.some(({ effect, about: pattern }) => effect === 'deny' && pattern === undefined)) return false;
  return rules.onlyAllowed === undefined || isOwnTool(rules, toolName) || about.some(({ effect }) => effect === 'allow');
}

/** Whether a list of allowed tools need not name the tool. */
export function isOwnTool({ rules, onlyAllowed }: PermissionRules, toolName: string): boolean {
  const isListed = rules.some((rule) => rule.effect === 'allow' && rule.source === onlyAllowed && isAboutTool(rule, toolName));
  return ownTools.includes(toolName) && !isListed;
}

/** Rules that name a tool which is not there, each with the nearest name: they are kept, and never about a call. */
export function findUnknownTools({ rules }: PermissionRules, tools: readonly ToolDefinition[]): readonly string[] {
  const names = tools.map(({ name }) => name);
  return rules
    .filter((rule) => !names.some((name) => isAboutTool(rule, name)))
    .map((rule) => {
      const name = rule.text.replace(/\(.*$/s, '');
      const what = namesOne(rule) ? `there is no tool ${name}` : `no tool is named like ${name}`;
      const near = names.map((each) => ({ each, far: distance(each, name.toLowerCase()) })).sort((a, b) => a.far - b.far)[0];
      const hint = near !== undefined && near.far <= Math.max(2, name.length / 3) ? `; did you mean ${near.each}?` : '';
      return `${rule.source}: ${JSON.stringify(oneLine(rule.text, maxShownChars))} is about no call: ${what}${hint}`;
    });
}
