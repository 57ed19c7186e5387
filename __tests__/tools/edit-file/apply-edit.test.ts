import { describe, expect, test } from '@jest/globals';
import { applyEdit } from '../../../src/tools/edit-file/apply-edit.ts';
import { createRandom } from '../random.ts';

function refusal(content: string, oldString: string, newString: string): { code: string; message: string } {
  try {
    return { code: 'none', message: applyEdit(content, oldString, newString) };
  } catch (error) {
    expect(error).toMatchObject({ name: 'EditError' });
    return error as { code: string; message: string };
  }
}

describe('applyEdit', () => {
  test('[spec 003 edit_file] G4-01 an LF text edits a CRLF file, and what is new gets CRLF', () => {
    expect(applyEdit('a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz')).toBe('x\r\ny\r\nz\r\nc\r\n');
    expect(applyEdit('a\r\nb\r\n', 'b', 'b\nc')).toBe('a\r\nb\r\nc\r\n');
    expect(applyEdit('a\nb\n', 'a\r\nb', 'x\r\nb')).toBe('x\nb\n');
  });

  test('G4-02 in a file of mixed line ends only the edit changes', () => {
    expect(applyEdit('a\r\nb\nc\r\nd\n', 'd', 'D')).toBe('a\r\nb\nc\r\nD\n');
    expect(applyEdit('a\r\nb\nc\r\nd\n', 'a\nb\nc\nd', 'a\nb\nC\nd')).toBe('a\r\nb\nC\r\nd\n');
    expect(applyEdit('x\ny\nx\r\ny\r\n', 'x\ny\n', 'z\ny\n')).toBe('z\ny\nx\r\ny\r\n');
  });

  test('G4-05 dollar patterns are literal, once and for all places', () => {
    const dollars = "$& $$ $1 $` $' $<n>";
    expect(applyEdit('v=OLD;', 'OLD', dollars)).toBe(`v=${dollars};`);
    expect(applyEdit('OLD,OLD', 'OLD', dollars, { replaceAll: true })).toBe(`${dollars},${dollars}`);
  });

  test('G4-07 a byte order mark stays first, whoever mentions it', () => {
    expect(applyEdit('\uFEFFusing A;\n', 'using A;', 'using C;')).toBe('\uFEFFusing C;\n');
    expect(applyEdit('\uFEFFusing A;\n', '\uFEFFusing A;', 'using C;')).toBe('\uFEFFusing C;\n');
    expect(applyEdit('using A;\n', '\uFEFFusing A;', '\uFEFFusing C;')).toBe('using C;\n');
  });

  test('G4-09 a text that differs in white space is found, and only what was asked for changes', () => {
    const file = 'untouched   \nreplace me   \nafter\n“q” — x\n';
    expect(applyEdit(file, 'replace me\nafter', 'replace me\nbehind')).toBe('untouched   \nreplace me   \nbehind\n“q” — x\n');
    expect(applyEdit(file, 'replace me\nafter', 'x')).toBe('untouched   \nx\n“q” — x\n');
  });

  test('G4-11 a text that could mean two places is refused with the lines as they are', () => {
    const { code, message } = refusal('def a():\n    return 1\ndef b():\n        return 1\n', '\treturn 1', '\treturn 2');
    expect([code, message]).toEqual([
      'NOT_UNIQUE',
      'old_string is there 2 times (lines 2, 4). Add lines around it until it is there once, or set replace_all.\n' +
        'line 2: "    return 1"\nline 4: "        return 1"',
    ]);
    expect(applyEdit('def a():\n    return 1\n', '\treturn 1', '\treturn 2')).toBe('def a():\n    return 2\n');
  });

  test('G4-11 an old text that is not there is answered with the nearest place, and how it differs', () => {
    const file = 'a = 1\nlimit = compute(base, 30)\nvalue = other(base)\nz = 9\n';
    const { code, message } = refusal(file, 'limit = compute(base, 20)\nvalue = other(base)', 'x');
    expect([code, message]).toEqual([
      'NOT_FOUND',
      'old_string is not in the file. Nearest: lines 2-3, of which 1 of 2 are the same. If they are meant, give them as they are in the file:\n' +
        'line 2 is "limit = compute(base, 30)", old_string has "limit = compute(base, 20)"',
    ]);
    expect(refusal(file, 'nothing of the kind', 'x').message).toBe(
      'old_string is not in the file. Nothing like it is there: read the file again.',
    );
    expect(refusal(file, 'z = 9\nthe end of everything', 'x').message).toContain('line 4');
  });

  test('G4-12 several places are refused with count and lines, and replace_all changes them all', () => {
    const { code, message } = refusal('foo a\nb\nfoo\nfoo', 'foo', 'bar');
    expect([code, message]).toEqual([
      'NOT_UNIQUE',
      'old_string is there 3 times (lines 1, 3, 4). Add lines around it until it is there once, or set replace_all.',
    ]);
    expect(applyEdit('foo a\nb\nfoo\nfoo', 'foo', 'bar', { replaceAll: true })).toBe('bar a\nb\nbar\nbar');
    expect(refusal('foo', 'foo', 'foo').code).toBe('IDENTICAL');
    expect(refusal('foo', '', 'x').code).toBe('EMPTY_OLD_STRING');
    expect(refusal('', '', 'x').code).toBe('EMPTY_OLD_STRING');
    expect(refusal('aaa', 'aa', 'b').code).toBe('NOT_UNIQUE');
    expect(applyEdit('aaaaa', 'aa', 'b', { replaceAll: true })).toBe('bba');
  });

  test('G4-14 line numbers of read_file are left out, and a file that looks so is edited as it is', () => {
    expect(applyEdit('foo()\nbar()\n', '    12\tfoo()\n    13\tbar()', '    12\tfoo()\n    13\tbaz()')).toBe('foo()\nbaz()\n');
    expect(applyEdit('1\tfoo\n2\tbar\n', '1\tfoo', '1\tbaz')).toBe('1\tbaz\n2\tbar\n');
    expect(refusal('8: alpha 100\n', '7: alpha 100', '7: alpha 101').code).toBe('NOT_FOUND');
    expect(refusal('foo()\nbar()\n', 'foo()\nbar()', '1\tfoo()\n2\tbaz()').code).toBe('LINE_NUMBERS');
  });

  test('G4-15 backslashes are taken as they are', () => {
    expect(applyEdit('print("a\\\\nb")', 'a\\\\nb', 'C:\\\\new\\\\temp')).toBe('print("C:\\\\new\\\\temp")');
  });

  test('G4-25 the same edit again is told to be applied already, with the line', () => {
    const once = applyEdit('x\na = 1\n', 'a = 1', 'b = 2');
    const { code, message } = refusal(once, 'a = 1', 'b = 2');
    expect([code, message.includes('line 2')]).toEqual(['ALREADY_APPLIED', true]);
  });

  test('G4-28 a file without a final newline stays so, whether the texts have one or not', () => {
    expect(applyEdit('a\nb', 'b', 'c')).toBe('a\nc');
    expect(applyEdit('a\nb', 'b\n', 'c\n')).toBe('a\nc');
    expect(applyEdit('a\nb', 'b\n', '')).toBe('a');
  });

  test('a comment that stands for left-out code is refused', () => {
    expect(refusal('f() {\n  a\n  b\n}\n', 'f() {\n  a\n  b\n}', 'g() {\n  // ... rest of code ...\n}').code).toBe('PLACEHOLDER');
    expect(applyEdit('a\n', 'a', 'f(...args)\n# and so on...')).toBe('f(...args)\n# and so on...\n');
  });

  test('F4 a result that would fill the memory is refused with its size', () => {
    const content = 'a'.repeat(1_000_000);
    expect(() => applyEdit(content, 'a', 'b'.repeat(1000), { replaceAll: true })).toThrow(
      expect.objectContaining({ code: 'TOO_LARGE' }),
    );
  });

  test('a file whose lines end in a carriage return alone stays so', () => {
    expect(applyEdit('a\rb\rc\r', 'a\nb', 'a\nx\nb')).toBe('a\rx\rb\rc\r');
  });

  test('10,000 random edits keep every character outside and say the new text inside', () => {
    const random = createRandom(11);
    const pieces = ['a', 'b', ' ', '\t', '\n', '\r\n', 'é', '🌍', '$&', '\\n', '“'];
    let done = 0;
    for (let round = 0; round < 10_000; round += 1) {
      const text = (length: number) => Array.from({ length }, () => random.pick(pieces)).join('');
      const [before, after] = [text(random.below(30)), text(random.below(30))];
      const core = `<${text(random.below(8))}>`;
      const replacement = text(random.below(8));
      const content = `${before}${core}${after}`;
      const wanted = replacement.replaceAll('\r\n', '\n');
      let result: string;
      try {
        result = applyEdit(content, random.pick([core, core.replaceAll('\r\n', '\n')]), replacement);
      } catch (error) {
        expect(error).toMatchObject({ name: 'EditError' });
        continue;
      }
      done += 1;
      expect([result.startsWith(before), result.endsWith(after)]).toEqual([true, true]);
      const inside = result.slice(before.length, result.length - after.length);
      expect(inside.replaceAll('\r\n', '\n')).toBe(wanted);
    }
    expect(done).toBeGreaterThan(9500);
  });

  test('10,000 random edits by a text that was not copied exactly change the one line that they are about, and no other byte', () => {
    const random = createRandom(12);
    let done = 0;
    for (let round = 0; round < 10_000; round += 1) {
      const { content, old, wanted, from, to } = inexactEdit(random);
      let result: string;
      try {
        result = applyEdit(content, old, wanted);
      } catch (error) {
        expect(error).toMatchObject({ name: 'EditError' });
        continue;
      }
      done += 1;
      const inside = result.slice(from, result.length - (content.length - to));
      expect([result.slice(0, from), result.slice(result.length - (content.length - to))]).toEqual([
        content.slice(0, from),
        content.slice(to),
      ]);
      expect(inside.trim()).toBe('changed(here)');
    }
    expect(done).toBeGreaterThan(9500);
  });
});

