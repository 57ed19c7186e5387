// In which encoding a file's bytes are text, and the way back to the very same bytes. Pure; what it cannot know it does not guess.
import { isUtf8 } from 'node:buffer';
import { Harness9Error } from '../schema/error.ts';
import { wholeCharacters } from '../schema/head-and-tail.ts';
import { decodeAsOddBytes, decodeWithOddBytes, encodeWithOddBytes } from './odd-bytes.ts';

/** `encode(decode(bytes))` are `bytes`, whatever they are: in an edited text stands every byte that the edit left alone. */
export interface TextEncoding {
  readonly name: 'UTF-8' | 'UTF-16 LE' | 'UTF-16 BE' | 'Latin-1' | 'Windows-1252' | 'unknown';
  /** The byte order mark in front of the text, which is no part of it. */
  readonly mark: Buffer;
  /** Whether it says every byte; else some are half a character in the text, which nobody can ask for. */
  readonly isWhole: boolean;
  /** A character that it cannot write. */
  readonly unwritable: RegExp | undefined;
  decode(bytes: Buffer): string;
  encode(text: string): Buffer;
}

/** Text, with the encoding that it came in. */
export interface DecodedText {
  readonly text: string;
  readonly encoding: TextEncoding;
}

const utf8: TextEncoding = {
  name: 'UTF-8',
  mark: Buffer.alloc(0),
  isWhole: true,
  unwritable: undefined,
  decode: (bytes) => bytes.toString('utf8'),
  encode: (text) => Buffer.from(text),
};
const brokenUtf8: TextEncoding = {
  ...utf8,
  isWhole: false,
  decode: (bytes) => decodeWithOddBytes(bytes).text,
  encode: encodeWithOddBytes,
};
/** Encodings of East Asia, Cyrillic ones and the like. They keep ASCII, so that is what can be written. */
const unknown: TextEncoding = {
  ...brokenUtf8,
  name: 'unknown',
  unwritable: /[^\0-\x7f\udc80-\udcff]/u,
  decode: decodeAsOddBytes,
};
const utf16le: TextEncoding = {
  ...utf8,
  name: 'UTF-16 LE',
  decode: (bytes) => bytes.toString('utf16le'),
  encode: (text) => Buffer.from(text, 'utf16le'),
};
const utf16be: TextEncoding = {
  ...utf8,
  name: 'UTF-16 BE',
  decode: (bytes) => Buffer.from(bytes).swap16().toString('utf16le'),
  encode: (text) => Buffer.from(text, 'utf16le').swap16(),
};
const latin1: TextEncoding = {
  ...utf8,
  name: 'Latin-1',
  unwritable: /[^\0-\xff]/u,
  decode: (bytes) => bytes.toString('latin1'),
  encode: (text) => Buffer.from(text, 'latin1'),
};
/** What stands there for 0x80 to 0x9f; five have no character. */
const windowsMarks = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const windows1252: TextEncoding = {
  ...latin1,
  name: 'Windows-1252',
  unwritable: new RegExp(`[^\\0-\\x7f\\xa0-\\xff${windowsMarks.replaceAll(/[\x80-\x9f]/g, '')}]`, 'u'),
  decode: (bytes) =>
    bytes.toString('latin1').replaceAll(/[\x80-\x9f]/g, (mark) => windowsMarks[mark.charCodeAt(0) - 0x80] ?? mark),
  encode: (text) => {
    const byByte = text.replaceAll(/[^\0-\x7f\xa0-\xff]/g, (mark) => String.fromCharCode(0x80 + windowsMarks.indexOf(mark)));
    return Buffer.from(byByte, 'latin1');
  },
};

const marks: readonly (readonly [mark: Buffer, encoding: TextEncoding])[] = [
  [Buffer.from([0xef, 0xbb, 0xbf]), utf8],
  [Buffer.from([0xff, 0xfe]), utf16le],
  [Buffer.from([0xfe, 0xff]), utf16be],
];

/**
 * The encoding of a file, or undefined when it is no text: it has a NUL character, which no text has. UTF-16 is known by its mark only.
 * `isStart`: of a file that goes on, so that the last character may be cut in two, which would count as none.
 */
