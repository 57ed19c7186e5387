// A call's raw JSON text to a value, inside limits of size and depth (F6). Knows no schema.

/** Bytes would cost a pass over the text; characters bound memory as well. */
const maxArgumentChars = 1024 * 1024;
/** No tool of ours nests deeper than three; more is an attack on whatever walks the value. */
const maxDepth = 64;

export type ParsedArguments = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/** Empty text and `null` mean no arguments (G2-01, G2-02). */
export function parseArguments(raw: string): ParsedArguments {
  if (raw.length > maxArgumentChars) {
    return problem(`the arguments are ${raw.length} characters long, at most ${maxArgumentChars} are allowed; split the call`);
  }
  if (raw.trim() === '') return { ok: true, value: {} };
  if (depthOf(raw) > maxDepth) return problem(`the arguments are nested deeper than ${maxDepth} levels`);
  try {
    return { ok: true, value: JSON.parse(raw) ?? {} };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unreadable';
    return problem(`the arguments are not valid JSON (${reason}); send the whole call again`);
  }
}

function problem(text: string): ParsedArguments {
  return { ok: false, problem: text };
}

/** Depth of brackets outside strings, counted on the text: the parser itself must not meet a depth bomb. */
function depthOf(raw: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < raw.length; index += 1) {
    const character = raw[index];
    if (character === '"') index = endOfString(raw, index);
    if (character === '[' || character === '{') depth += 1;
    if (character === ']' || character === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** The offset of the quote that ends the string which begins at `start`, or of the text's end. */
function endOfString(raw: string, start: number): number {
  let index = start + 1;
  while (index < raw.length && raw[index] !== '"') index += raw[index] === '\\' ? 2 : 1;
  return index;
}
