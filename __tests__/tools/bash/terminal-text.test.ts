import { describe, expect, test } from '@jest/globals';
import { TerminalText } from '../../../src/tools/bash/terminal-text.ts';
import { createRandom } from '../random.ts';

function shownOf(chunks: readonly Buffer[]): string {
  const pieces: Buffer[] = [];
  const terminal = new TerminalText((text) => pieces.push(Buffer.from(text)));
  for (const chunk of chunks) terminal.add(chunk);
  terminal.end();
  return Buffer.concat(pieces).toString();
}

const shown = (text: string) => shownOf([Buffer.from(text)]);
const byByte = (text: string) => shownOf([...Buffer.from(text)].map((byte) => Buffer.from([byte])));

const cases: readonly (readonly [what: string, written: string, visible: string])[] = [
  ['a colour', '\x1b[31mred\x1b[0m\n', 'red\n'],
  ['colours of 256 and of 24 bits, with colons too', '\x1b[38;5;196ma\x1b[48;2;1;2;3mb\x1b[38:2::1:2:3mc\x1b[m\n', 'abc\n'],
  ['a title that ends in BEL', '\x1b]0;title\x07x\n', 'x\n'],
  ['a title that ends in ST', '\x1b]2;title\x1b\\x\n', 'x\n'],
  ['a title that never ends', 'a\n\x1b]0;title\nvisible\n', 'a\n\nvisible\n'],
  ['a string that another sequence cuts off', '\x1b]0;title\x1b[31mred\n', 'red\n'],
  ['a link', 'see \x1b]8;;https://example.org/\x1b\\the page\x1b]8;;\x1b\\ now\n', 'see the page now\n'],
  ['a device control string', '\x1bPq#0;1~\x1b\\x\n', 'x\n'],
  ['a private message, an application command and a start of string', '\x1b^pm\x1b\\a\x1b_app\x1b\\b\x1bXsos\x1b\\c\n', 'abc\n'],
  ['a choice of character sets', '\x1b(B\x1b)0\x1b%Gx\n', 'x\n'],
  ['keypad modes and a saved cursor', '\x1b=\x1b>\x1b7\x1b8x\n', 'x\n'],
  ['modes of the terminal', '\x1b[?25l\x1b[?2004hx\x1b[?25h\n', 'x\n'],
  [
    'text that was decoded wrongly once, which is no sequence',
    'â\u0080\u009cquoted textâ\u0080\u009d, \u009b3 and more\n',
    'â\u0080\u009cquoted textâ\u0080\u009d, \u009b3 and more\n',
  ],
  [
    'Latin characters behind the same lead byte',
    'caf\u00e9 \u00a9 \u00b0 \u00a0 \u00bf\n',
    'caf\u00e9 \u00a9 \u00b0 \u00a0 \u00bf\n',
  ],
  ['line ends of Windows', 'a\r\nb\r\n', 'a\nb\n'],
  ['line ends with too many carriage returns', 'a\r\r\nb\n', 'a\nb\n'],
  ['a line that is drawn again', 'at 9%\rat 10%\rat 100%\n', 'at 100%\n'],
  ['a last state that has no line end', '\r1%\r2%', '2%'],
  ['a redraw that leaves some of what was there', 'error: no such file\r50%\n', '50%or: no such file\n'],
  ['a redraw that erases first', 'a long line\r\x1b[Kok\n', 'ok\n'],
  ['an erased line', 'a long line\x1b[2K\rok\n', 'ok\n'],
  ['an erased beginning', 'abc\x1b[1Kd\n', 'd\n'],
  ['a redraw in characters of several bytes', '⠋ install\r⠙ install\r✔ install\n', '✔ install\n'],
  ['wide characters over narrow ones, and back', 'ab\r日本\rxy\n', 'xy\n'],
  ['a character of several bytes over one of one byte', 'abc\ré\n', 'ébc\n'],
  ['some of the wide characters of a line drawn again', '日本語\r中国\n', '中国語\n'],
  ['a colour with its numbers over a mode without', 'a\x1b[0;2Db\n', 'ab\n'],
  ['backspaces', 'ab\bc\n', 'ac\n'],
  ['a backspace that nothing follows', 'ab\b\n', 'ab\n'],
  ['bold and underlined text of a manual page', 'N\bNA\bA _\bx\n', 'NA x\n'],
  ['backspaces beyond the beginning of the line', 'a\nb\b\b\bc\n', 'a\nc\n'],
  ['a tab', 'a\tb\n', 'a\tb\n'],
  ['page breaks', 'a\fb\vc\n', 'a\nb\nc\n'],
  ['bells and zeros', 'a\x07\0b\x7f\n', 'ab\n'],
  ['a cursor that goes right', 'a\x1b[5Cb\n', 'a     b\n'],
  ['a cursor that goes to a column', 'abcdef\x1b[3GX\n', 'abXdef\n'],
  ['a cursor that goes left', 'abcdef\x1b[2DX\n', 'abcdXf\n'],
  [
    'lines that are drawn again from above',
    'one: 0%\ntwo: 0%\n\x1b[2A\x1b[2Kone: 50%\n\x1b[2Ktwo: 9%\n\x1b[2A\x1b[2Kone: done\n\x1b[2Ktwo: done\n',
    'one: done\ntwo: done\n',
  ],
  [
    'one of several lines that is drawn again',
    'a: wait\nb: wait\nc: wait\n\x1b[2A\rb: done\x1b[K\x1b[2B\rend\n',
    'a: wait\nb: done\nc: wait\nend\n',
  ],
  ['a list that becomes shorter', 'one\ntwo\nthree\n\x1b[3F\x1b[0Jall done\n', 'all done\n'],
  ['a move by nothing', 'x\n\x1b[2K\x1b[0Ay\n', 'x\ny\n'],
  ['a cleared screen, whose text was seen', 'before\x1b[2J\x1b[Hafter\n', 'before\nafter\n'],
  ['another screen, whose text was seen', 'a\n\x1b[?1049h\x1b[1;1Hfull\x1b[2;1Hscreen\x1b[?1049lb\n', 'a\nfull\nscreen\nb\n'],
  ['a sequence that never ends', 'text\x1b[3', 'text'],
  ['an escape at the end', 'text\x1b', 'text'],
  ['a sequence that is broken off by a line end', 'a\x1b[31\nb\n', 'a\nb\n'],
];

