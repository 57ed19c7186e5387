// What the model may have meant by its two strings beside what they say: texts copied with line numbers, in a fence, as a patch, or escaped
// once too often. Safe because each is undone as a whole, in both strings alike, and must then stand in the file at one place. Pure.

/** The two strings of an edit, LF only, as they may be meant. */
export interface Reading {
  readonly old: string;
  readonly new: string;
  /** The text was lines of a listing: it begins and ends where lines do. */
  readonly wholeLines: boolean;
  /** What was undone, in words for the model; none in the strings as given. */
  readonly undone: readonly string[];
}

type Texts = Pick<Reading, 'old' | 'new'>;
interface Undo {
  readonly what: string;
  readonly wholeLines: boolean;
  /** The texts without it, or undefined when they have it not. */
  readonly undo: (texts: Texts, content: string) => Texts | undefined;
}

/** In the order in which a text gets them: what is around lines, what is before each, what is within. */
const undos: readonly Undo[] = [
  { what: 'a code fence', wholeLines: true, undo: withoutFence },
  { what: 'line numbers', wholeLines: true, undo: withoutNumbers },
  { what: 'quote marks', wholeLines: true, undo: (texts) => withoutMarks(texts, /^[>|](?: |$)/, /^[>|](?: |$)/) },
  { what: 'HTML entities', wholeLines: false, undo: withoutEntities },
  { what: 'a level of backslashes', wholeLines: false, undo: (texts) => withoutEscapes(texts, anyEscape) },
  { what: 'backslashes before quotes', wholeLines: false, undo: (texts) => withoutEscapes(texts, quoteEscape) },
  { what: 'escapes by code', wholeLines: false, undo: (texts) => withoutEscapes(texts, codeEscape) },
  { what: 'another form of accents', wholeLines: false, undo: (texts) => inForm(texts, 'NFC') },
  { what: 'another form of accents', wholeLines: false, undo: (texts) => inForm(texts, 'NFD') },
];

/** All readings, the plainest first; those of most strings are one. `content` tells what a listing's marks are. */
export function readingsOf(content: string, oldText: string, newText: string): readonly Reading[] {
  const asGiven: Reading = { old: oldText, new: newText, wholeLines: false, undone: [] };
  // The lines of a patch must not be read as lines with a blank too many.
  const patch = withoutPatchMarks(asGiven);
  const readings: Reading[] =
    patch === undefined ? [asGiven] : [{ ...patch, wholeLines: true, undone: ["a patch's marks"] }, asGiven];
  for (const { what, wholeLines, undo } of undos) {
    for (const reading of [...readings]) {
      const texts = undo(reading, content);
      if (texts === undefined || texts.old === reading.old) continue;
      readings.push({ ...texts, wholeLines: wholeLines || reading.wholeLines, undone: [...reading.undone, what] });
    }
  }
  return readings;
}

/** Both wrapped in a code fence; a new_string without one is code all the same. */
function withoutFence(texts: Texts): Texts | undefined {
  const old = insideFence(texts.old);
  return old === undefined ? undefined : { old, new: insideFence(texts.new) ?? texts.new };
}

function insideFence(text: string): string | undefined {
  const lines = text.trim().split('\n');
  const fence = /^(?:`{3,}|~{3,})/.exec(lines[0] ?? '')?.[0];
  return fence !== undefined && lines.length > 2 && lines.at(-1)?.trim() === fence ? lines.slice(1, -1).join('\n') : undefined;
}

/** `12<tab>`, `12:`, `12 |`, `12|`, `12→`, `L12:`, `12.`, `12)`, `[12]`, `12-`, blanks before; and what follows. */
const numbered = /^ *\[?[Ll]?(\d{1,7}) ?([\t:|│→.)\]-])(.*)$/s;
/** People write lists with these, too: then the numbers must be those of the file's lines. */
const listMarks = '.)]-';

/** Every line of old_string numbered in one way and counting up, but for blank ones; and those of new_string, or none of them. */
function withoutNumbers(texts: Texts, content: string): Texts | undefined {
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

/** Lines of a unified patch: ` ` and `-` before those of old_string, ` ` and `+` before those of new_string, at least one of them marked. */
function withoutPatchMarks(texts: Texts): Texts | undefined {
  const isMarked = /^-/m.test(texts.old) || /^\+/m.test(texts.new);
  return isMarked ? withoutMarks(texts, /^(?:[ -]|$)/, /^(?:[ +]|$)/) : undefined;
}

function withoutMarks(texts: Texts, oldMark: RegExp, newMark: RegExp): Texts | undefined {
  const [old, wanted] = [texts.old.split('\n'), texts.new.split('\n')];
  const isMarked = (lines: readonly string[], mark: RegExp) =>
    lines.every((line, index) => mark.test(line) || (line === '' && index === lines.length - 1));
  if (!isMarked(old, oldMark) || !isMarked(wanted, newMark)) return undefined;
  return {
    old: old.map((line) => line.replace(oldMark, '')).join('\n'),
    new: wanted.map((line) => line.replace(newMark, '')).join('\n'),
  };
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const entity = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi;

/** The five entities of XML and numbered ones, once; what old_string has plain was not encoded, and an entity of it in new_string is meant. */
function withoutEntities(texts: Texts): Texts | undefined {
  const plain = texts.old.replace(entity, '');
  const isMeant = [...texts.new.matchAll(entity)].some(([found]) => plain.includes(decodeEntities(found)));
  return isMeant ? undefined : { old: decodeEntities(texts.old), new: decodeEntities(texts.new) };
}

function decodeEntities(text: string): string {
  return text.replace(entity, (whole, name: string | undefined, decimal: string | undefined, hex: string | undefined) => {
    if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

const anyEscape = /\\(?:u([0-9a-fA-F]{4})|([nrtbf"'\\/`]))/g;
const quoteEscape = /\\(?:(never)^|(["'`]))/g;
const codeEscape = /\\u([0-9a-fA-F]{4})/g;
const escaped: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/**
 * What JSON escapes, once; in new_string only what was escaped in old_string too, or it is not known which of the two it meant. A double
 * quote needs no such proof where all of them are escaped.
 */
function withoutEscapes(texts: Texts, pattern: RegExp): Texts | undefined {
  const kinds = kindsOf(texts.old, pattern);
  const plain = (texts.old + texts.new).replace(pattern, '');
  const isKnown = (kind: string) => kinds.has(kind) || (kind === '"' && !plain.includes('"'));
  const isProven = [...kindsOf(texts.new, pattern)].every(isKnown) && (!kinds.has('n') || !texts.new.includes('\n'));
  return isProven ? { old: undoEscapes(texts.old, pattern), new: undoEscapes(texts.new, pattern) } : undefined;
}

function undoEscapes(text: string, pattern: RegExp): string {
  return text
    .replace(pattern, (whole, code: string | undefined, short: string | number | undefined) => {
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      return typeof short === 'string' ? (escaped[short] ?? short) : whole;
    })
    .replaceAll('\r\n', '\n');
}

function kindsOf(text: string, pattern: RegExp): ReadonlySet<string> {
  return new Set([...text.matchAll(pattern)].map(([, code, short = '']) => (code === undefined ? short : 'u')));
}

function inForm(texts: Texts, form: 'NFC' | 'NFD'): Texts {
  return { old: texts.old.normalize(form), new: texts.new.normalize(form) };
}
