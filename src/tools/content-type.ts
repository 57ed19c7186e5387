// Telling text from other content by its first bytes. Pure.

const signatures: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ['a PNG image', [0x89, 0x50, 0x4e, 0x47]],
  ['a JPEG image', [0xff, 0xd8, 0xff]],
  ['a GIF image', [0x47, 0x49, 0x46, 0x38]],
  ['a PDF document', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['a ZIP archive', [0x50, 0x4b, 0x03, 0x04]],
  ['gzip data', [0x1f, 0x8b]],
  ['an ELF program', [0x7f, 0x45, 0x4c, 0x46]],
  ['UTF-16 text (convert it with iconv)', [0xff, 0xfe]],
  ['UTF-16 text (convert it with iconv)', [0xfe, 0xff]],
];

/** `text`, or what it is instead. A NUL in `start` makes it binary; bytes that are not UTF-8 do not (G4-23). */
export function describeContentType(start: Uint8Array): string {
  const known = signatures.find(([, bytes]) => bytes.every((byte, index) => start[index] === byte));
  if (known !== undefined) return known[0];
  return start.includes(0) ? 'binary data' : 'text';
}
