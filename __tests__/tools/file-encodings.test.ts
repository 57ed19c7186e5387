// Files in other encodings than plain UTF-8, as bytes on a disk: what is shown of them, what is written into them, what is refused.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { useWorkspace } from './workspace.ts';

const workspace = useWorkspace();
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16le = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');
const utf16be = (text: string) => utf16le(text).swap16();

/** The bytes of a file after an edit of `x = 1` in it. */
async function edited(bytes: Buffer, newString: string): Promise<{ readonly bytes: Buffer; readonly text: string }> {
  const { at, call } = workspace();
  writeFileSync(at('f'), bytes);
  const { text } = await call('edit_file', { path: 'f', old_string: 'x = 1', new_string: newString });
  return { bytes: readFileSync(at('f')), text };
}

describe('edit_file', () => {
  test.each([
    ['Latin-1', [0xe9]],
    ['GBK', [0xd6, 0xd0]],
    ['Shift-JIS', [0x83, 0x5c]],
    ['half a character at the end', [0xf0, 0x9f]],
    ['every byte but NUL', Array.from({ length: 255 }, (_, byte) => byte + 1)],
  ])('G4-06 an ASCII edit leaves bytes that are not UTF-8 (%s) as they are', async (_name, odd) => {
    const file = (value: string) =>
      Buffer.concat([
        Buffer.from(`const x = ${value};\n// caf`),
        Buffer.from(odd),
        Buffer.from('\nz'),
        Buffer.from(odd),
        Buffer.from('\r\n'),
      ]);
    expect((await edited(file('1'), 'x = 2')).bytes).toEqual(file('2'));
  });

  test('G4-06 what is new in a Latin-1 file is Latin-1', async () => {
    const { bytes, text } = await edited(latin1('const x = 1;\n// café\n'), 'x = "ü"');
    expect(bytes).toEqual(latin1('const x = "ü";\n// café\n'));
    expect(text).toContain('2\t// café');
  });

  test('G4-06 a line of a Latin-1 file is found as it is read', async () => {
    const { at, call } = workspace();
    writeFileSync(at('f'), latin1('a\n// café crème\nb\n'));
    await call('edit_file', { path: 'f', old_string: '// café crème', new_string: '// café noir' });
    expect(readFileSync(at('f'))).toEqual(latin1('a\n// café noir\nb\n'));
  });

  test.each([
    ['Latin-1', latin1('const x = 1;\n// caf\xe9\n'), '"€" (line 2) cannot be written: the file is in Latin-1'],
    ['GBK', Buffer.from([...Buffer.from('x = 1;\n'), 0xd6, 0xd0]), '"€" (line 2) cannot be written: the file is not UTF-8'],
  ])('G4-06 what a %s file cannot hold is refused by character and line, and the file stays', async (_name, before, words) => {
    const { bytes, text } = await edited(before, 'x = 1; \ny = "€"');
    expect(text).toContain(words);
    expect(bytes).toEqual(before);
  });

  test('G4-06 the mark for odd bytes, copied from what was read, is never written', async () => {
    const { at, call } = workspace();
    const before = Buffer.from([...Buffer.from('é à ü\nlet a = '), 0xe9, ...Buffer.from(';\nlet b = 1;\n')]);
    writeFileSync(at('f'), before);
    expect((await call('read_file', { path: 'f' })).text).toContain('2\tlet a = \uFFFD;');
    const calls = [
      call('edit_file', { path: 'f', old_string: 'let b = 1;', new_string: 'let a = \uFFFD;\nlet b = 2;' }),
      call('edit_file', { path: 'f', old_string: 'let a = \uFFFD;', new_string: 'let a = \uFFFD + 1;' }),
      call('write_file', { path: 'f', content: 'é à ü\nlet a = \uFFFD;\nlet b = 2;\n' }),
    ];
    const answers = await Promise.all(calls);
    expect(answers.map(({ isError }) => isError)).toEqual([true, true, true]);
    expect(answers[1]?.text).toContain('In old_string leave out "\uFFFD": it stands for bytes that are not UTF-8.');
    expect(readFileSync(at('f'))).toEqual(before);
    await call('edit_file', { path: 'f', old_string: 'let b = 1;', new_string: 'let b = "ö";' });
    expect(readFileSync(at('f'))).toEqual(
      Buffer.from([...Buffer.from('é à ü\nlet a = '), 0xe9, ...Buffer.from(';\nlet b = "ö";\n')]),
    );
  });

  test('a mark of odd bytes that is really in a text may be written', async () => {
    expect((await edited(Buffer.from('x = 1 // \uFFFD\n'), 'x = "\uFFFD"')).bytes.toString()).toBe('x = "\uFFFD" // \uFFFD\n');
  });

  test('half of a pair of surrogates is refused by the name of its field', async () => {
    const { at, call } = workspace();
    writeFileSync(at('f'), 'x');
    expect((await call('edit_file', '{"path":"f","old_string":"x","new_string":"\\ud83d"}')).text).toContain(
      '- "new_string" is "\\ud83d"; expected: a text without lone surrogates.',
    );
    expect((await call('write_file', '{"path":"f","content":"\\udc80"}')).text).toContain('- "content" is');
    expect(readFileSync(at('f'), 'utf8')).toBe('x');
  });

  test('emoji that share half of their pair are changed as whole characters', async () => {
    expect((await edited(Buffer.from('😀 x = 1 😀'), 'x = 😁')).bytes.toString()).toBe('😀 x = 😁 😀');
    const { at, call } = workspace();
    writeFileSync(at('g'), Buffer.from([0xff, ...Buffer.from(' é à 😀 ü')]));
    await call('edit_file', { path: 'g', old_string: '😀', new_string: '😁' });
    expect(readFileSync(at('g'))).toEqual(Buffer.from([0xff, ...Buffer.from(' é à 😁 ü')]));
  });

  test.each([
    ['LE', utf16le],
    ['BE', utf16be],
  ])('G4-07 UTF-16 %s keeps its mark, its encoding and its line ends', async (_name, encode) => {
    const { bytes, text } = await edited(encode('const x = 1;\r\n// é 🌍\r\n'), 'x = "語"\ny');
    expect(bytes).toEqual(encode('const x = "語"\r\ny;\r\n// é 🌍\r\n'));
    expect(text).toContain('1\tconst x = "語"\n2\ty;');
  });

  test('G4-07 the byte order mark of UTF-8 stays the first three bytes, whoever mentions it', async () => {
    const { at, call } = workspace();
    for (const [old, wanted] of [
      ['using A;', 'using C;'],
      ['\uFEFFusing C;', 'using D;'],
      ['using D;', '\uFEFFusing E;'],
    ]) {
      if (old === 'using A;') writeFileSync(at('a.cs'), '\uFEFFusing A;\nclass B {}\n');
      await call('edit_file', { path: 'a.cs', old_string: old, new_string: wanted });
    }
    expect(readFileSync(at('a.cs'), 'utf8')).toBe('\uFEFFusing E;\nclass B {}\n');
  });

  test('UTF-16 without its mark is not guessed, but told', async () => {
    const { bytes, text } = await edited(Buffer.from('const x = 1;\n', 'utf16le'), 'x = 2');
    expect(bytes).toEqual(Buffer.from('const x = 1;\n', 'utf16le'));
    expect(text).toBe('"f" is binary data, or UTF-16LE without a byte order mark; edit_file changes text only.');
  });
});

