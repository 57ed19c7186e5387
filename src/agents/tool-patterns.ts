// The names of tools in an agent's lists, written as permission rules are. What a pattern says of arguments is their matter.

export interface ToolPattern {
  /** A `*` at its end stands for any characters. */
  readonly name: string;
  /** What stands in the parentheses; undefined where there are none. */
  readonly argument: string | undefined;
}

/** `name` or `name(argument)`; undefined for anything else. */
export function parsePattern(text: string): ToolPattern | undefined {
  const [, name, argument] = /^([\w.-]{1,128}\*?|\*)(?:\(([^\n]*)\))?$/.exec(text) ?? [];
  return name === undefined ? undefined : { name, argument };
}

/** The patterns of a comma list, without the blanks around them; a comma in parentheses is the pattern's own. */
export function splitPatterns(list: string): readonly string[] {
  const patterns = list.match(/(?:\([^)]*\)?|[^,(])+/g) ?? [];
  return patterns.map((pattern) => pattern.trim()).filter((pattern) => pattern !== '');
}

/** Whether a pattern's name stands for the tool. */
export function isNamedBy(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