describe('what a terminal shows of', () => {
  test.each(cases)('G5-08 %s', (_, written, visible) => {
    expect(shown(written)).toBe(visible);
  });

  test.each(cases)('G5-08 G5-09 %s, byte by byte', (_, written, visible) => {
    expect(byByte(written)).toBe(visible);
  });

  test('G5-08 500 redraws is the last one', () => {
    const redraws = Array.from({ length: 500 }, (_, index) => `\r${index + 1}%`).join('');
    expect(shown(`start\n${redraws}\nend\n`)).toBe('start\n500%\nend\n');
  });

  test('G5-11 bytes that are no text is those bytes', () => {
    const odd = Buffer.from([0x6f, 0xe9, 0x9b, 0xff, 0xed, 0xa0, 0x80, 0x0a, 0xc2]);
    const pieces: Buffer[] = [];
    const terminal = new TerminalText((text) => pieces.push(Buffer.from(text)));
    terminal.add(odd);
    terminal.end();
    expect(Buffer.concat(pieces)).toEqual(odd);
  });

  test('text without control characters is that text, whatever its length and wherever it is cut', () => {
    const random = createRandom(8);
    const words = ['a', 'żółć', '🌍', '日本語', '\n', '\t', 'word ', '\u00a0', 'x'.repeat(5000)];
    for (let round = 0; round < 40; round += 1) {
      const text = Array.from({ length: random.below(400) }, () => random.pick(words)).join('');
      expect(shownOf(cut(Buffer.from(text), random)) === text).toBe(true);
    }
  });

  test('anything is the same wherever it is cut, and no control character', () => {
    const random = createRandom(9);
    const words = [
      'a',
      'é',
      '🌍',
      '\n',
      '\t',
      '\r',
      '\b',
      '\x1b[',
      '\x1b]',
      '\x1b\\',
      '\x07',
      '\x1b[2A',
      '\x1b[K',
      '\x1b[2K',
      '31',
      ';',
      'm',
      'H',
      'J',
    ].concat(['\x1b[3C', '\x1b[9G', '\x1b[1B', '\x1b[2D', '\x1bM', '\x1b[?1049h', '\f', '\0', 'line of text\n']);
    for (let round = 0; round < 300; round += 1) {
      const text = Array.from({ length: random.below(120) }, () => random.pick(words)).join('');
      const whole = shown(text);
      expect([text, shownOf(cut(Buffer.from(text), random))]).toEqual([text, whole]);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
      expect([text, /[\u0000-\u0008\u000b-\u001f\u007f\ufffd]/.test(whole)]).toEqual([text, false]);
    }
  });

  test('a line of megabytes, drawn again at its end, loses nothing but what was drawn over', () => {
    const text = shown(`${'x'.repeat(3_000_000)}\nprogress 1%\rprogress 2%\n${'y'.repeat(300_000)}\n`);
    expect(text === `${'x'.repeat(3_000_000)}\nprogress 2%\n${'y'.repeat(300_000)}\n`).toBe(true);
  });

  test('a line that is longer than what waits is drawn again without half a character', () => {
    for (const shift of ['', 'x', 'xx']) {
      const text = shown(`${shift}${'語'.repeat(60_000)}\rx\n`);
      expect([text.includes('\uFFFD'), text.length, text.replaceAll('語', '')]).toEqual([
        false,
        shift.length + 60_001,
        `${shift}x\n`,
      ]);
    }
  });

  test('a redraw reaches lines that are far behind only as far as it can, and loses none of them', () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`).join('');
    const text = shown(`${lines}\x1b[3A\x1b[2Knew\x1b[9999B\rend\n`);
    const rest = lines.replace('line 49997\n', 'new\n');
    expect(text === `${rest}end\n`).toBe(true);
  });

  // Each of these is work in the square of its length where somebody looks back over all that waits.
  test.each([
    ['escapes', '\x1b'],
    ['open titles', '\x1b]0;'],
    ['open control sequences', '\x1b['],
    ['digits of one control sequence', '\x1b[1'.concat('1'.repeat(50))],
    ['carriage returns', '\rx'],
    ['backspaces', 'a\b'],
    ['cursors that go up', 'a\n\x1b[99Aé\x1b[99B'],
    ['cursors that go right', '\x1b[999C\x1b[2K'],
    ['characters over others of another length', 'x\ré\r'],
    ['cleared screens', '\x1b[2J\x1b[H'],
  ])('D9 1 MB of %s ends soon, in bounded memory', (_, unit) => {
    const chunk = Buffer.from(unit.repeat(Math.ceil(65_536 / unit.length)));
    let bytes = 0;
    const terminal = new TerminalText((text) => {
      bytes += text.length;
    });
    for (let count = 0; count < 16; count += 1) terminal.add(chunk);
    terminal.end();
    expect(bytes).toBeLessThanOrEqual(16 * chunk.length);
  });
});

function cut(bytes: Buffer, random: ReturnType<typeof createRandom>): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random.below(random.pick([1, 3, 40, 70_000]));
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}