describe('write_file over a file', () => {
  const overwritten = async (before: Buffer, content: string, path = 'f') => {
    const { at, call } = workspace();
    writeFileSync(at(path), before);
    const { text } = await call('write_file', { path, content });
    return { bytes: readFileSync(at(path)), text };
  };

  const lineEndCases: readonly (readonly [string, string, string, readonly [string, string]])[] = [
    ['CRLF stays', 'a\r\nb\r\n', 'c\nd', ['c\r\nd', '4 bytes, 2 lines, CRLF line ends kept']],
    ['LF stays', 'a\nb\n', 'c\r\nd\r\n', ['c\nd\n', '4 bytes, 2 lines, LF line ends kept']],
    ['mixed: as given', 'a\r\nb\n', 'c\nd\n', ['c\nd\n', '4 bytes, 2 lines']],
    ['mixed content: as given', 'a\r\nb\r\n', 'c\nd\r\n', ['c\nd\r\n', '5 bytes, 2 lines']],
    ['one line: as given', 'a', 'c\nd\n', ['c\nd\n', '4 bytes, 2 lines']],
    ['empty', '', 'c\r\n', ['c\r\n', '3 bytes, 1 line']],
    ['to empty', 'a\r\n', '', ['', '0 bytes']],
  ];
  test.each(lineEndCases)('line ends: %s', async (_name, before, content, [after, facts]) => {
    expect(await overwritten(Buffer.from(before), content)).toEqual({
      bytes: Buffer.from(after),
      text: `Overwrote f: ${facts}.`,
    });
  });

  test.each([
    ['a byte order mark', Buffer.from('\uFEFFold'), Buffer.from('\uFEFFé'), '5 bytes, 1 line'],
    ['UTF-16 LE', utf16le('old'), utf16le('é'), '4 bytes, 1 line, UTF-16 LE kept'],
    ['UTF-16 BE', utf16be('old'), utf16be('é'), '4 bytes, 1 line, UTF-16 BE kept'],
    ['Latin-1', latin1('caf\xe9'), latin1('é'), '1 bytes, 1 line, Latin-1 kept'],
    ['data', Buffer.from([0, 1, 0xff]), Buffer.from('é'), '2 bytes, 1 line'],
  ])('G4-07 keeps %s', async (name, before, after, words) => {
    expect(await overwritten(before, 'é')).toEqual({ bytes: after, text: `Overwrote f: ${words}.` });
    const isMarked = !['Latin-1', 'data'].includes(name);
    expect((await overwritten(before, `${isMarked ? '\uFEFF' : ''}é`, 'g')).bytes).toEqual(after);
  });

  test('what the encoding cannot hold is refused, and the file stays', async () => {
    const { bytes, text } = await overwritten(latin1('caf\xe9'), 'a\n日本');
    expect([bytes, text]).toEqual([
      latin1('caf\xe9'),
      'write_file: "日" (line 2) cannot be written: the file is in Latin-1, which has no such character. Nothing was changed. ' +
        'Write it with characters that the file can hold, or convert the file to UTF-8 first (iconv)',
    ]);
  });
});

