// Random edits of random files through the tool, on a disk: every byte outside the edit is kept, whatever it is.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { applyEdit } from '../../src/tools/edit-file/apply-edit.ts';
import { decodeText, encodeText } from '../../src/tools/text-encoding.ts';
import { createRandom, type Random } from './random.ts';
import { useWorkspace } from './workspace.ts';

const workspace = useWorkspace();

interface Encoding {
  readonly name: string;
  readonly mark: readonly number[];
  readonly characters: readonly string[];
  readonly encode: (text: string) => Buffer;
}

const ascii = [...'abcXYZ 019_{}()"\'\\$&\t'];
const latin = [...ascii, ...'éüßñ'];
const wide = [...latin, '語', '🌍', '💀', '\u00a0', '’', 'e\u0301', '\uFFFD'];
const encodings: readonly Encoding[] = [
  { name: 'UTF-8', mark: [], characters: wide, encode: (text) => Buffer.from(text) },
  { name: 'UTF-8 with a mark', mark: [0xef, 0xbb, 0xbf], characters: wide, encode: (text) => Buffer.from(text) },
  { name: 'UTF-16 LE', mark: [0xff, 0xfe], characters: wide, encode: (text) => Buffer.from(text, 'utf16le') },
  { name: 'UTF-16 BE', mark: [0xfe, 0xff], characters: wide, encode: (text) => Buffer.from(text, 'utf16le').swap16() },
  { name: 'Latin-1', mark: [], characters: latin, encode: (text) => Buffer.from(text, 'latin1') },
  { name: 'bytes', mark: [], characters: ascii, encode: (text) => Buffer.from(text) },
];

interface Case {
  readonly encoding: Encoding;
  readonly before: Buffer;
  readonly after: Buffer;
  readonly oldString: string;
  readonly newString: string;
}

/** A file of which one line holds a word that is nowhere else, and what it must be when another word stands there. */
function randomCase(random: Random, round: number): Case {
  const encoding = random.pick(encodings);
  const text = () => Array.from({ length: random.below(12) }, () => random.pick(encoding.characters)).join('');
  const lineEnds = random.pick([['\n'], ['\r\n'], ['\n', '\r\n'], ['\n', '\r\n', '\r']]);
  // A file of ASCII alone is UTF-8.
  const shown = encoding.name === 'Latin-1' ? 'café, naïve, Müller' : '';
  const lines = Array.from({ length: 1 + random.below(8) }, () => ({
    bytes: encoding.encode(shown + text()),
    end: random.pick(lineEnds),
  }));
  // Bytes that are text in no encoding, or in another one, at the ends of lines.
  if (encoding.name === 'bytes') {
    for (const line of lines)
      line.bytes = Buffer.concat([line.bytes, Buffer.from([1 + random.below(255), 0x80 + random.below(128)])]);
  }
  const at = random.below(lines.length);
  const [word, other] = [
    `word${round}_`,
    random.pick(['', 'other', `$& $1 $$ \\n`, `${random.pick(encoding.characters)}!`, `longer word${round}_ x`]),
  ];
  const [head, tail] = [encoding.encode(shown + text()), encoding.encode(text())];
  const file = (middle: string) => {
    const all = lines.map(({ bytes, end }, index) => [
      ...(index === at ? [head, encoding.encode(middle), tail] : [bytes]),
      index === lines.length - 1 && round % 2 === 0 ? Buffer.alloc(0) : encoding.encode(end),
    ]);
    return Buffer.concat([Buffer.from(encoding.mark), ...all.flat()]);
  };
  return { encoding, before: file(word), after: file(other), oldString: word, newString: other };
}

/** What the tool makes of a file's bytes, without a disk. */
function editedBytes({ before, oldString, newString }: Case): Buffer {
  const decoded = decodeText(before);
  if (decoded === undefined) throw new Error('no text');
  return encodeText({ ...decoded, text: applyEdit(decoded.text, oldString, newString) });
}

function expectSame(now: Buffer, { encoding, before, after }: Case): void {
  if (!now.equals(after)) throw new Error(`${encoding.name}: ${before.toString('hex')}\n${now.toString('hex')}`);
}

test('G4-02 G4-06 G4-07 10,000 random edits of random files keep every byte outside the edit, 2,000 of them on a disk', async () => {
  const { at, call } = workspace();
  const random = createRandom(5);
  const onDisk = new Set<string>();
  for (let round = 0; round < 10_000; round += 1) {
    const each = randomCase(random, round);
    expectSame(editedBytes(each), each);
    if (round % 5 !== 0) continue;
    writeFileSync(at('f'), each.before);
    await call('edit_file', { path: 'f', old_string: each.oldString, new_string: each.newString });
    expectSame(readFileSync(at('f')), each);
    onDisk.add(each.encoding.name);
  }
  expect([...onDisk].sort()).toEqual(encodings.map(({ name }) => name).sort());
}, 180_000);
