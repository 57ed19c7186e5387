// What a file is that is no text, by its first bytes. Pure.

const signatures: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ['a PNG image', [0x89, 0x50, 0x4e, 0x47]],
  ['a JPEG image', [0xff, 0xd8, 0xff]],
  ['a GIF image', [0x47, 0x49, 0x46, 0x38]],
  ['a PDF document', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['a ZIP archive', [0x50, 0x4b, 0x03, 0x04]],
  ['gzip data', [0x1f, 0x8b]],
  ['an ELF program', [0x7f, 0x45, 0x4c, 0x46]],
  ['an SQLite database', [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66]],
];

/** The name of what begins with `start` as text does not; undefined: it may be anything else. */
export function findSignature(start: Buffer): string | undefined {
  if (start.toString('latin1', 0, 4) === 'RIFF' && start.toString('latin1', 8, 12) === 'WEBP') return 'a WebP image';
  return signatures.find(([, bytes]) => bytes.every((byte, index) => start[index] === byte))?.[0];
}

/** What has no signature in words. UTF-16 without its mark is not read, since it may be data all the same; but it is said what it looks like. */
export function describeData(start: Buffer): string {
  let [even, odd] = [0, 0];
  for (let at = 0; at < start.length; at += 1) {
    if (start[at] !== 0) continue;
    if (at % 2 === 0) even += 1;
    else odd += 1;
  }
  const most = Math.max(3, start.length / 4);
  if (odd > most && even === 0) return 'binary data, or UTF-16LE without a byte order mark';
  return even > most && odd === 0 ? 'binary data, or UTF-16BE without a byte order mark' : 'binary data';
}