describe('read_file', () => {
  const shown = async (bytes: Buffer, args: object = {}) => {
    const { at, call } = workspace();
    writeFileSync(at('f'), bytes);
    return (await call('read_file', { path: 'f', ...args })).text;
  };

  test('G4-23 names the encoding of what is not UTF-8', async () => {
    expect([
      await shown(utf16le('é\r\n🌍\r\n')),
      await shown(utf16be('é\n')),
      await shown(Buffer.from([...Buffer.from('it'), 0x92, ...Buffer.from('s\n')])),
      await shown(Buffer.from([0xd6, 0xd0, 0x0a])),
      await shown(Buffer.from('\uFEFF')),
      await shown(utf16le('')),
    ]).toEqual([
      '1\té\n2\t🌍\n[2 lines; lines end in CRLF, edit_file adapts; UTF-16 LE, not UTF-8; edit_file keeps it]',
      '1\té\n[1 line; UTF-16 BE, not UTF-8; edit_file keeps it]',
      '1\tit’s\n[1 line; Windows-1252, not UTF-8; edit_file keeps it]',
      '1\t\uFFFD\uFFFD\n[1 line; not valid UTF-8: \uFFFD stands for bytes that edit_file keeps]',
      '(empty file)',
      '(empty file)',
    ]);
  });

  test.each([
    ['UTF-16 LE', utf16le],
    ['UTF-16 BE', utf16be],
    ['Latin-1', latin1],
  ])('a file of %s that is too large to be loaded is paged all the same', async (name, encode) => {
    const text = await shown(encode(`é${'lines of text é\n'.repeat(800_000)}`), { offset: 400_000, limit: 1 });
    expect(text).toBe(
      `400000\tlines of text é\n[line 400000 of 800000; read on with offset=400001; ${name}, not UTF-8; edit_file keeps it]`,
    );
  });

  test('characters at the edges of pieces stay whole', async () => {
    const line = `${'🌍'.repeat(99)}a\n`;
    for (const encode of [utf16le, utf16be, (text: string) => Buffer.from(text)]) {
      const text = await shown(encode(line.repeat(60_000)), { offset: 33_000, limit: 20 });
      expect(text).not.toContain('\uFFFD');
    }
  });
});
