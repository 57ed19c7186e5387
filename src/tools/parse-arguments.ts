// A call's raw JSON text to a value, inside limits of size and depth (F6). Knows no schema.
import { isDeeperThan } from '../schema/json-depth.ts';

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
  if (isDeeperThan(raw, maxDepth)) return problem(`the arguments are nested deeper than ${maxDepth} levels`);
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