/** A file with odd white space, and an edit of one line of it by strings whose white space is another; `from`…`to` is that line. */
function inexactEdit(random: ReturnType<typeof createRandom>) {
  const lines = Array.from({ length: 12 }, (_unused, index) => {
    const indent = '  '.repeat(1 + random.below(3));
    return {
      indent,
      body: `name${index}${'abc'[random.below(3)]}(value${random.below(100)})`,
      trailing: random.pick(['', '', ' ', '\t']),
    };
  });
  const ends = lines.map(() => random.pick(['\n', '\n', '\r\n', '\n\n', '\n \n']));
  const texts = lines.map(({ indent, body, trailing }, index) => indent + body + trailing + ends[index]);
  const [first, length] = [random.below(9), 1 + random.below(3)];
  const at = first + random.below(length);
  const shift = random.pick([
    (indent: string) => indent.slice(2),
    (indent: string) => `  ${indent}`,
    (indent: string) => '\t'.repeat(indent.length / 2),
  ]);
  const copied = lines.slice(first, first + length).map(({ indent, body }) => shift(indent) + body);
  const changed = copied.map((text, index) => (index === at - first ? `${/^\s*/.exec(text)?.[0]}changed(here)` : text));
  const from = texts.slice(0, at).join('').length;
  const line = lines[at];
  return {
    content: texts.join(''),
    old: copied.join('\n'),
    wanted: changed.join('\n'),
    from,
    to: from + (line === undefined ? 0 : line.indent.length + line.body.length + line.trailing.length),
  };
}
