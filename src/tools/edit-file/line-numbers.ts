// Line numbers of a listing before the lines of the two strings. Pure.
import type { EditTexts } from './block.ts';

/** `12<tab>`, `12:`, `12 |`, `12|`, `12→`, `L12:`, `12.`, `12)`, `[12]`, `12-`, blanks before; and what follows. */
const numbered = /^ *\[?[Ll]?(\d{1,7}) ?([\t:|│→.)\]-])(.*)$/s;
/** People write lists with these, too: then the numbers must be those of the file's lines. */
const listMarks = '.)]-';

/** Every line of old_string numbered in one way and counting up, but for blank ones; and those of new_string, or none of them. */
export function withoutNumbers(texts: EditTexts, content: string): EditTexts | undefined {
  const lines = texts.old.replace(/\n$/, '').split('\n');
  const found = lines.map((line) => numbered.exec(line) ?? []);
  const start = found.findIndex(([, digits]) => digits !== undefined);
  const [, digits = '', mark] = found[start] ?? [];
  const first = Number(digits) - start;
  const isCounting = found.every(([, number, sign], index) =>
    number === undefined ? lines[index] === '' : sign === mark && Number(number) === first + index,
  );
  if (mark === undefined || !isCounting) return undefined;
  const bodies = found.map(([, , , text = '']) => text);
  if (listMarks.includes(mark) && lineOf(content, first + start) !== bodies[start]?.trim()) return undefined;
  const hasBlank = mark !== '\t' && isBlankTheMarks(texts.new, bodies, content);
  const strip = (line: string) => stripNumber(line, mark, hasBlank);
  const old = texts.old.split('\n').map(strip).join('\n');
  if (sharesLine(texts.new, old.split('\n'))) return { old, new: texts.new };
  const wanted = texts.new.split('\n').map(strip);
  return { old, new: wanted.join('\n') };
}

/** Whether the blank after each mark is the mark's: as the file has it, else not if new_string has these lines from that blank on. */
function isBlankTheMarks(newText: string, bodies: readonly string[], content: string): boolean {
  if (!bodies.every((text) => text === '' || text.startsWith(' '))) return false;
  const text = `\n${content.replaceAll('\r\n', '\n')}\n`;
  const isThere = (lines: readonly string[]) => text.includes(`\n${lines.join('\n')}\n`);
  if (isThere(bodies)) return false;
  return isThere(bodies.map((body) => body.slice(1))) || !sharesLine(newText, bodies);
}

/** Without white space at the ends; lines count from 1. */
function lineOf(content: string, line: number): string | undefined {
  let start = 0;
  for (let at = 1; at < line; at += 1) {
    start = content.indexOf('\n', start) + 1;
    if (start === 0) return undefined;
  }
  const end = content.indexOf('\n', start);
  return content.slice(start, end === -1 ? content.length : end).trim();
}

function stripNumber(line: string, mark: string, hasBlank: boolean): string {
  const [, , sign, text] = numbered.exec(line) ?? [];
  return sign === mark && text !== undefined ? text.slice(hasBlank && text.startsWith(' ') ? 1 : 0) : line;
}

/** Whether a line of `text` that says something is one of `lines`. */
function sharesLine(text: string, lines: readonly string[]): boolean {
  const known = new Set(lines);
  return text.split('\n').some((line) => line.trim() !== '' && known.has(line));
}

/** Whether new_string alone is numbered: pasted as it is, the numbers would stand in the file. */
export function bringsLineNumbers(oldText: string, newText: string): boolean {
  const numberless = withoutNumbers({ old: newText, new: '' }, '')?.old;
  if (numberless === undefined) return false;
  const [old, raw, stripped] = [oldText, newText, numberless].map((text) => text.split('\n').map((line) => line.trim()));
  return sharesLine((stripped ?? []).join('\n'), old ?? []) && !sharesLine((raw ?? []).join('\n'), old ?? []);
}
