// What the terminal prints, made harmless for the one who reads it: a screen, a script, a runner that reads commands along. Pure.
import type { World } from '../schema/world.ts';

/** How texts leave: without secrets, and broken where a runner would read a command. */
export interface Outward {
  readonly env: World['env'];
  /** Takes out secrets, and what looks like one. */
  readonly redact: (text: string) => string;
}

/**
 * Control characters by which a text could steer the screen, and the marks that turn the reading direction of what follows around. Line
 * ends and tabs stay, and so do the marks of Arabic and Hebrew prose, which are one invisible letter each.
 */
const steering = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;

/**
 * `text` for people: redacted, control characters written out (`\x1b`). Under GITHUB_ACTIONS the two tokens are broken that make a runner
 * read a command: `::` at the start of a line and `##[` anywhere (threats.md, D3).
 */
export function renderText(text: string, { env, redact }: Outward): string {
  const plain = redact(text).replaceAll(/\r\n?/g, '\n').replaceAll(steering, writeOut);
  if (!isReadByRunner(env)) return plain;
  return plain.replaceAll(/^([\s\p{Cf}]*):(?=:)/gmu, '$1: ').replaceAll(/##(?=\[)/g, '# #');
}

/**
 * `value` as one line of JSON, every text in it redacted. Under GITHUB_ACTIONS the same two tokens are written as escapes: they stand in
 * texts only, so that whoever parses the line gets the same value.
 */
export function renderJson(value: unknown, { env, redact }: Outward): string {
  const line = JSON.stringify(mapTexts(value, redact)).replaceAll(/[\u007f-\u009f\u2028\u2029]/g, toEscapes);
  return isReadByRunner(env) ? line.replaceAll(/##(?=\[)|:(?=:)/g, toEscapes) : line;
}

function isReadByRunner(env: World['env']): boolean {
  return env.GITHUB_ACTIONS === 'true';
}

function toEscapes(text: string): string {
  return [...text].map((character) => `\\u${codeOf(character).padStart(4, '0')}`).join('');
}

/** A character as its code, as source text has it. */
export function writeOut(character: string): string {
  const code = codeOf(character);
  if (code.length <= 2) return `\\x${code.padStart(2, '0')}`;
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\u{${code}}`;
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}

/** Pictures hold no text: what looks like a key in one is chance. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  if ('type' in value && value.type === 'image') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, map)]));
}
