// The permission rules of a run: read from what the inputs say, and asked what they say of a tool as a whole. Judges no call.
import { Harness9Error } from '../../schema/error.ts';
import { foldName } from '../../schema/fold-name.ts';
import { oneLine } from '../../schema/one-line.ts';
import { isAboutTool, markedNameOf, parseRule, placeOf, type Reading, type Rule, toolNames } from './rule.ts';
import { type Entries, type RuleProblem, splitPatternList, splitRules } from './rule-entries.ts';
import { canBeginWith, matchesGlob } from './text-glob.ts';

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

/** How things are called: our name of a tool that others call otherwise (any other as it is), and an input as people know it. */
export interface RuleNaming extends Pick<Reading, 'toolName' | 'workDir'> {
  sourceOf(input: 'allowed_tools' | 'disallowed_tools' | 'permission_rules'): string;
}

const asWritten: RuleNaming = { toolName: (name) => name, workDir: undefined, sourceOf: (input) => input };

/** The run's own: they stay without being listed. Listed with patterns, they are held to these. */
const ownTools = ['todo_write', 'use_skill', 'task'];
const maxShownChars = 120;

/** Throws PERMISSION_RULES, with everything in the inputs that is no rule, or about no tool that could be. */
export function parsePermissionRules(
  { allowedTools, disallowedTools, permissionRules }: GivenRules,
  naming: RuleNaming = asWritten,
): PermissionRules {
  const isGiven = allowedTools !== null && allowedTools.trim() !== '';
  const allowed = naming.sourceOf('allowed_tools');
  return parseEntries(
    [
      splitPatternList(allowedTools ?? '', allowed, 'allow'),
      splitPatternList(disallowedTools ?? '', naming.sourceOf('disallowed_tools'), 'deny'),
      splitRules(permissionRules ?? '', naming.sourceOf('permission_rules')),
    ],
    { onlyAllowed: isGiven ? allowed : undefined, reading: { ...naming, mayBeUnknown: false } },
  );
}

/** The rule that matches what one pattern is about. `source`: whose it is, for errors. Throws PERMISSION_RULES. */
export function parseMatcher(pattern: string, source: string, naming: RuleNaming = asWritten): PermissionRules {
  const reading = { ...naming, mayBeUnknown: false };
  return parseEntries([entriesOf([pattern], source, 'deny')], { onlyAllowed: undefined, reading });
}

/**
 * The rules of lists that are taken apart already, as a sub-agent's definition has them: `tools` undefined = all. `source`: whose they are, for
 * errors and denials. A name that no tool has is left to whoever knows what such definitions may name. Throws PERMISSION_RULES.
 */
export function parseToolLists(
  lists: { readonly tools: readonly string[] | undefined; readonly disallowedTools: readonly string[] },
  source: string,
  naming: RuleNaming = asWritten,
): PermissionRules {
  return parseEntries([entriesOf(lists.tools ?? [], source, 'allow'), entriesOf(lists.disallowedTools, source, 'deny')], {
    onlyAllowed: lists.tools === undefined ? undefined : source,
    reading: { ...naming, mayBeUnknown: true },
  });
}

function entriesOf(patterns: readonly string[], source: string, effect: 'allow' | 'deny'): Entries {
  return { entries: patterns.map((text) => ({ effect, text: text.trim(), source, line: undefined })), problems: [] };
}

function parseEntries(
  all: readonly Entries[],
  { onlyAllowed, reading }: Pick<PermissionRules, 'onlyAllowed'> & { readonly reading: Reading },
): PermissionRules {
  const rules: Rule[] = [];
  const problems: RuleProblem[] = all.flatMap((each) => each.problems);
  for (const entry of all.flatMap(({ entries }) => entries)) {
    const parsed = parseRule(entry, reading);
    if (parsed.kind === 'rule') rules.push(parsed.rule);
    else problems.push({ source: entry.source, line: entry.line, seen: entry.text, expected: parsed.expected });
  }
  if (problems.length > 0) throw createError(problems);
  return { rules, onlyAllowed };
}

function createError(problems: readonly RuleProblem[]): Harness9Error {
  const lines = problems.map(
    (problem) =>
      `${placeOf(problem)}: ${JSON.stringify(oneLine(problem.seen, maxShownChars))} is no rule: expected ${problem.expected}`,
  );
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

/**
 * Patterns of the files that a search by this tool must not look into: its own rules judge where a search begins, and what it finds on the way
 * would be read without a call of `read_file`. What must be asked for is not for a search either.
 */
export function hiddenFrom({ rules }: PermissionRules, tool: 'glob' | 'grep'): readonly string[] {
  const about = rules.filter((rule) => rule.effect !== 'allow' && (isAboutTool(rule, tool) || isReadBy(rule, tool)));
  return [...new Set(about.flatMap((rule) => (rule.about?.kind === 'path' ? [rule.about.pattern.text] : [])))];
}

/** Names are not what is in a file. */
function isReadBy(rule: Rule, tool: 'glob' | 'grep'): boolean {
  return tool === 'grep' && isAboutTool(rule, 'read_file');
}

/** Whether a list of allowed tools need not name the tool. */
export function isOwnTool({ rules, onlyAllowed }: PermissionRules, toolName: string): boolean {
  const isListed = rules.some((rule) => rule.effect === 'allow' && rule.source === onlyAllowed && isAboutTool(rule, toolName));
  return ownTools.includes(toolName) && !isListed;
}

/**
 * What a run has beside our own tools, which may always be named: tools of servers by their names, those of servers that are not there by what
 * their names begin with. `named`: the names that a tool takes; one that is not in it takes any.
 */
export interface Nameable {
  readonly names: readonly string[];
  readonly prefixes: readonly string[];
  readonly named: Readonly<Record<string, readonly string[]>>;
}

/** Rules that are about no call of a run with no more than that, in words for people. */
export function findIdle(rules: readonly Rule[], { names, prefixes, named }: Nameable): readonly string[] {
  return rules.flatMap((rule) => {
    const isOfServer =
      names.some((name) => isAboutTool(rule, name)) || prefixes.some((prefix) => canBeginWith(rule.tool, prefix));
    const ours = toolNames.filter((name) => isAboutTool(rule, name));
    if (ours.length === 0) return isOfServer ? [] : [describeIdle(rule, 'no MCP server of this run has such a tool')];
    const { about } = rule;
    const taken = ours.flatMap((tool) => named[tool] ?? ['*']);
    if (about?.kind !== 'name' || taken.some((name) => name === '*' || matchesGlob(about.glob, foldName(name)))) return [];
    return [describeIdle(rule, `there is ${taken.length === 0 ? 'nothing to name' : `only ${taken.join(', ')}`}`)];
  });
}

function describeIdle(rule: Rule, why: string): string {
  return `The rule ${markedNameOf(rule)} is about no call: ${why}.`;
}
