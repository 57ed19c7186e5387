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

  test('G4-09 a looser text than the file holds is not found, and the nearest line is shown', () => {
    const { code, message } = refusal('untouched   \nreplace me   \nafter\n“q” — x\n', 'replace me\nafter', 'x');
    expect([code, message.includes('line 2: "replace me   "')]).toEqual(['NOT_FOUND', true]);
  });

  test('G4-11 indentation that differs is refused with the lines as they are', () => {
    const { code, message } = refusal('def a():\n    return 1\ndef b():\n        return 1\n', '\treturn 1', '\treturn 2');
    expect([code, message.includes('line 2: "    return 1"'), message.includes('line 4: "        return 1"')]).toEqual([
      'NOT_FOUND',
      true,
      true,
    ]);
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

  test('G4-14 line numbers of read_file in old_string are told, and a file that looks so is edited as it is', () => {
    expect(refusal('foo()\nbar()\n', '    12\tfoo()\n    13\tbar()', 'x').code).toBe('LINE_NUMBERS');
    expect(applyEdit('1\tfoo\n2\tbar\n', '1\tfoo', '1\tbaz')).toBe('1\tbaz\n2\tbar\n');
  });

  test('G4-15 backslashes are taken as they are', () => {
    expect(applyEdit('print("a\\\\nb")', 'a\\\\nb', 'C:\\\\new\\\\temp')).toBe('print("C:\\\\new\\\\temp")');
  });

  test('G4-25 the same edit again is told to be applied already, with the line', () => {
    const once = applyEdit('x\na = 1\n', 'a = 1', 'b = 2');
    const { code, message } = refusal(once, 'a = 1', 'b = 2');
    expect([code, message.includes('line 2')]).toEqual(['ALREADY_APPLIED', true]);
  });

  test('G4-28 a file without a final newline stays so, and a newline too much is told', () => {
    expect(applyEdit('a\nb', 'b', 'c')).toBe('a\nc');
    expect(refusal('a\nb', 'b\n', 'c\n').code).toBe('NO_FINAL_NEWLINE');
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

  test('2,000 random edits keep every character outside and say the new text inside', () => {
    const random = createRandom(11);
    const pieces = ['a', 'b', ' ', '\t', '\n', '\r\n', '\r', 'é', '🌍', '$&', '\\n', '“'];
    let done = 0;
    for (let round = 0; round < 2000; round += 1) {
      const text = (length: number) => Array.from({ length }, () => random.pick(pieces)).join('');
      const [before, after] = [text(random.below(30)), text(random.below(30))];
      const core = `<${text(random.below(8))}>`;
      // No lone carriage return: before a line feed it would be read as half of a line end.
      const replacement = text(random.below(8)).replace(/\r(?!\n)|\r(?=\r)/g, '');
      const content = `${before}${core}${after}`;
      const crlf = replacement.replaceAll('\r\n', '\n');
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
      expect(inside.replaceAll('\r\n', '\n')).toBe(crlf);
    }
    expect(done).toBeGreaterThan(1900);
  });
});