export function detectEncoding(bytes: Buffer, isStart = false): TextEncoding | undefined {
  const [mark, marked] = marks.find(([start]) => bytes.subarray(0, start.length).equals(start)) ?? [utf8.mark, utf8];
  const all = bytes.subarray(mark.length);
  const content = isStart ? withoutLast(all, marked) : all;
  if (marked === utf8) return all.includes(0) ? undefined : { ...withoutMark(content), mark };
  return content.length % 2 === 1 || marked.decode(content).includes('\0') ? undefined : { ...marked, mark };
}

/** Without the last character, or what is there of it. */
function withoutLast(bytes: Buffer, encoding: TextEncoding): Buffer {
  if (encoding !== utf8) return bytes.subarray(0, bytes.length - (bytes.length % 2));
  return bytes.subarray(0, wholeCharacters(bytes, 0, bytes.length - 1).length);
}

/** The text of a whole file, without its mark; undefined when it is no text. */
export function decodeText(bytes: Buffer): DecodedText | undefined {
  const encoding = detectEncoding(bytes);
  return encoding === undefined ? undefined : { text: encoding.decode(bytes.subarray(encoding.mark.length)), encoding };
}

/** The bytes of `text` in the encoding of the file, its mark included. Throws TEXT_UNWRITABLE for a character that it does not have. */
export function encodeText({ text, encoding }: DecodedText): Buffer {
  const found = encoding.unwritable?.exec(text);
  if (found !== null && found !== undefined) throw unwritable(text, found, encoding);
  return Buffer.concat([encoding.mark, encoding.encode(text)]);
}

function unwritable(text: string, { 0: character, index }: RegExpExecArray, { name }: TextEncoding): Harness9Error {
  const line = text.slice(0, index).split('\n').length;
  const where = `${JSON.stringify(character)} (line ${line})`;
  return new Harness9Error({
    code: 'TEXT_UNWRITABLE',
    message:
      name === 'unknown'
        ? `${where} cannot be written: the file is not UTF-8 and its encoding is not known. Nothing was changed`
        : `${where} cannot be written: the file is in ${name}, which has no such character. Nothing was changed`,
    hint: 'Write it with characters that the file can hold, or convert the file to UTF-8 first (iconv)',
  });
}

function withoutMark(bytes: Buffer): TextEncoding {
  if (isUtf8(bytes)) return utf8;
  const { wholeCharacters, oddBytes } = decodeWithOddBytes(bytes);
  if (wholeCharacters >= oddBytes) return brokenUtf8;
  if (!isLatin(bytes)) return unknown;
  return /[\x80-\x9f]/.test(bytes.toString('latin1')) ? windows1252 : latin1;
}

/**
 * Letters of other encodings, where texts in Windows-1252 have next to nothing, or have quotes and signs, which stand within no word: code
 * pages of DOS, of the Mac, of Central Europe.
 */
const foreign =
  /[\x81\x83\x86-\x8a\x8d-\x90\x98\x9a\x9d-\x9f]|[A-Za-z][\x80\x82\x84\x91\x93\x94\xa1-\xa9\xab\xac\xae-\xb4\xb6\xb8\xb9\xbb-\xbf][A-Za-z]/;

/** In Western languages most letters beyond ASCII stand alone among others; elsewhere they are whole words, or come in twos. */
function isLatin(bytes: Buffer): boolean {
  if (foreign.test(bytes.toString('latin1'))) return false;
  let [alone, together] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const start = at;
    while ((bytes[at] ?? 0) >= 0x80) at += 1;
    if (at - start === 1) alone += 1;
    else if (at > start) together += 1;
  }
  return alone > together;
}

/** A function that turns the text's bytes, in pieces of any size, into UTF-8. */
export function createTranscoder({ name, decode }: TextEncoding): (bytes: Buffer) => Buffer {
  if (name === 'UTF-8') return (bytes) => bytes;
  if (name !== 'UTF-16 LE' && name !== 'UTF-16 BE') return (bytes) => Buffer.from(decode(bytes));
  const decoder = new TextDecoder(name === 'UTF-16 LE' ? 'utf-16le' : 'utf-16be', { ignoreBOM: true });
  return (bytes) => Buffer.from(decoder.decode(bytes, { stream: true }));
}
