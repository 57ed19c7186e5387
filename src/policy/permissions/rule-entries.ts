// The rules as they are written in the inputs, one by one, with the lines where they stand. Says nothing of what a pattern means.
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';

export type Effect = 'allow' | 'ask' | 'deny';

export interface RuleEntry {
  readonly effect: Effect;
  readonly text: string;
  /** The input. */
  readonly source: string;
  /** From 1 on; undefined where the source has no lines. */
  readonly line: number | undefined;
}

/** Something that is no rule. */
export interface RuleProblem {
  readonly source: string;
  readonly line: number | undefined;
  readonly seen: string;
  readonly expected: string;
}

export interface Entries {
  readonly entries: readonly RuleEntry[];
  readonly problems: readonly RuleProblem[];
}

const effects: readonly Effect[] = ['allow', 'ask', 'deny'];

function isEffect(text: unknown): text is Effect {
  return effects.some((effect) => effect === text);
}

/** A list with commas or on lines of its own; `#` begins a comment where a pattern could begin. */
export function splitPatternList(text: string, source: string, effect: Effect): Entries {
  const entries = text.split('\n').flatMap((line, index) =>
    splitAtCommas(line)
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map((part): RuleEntry => ({ effect, text: part, source, line: index + 1 })),
  );
  const nothing = { source, line: undefined, seen: text.trim(), expected: 'tools, as in read_file, bash(npm test:*)' };
  return { entries, problems: entries.length === 0 && text.trim() !== '' ? [nothing] : [] };
}

function splitAtCommas(line: string): readonly string[] {
  const parts: string[] = [];
  for (let start = 0; start < line.length && !/^\s*#/.test(line.slice(start)); ) {
    const end = findComma(line, start);
    parts.push(withoutComment(line.slice(start, end)));
    start = end + 1;
  }
  return parts;
}

/** Where the pattern that begins at `start` ends. What is never closed is one broken pattern, not several. */
function findComma(line: string, start: number): number {
  const open = line.indexOf('(', start);
  const comma = line.indexOf(',', start);
  const hasPattern = open !== -1 && (comma === -1 || open < comma);
  const close = hasPattern ? findClose(line, open) : start;
  const end = close === -1 ? -1 : line.indexOf(',', close);
  return end === -1 ? line.length : end;
}

/** Where the parenthesis at `open` closes, quotes and backslashes considered; -1 when it does not. */
function findClose(text: string, open: number): number {
  let depth = 0;
  const token = /\\.|'[^']*'|"(?:[^"\\]|\\.)*"|[^\\'"]/gs;
  token.lastIndex = open;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    depth += match[0] === '(' ? 1 : match[0] === ')' ? -1 : 0;
    if (depth === 0) return match.index;
  }
  return -1;
}

/** Without a comment behind the pattern. */
function withoutComment(text: string): string {
  const open = text.indexOf('(');
  const close = open === -1 ? -1 : findClose(text, open);
  if (open !== -1 && close === -1) return text;
  const comment = /\s#/g;
  comment.lastIndex = close + 1;
  const found = comment.exec(text);
  return found === null ? text : text.slice(0, found.index);
}

/** `allow|deny|ask <pattern>` on lines, or YAML or JSON with lists of patterns under these names. */
export function splitRules(text: string, source: string): Entries {
  const isData = /^\s*(?:#[^\n]*\n\s*)*(?:\{|(?:allow|deny|ask|permissions)\s*:|["'])/.test(text);
  return isData ? splitData(text, source) : splitLines(text, source);
}

const lineForm = 'allow, deny or ask, then a tool or tool(pattern), as in: deny bash(git push:*)';

function splitLines(text: string, source: string): Entries {
  const entries: RuleEntry[] = [];
  const problems: RuleProblem[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const [, effect, pattern = ''] = /^(\S+)(?:\s+(.*))?$/s.exec(trimmed) ?? [];
    const rule = withoutComment(pattern).trim();
    if (isEffect(effect) && rule !== '') entries.push({ effect, text: rule, source, line: index + 1 });
    else problems.push({ source, line: index + 1, seen: trimmed, expected: expectedOf(trimmed) });
  }
  return { entries, problems };
}

function expectedOf(line: string): string {
  if (/^-\s*(?:allow|deny|ask)\s/.test(line)) return 'the rule without the dash in front';
  if (/^(?:permission_rules|allowed_tools|disallowed_tools)\s*:/.test(line))
    return 'the rules alone, without the name of the input';
  return lineForm;
}

function splitData(text: string, source: string): Entries {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const [error] = document.errors;
  const root = document.contents;
  if (error !== undefined || !isMap(root)) {
    const line = error?.linePos?.[0].line ?? 1;
    const fault = error?.message.split(/ at line \d/, 1)[0];
    const why = fault === undefined ? '' : ` (here: ${fault}; in YAML, put each pattern in quotes)`;
    const expected = `lists of patterns under allow, deny and ask, as YAML or JSON${why}`;
    return { entries: [], problems: [{ source, line, seen: text.split('\n')[line - 1]?.trim() ?? '', expected }] };
  }
  const lineOf: LineOf = (node) => (isNode(node) && node.range ? lines.linePos(node.range[0]).line : undefined);
  const lists = root.items.map(({ key, value }) => splitPatterns(key, value, { source, lineOf }));
  return { entries: lists.flatMap(({ entries }) => entries), problems: lists.flatMap(({ problems }) => problems) };
}

type LineOf = (node: unknown) => number | undefined;

function splitPatterns(
  key: unknown,
  list: unknown,
  { source, lineOf }: { readonly source: string; readonly lineOf: LineOf },
): Entries {
  const effect = isScalar(key) ? key.value : undefined;
  const isNothing = isScalar(list) && list.value === null;
  if (!isEffect(effect) || !(isSeq(list) || isNothing)) {
    const expected = 'allow, deny or ask, each with a list of patterns';
    return { entries: [], problems: [{ source, line: lineOf(key), seen: String(key), expected }] };
  }
  const entries: RuleEntry[] = [];
  const problems: RuleProblem[] = [];
  for (const item of isSeq(list) ? list.items : []) {
    const line = lineOf(item);
    if (isScalar(item) && typeof item.value === 'string') entries.push({ effect, text: item.value.trim(), source, line });
    else problems.push({ source, line, seen: String(item), expected: 'a pattern as a text, like "bash(npm test:*)", in quotes' });
  }
  return { entries, problems };
}
