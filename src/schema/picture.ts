// What kind of picture some bytes are and how large, by their header: vendors refuse what is not what it is said to be. Pure.

/** Of base64, as the vendors count; a picture that is refused stays in the history and fails every later request. */
export const maxPictureChars = 5 * 1024 * 1024;
/** What Anthropic takes, in pixels. */
export const maxPictureSide = 8_000;

export interface Picture {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly width: number;
  readonly height: number;
}

type Format = readonly [mediaType: Picture['mediaType'], start: RegExp, sizeOf: (bytes: Buffer) => Size | undefined];
type Size = readonly [width: number, height: number];

const formats: readonly Format[] = [
  ['image/png', /^\x89PNG\r\n.\n.{4}IHDR/s, (bytes) => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]],
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

/** The picture that `bytes` are, of the kinds that models can see; undefined for everything else, and for one without a size. */
export function readPicture(bytes: Buffer): Picture | undefined {
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
