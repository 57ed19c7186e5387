// The log's lines: one line each, safe to print where a runner reads along. Decides nothing about what is logged; who writes names itself.
import type { Log } from '../schema/world.ts';

/** Who writes: `[engine] `, `[context] `, `[assistant] `… A name of ours; a runner reads nothing into it. */
const leadingName = /^\[[a-z][a-z-]*\] /;

/** A log of one line a call, newline included. What stands before the text is the writer's own; everything after it counts as text from outside. */
export function createLog(stderr: (text: string) => void): Log {
  return (line) => {
    const name = leadingName.exec(line)?.[0] ?? '';
    stderr(`${name}${escapeForRunner(line.slice(name.length))}\n`);
  };
}

/**
 * Text as one harmless line: control characters and line ends are written out (`\n`, `\x1b`), and the two tokens that make a runner read
 * a command, `::` and `##[` (threat D3: the second one anywhere in a line), are broken by a blank.
 */
export function escapeForRunner(text: string): string {
  return text
    .replaceAll(unprintable, writeOut)
    .replaceAll(/:(?=:)/g, ': ')
    .replaceAll(/##(?=\[)/g, '# #');
}

// Control characters, the line and paragraph separators, and the marks that turn the reading direction around.
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Cs}/gu;

function writeOut(character: string): string {
  const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return short[character] ?? (code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`);
}
