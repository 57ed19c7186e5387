// The lines that other harnesses ask for by their first and last one, as the page that they mean. Pure.

/** `oldString` as `old_string`. */
export function toSnakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

const firstNames = ['start_line', 'line_start', 'start_line_one_indexed'];
const lastNames = ['end_line', 'line_end', 'end_line_one_indexed_inclusive'];

/** `args` with `offset` and `limit` for `start_line` and `end_line`, or for `view_range`. What is no range of lines stays, and is refused by its name. */
export function linesAsPage(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (['offset', 'limit'].some((name) => (args[name] ?? null) !== null)) return args;
  const keyOf = (names: readonly string[]) => Object.keys(args).find((key) => names.includes(toSnakeCase(key)));
  const [rangeKey, firstKey, lastKey] = [keyOf(['view_range']), keyOf(firstNames), keyOf(lastNames)];
  const range = rangeKey === undefined ? undefined : args[rangeKey];
  const isPair = Array.isArray(range) && range.length === 2 && firstKey === undefined && lastKey === undefined;
  if (rangeKey !== undefined && !isPair) return args;
  const [first, last] = isPair ? range : [given(args, firstKey), given(args, lastKey)];
  const page = pageOf(first, last);
  if (page === undefined) return args;
  const used = [rangeKey, firstKey, lastKey];
  return Object.fromEntries([...Object.entries(args).filter(([key]) => !used.includes(key)), ...Object.entries(page)]);
}

function given(args: Readonly<Record<string, unknown>>, key: string | undefined): unknown {
  return key === undefined ? undefined : args[key];
}

/** -1 is the last line of a `view_range`. */
function pageOf(first: unknown, last: unknown): Readonly<Record<string, number>> | undefined {
  const [from, to] = [lineOf(first), last === -1 ? undefined : lineOf(last)];
  if (from === null || to === null || (from ?? to) === undefined) return undefined;
  const offset = from ?? 1;
  if (to !== undefined && to < offset) return undefined;
  return { offset, ...(to === undefined ? {} : { limit: to - offset + 1 }) };
}

/** A line number; undefined when none was given, null for anything that is none. */
function lineOf(value: unknown): number | undefined | null {
  if (value === undefined || value === null) return undefined;
  const line = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof line === 'number' && Number.isSafeInteger(line) && line >= 1 ? line : null;
}
