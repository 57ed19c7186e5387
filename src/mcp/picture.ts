// What kind of picture some base64 is and how large, by its header: vendors refuse what is not what it is said to be. Pure.

export interface Picture {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly width: number;
  readonly height: number;
}

type Format = readonly [mediaType: Picture['mediaType'], start: RegExp, sizeOf: (bytes: Buffer) => Size | undefined];
type Size = readonly [width: number, height: number];

const formats: readonly Format[] = [
  ['image/png', /^\x89PNG.{8}IHDR/s, (bytes) => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]],
  ['image/jpeg', /^\xff\xd8\xff/, sizeOfJpeg],
  ['image/gif', /^GIF8[79]a/, (bytes) => [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]],
  ['image/webp', /^RIFF....WEBPVP8X/s, (bytes) => [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1]],
  [
    'image/webp',
    /^RIFF....WEBPVP8L/s,
    (bytes) => [(bytes.readUInt32LE(21) & 0x3fff) + 1, ((bytes.readUInt32LE(21) >> 14) & 0x3fff) + 1],
  ],
  ['image/webp', /^RIFF....WEBPVP8 /s, (bytes) => [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff]],
];

/** The picture that `base64` is, of the kinds that models can see; undefined for everything else, and for one without a size. */
export function readPicture(base64: string): Picture | undefined {
  if (!isBase64(base64)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  const start = bytes.toString('latin1', 0, 16);
  const [mediaType, , sizeOf] = formats.find(([, pattern]) => pattern.test(start)) ?? [];
  if (mediaType === undefined || sizeOf === undefined) return undefined;
  try {
    const [width = 0, height = 0] = sizeOf(bytes) ?? [];
    return width === 0 || height === 0 ? undefined : { mediaType, width, height };
  } catch {
    // It ends before its size.
    return undefined;
  }
}

const marker = 0xff;

/** Of its frame, behind segments that say how long they are. */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  let at = 2;
  while (bytes.readUInt8(at) === marker) {
    const kind = bytes.readUInt8(at + 1);
    if (kind === marker) at += 1;
    else if (isFrame(kind)) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** C0 to CF, but for the tables among them (C4, C8, CC). */
function isFrame(kind: number): boolean {
  return kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind);
}

/** What is no letter of it is looked for: a pattern for the whole would need a stack as deep as the text is long. */
function isBase64(text: string): boolean {
  const letters = text.endsWith('==') ? text.slice(0, -2) : text.endsWith('=') ? text.slice(0, -1) : text;
  return text.length % 4 === 0 && letters !== '' && !/[^A-Za-z0-9+/]/.test(letters);
}
