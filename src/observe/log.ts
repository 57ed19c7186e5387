// The log's lines: one line each, with the engine's prefix, safe to print where a runner reads along. Decides nothing about what is logged.
import type { Log } from '../schema/world.ts';

/** Lines that carry their own prefix: the model's text. */
const assistantPrefix = '[assistant] ';

/**
 * A log that writes `[engine] turn=3 tools=2 …` lines. Everything after the prefix counts as text from outside (tool names, errors,
 * the model's words) and is escaped.
 */
export function createLog(stderr: (text: string) => void, mode: 'engine' | 'engine-stream'): Log {
  return (line) => stderr(renderLogLine(line, mode));
}

/** One finished line, newline included. */
function renderLogLine(line: string, mode: 'engine' | 'engine-stream'): string {
  const isAssistant = line.startsWith(assistantPrefix);
  const prefix = isAssistant ? assistantPrefix : `[${mode}] `;
  return `${prefix}${escapeForRunner(isAssistant ? line.slice(assistantPrefix.length) : line)}\n`;
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
