// Reads the one entry that a session artifact's zip may have, in memory. Nothing is ever extracted to disk (threats.md G4).
import { crc32, inflateRawSync } from 'node:zlib';

/** The name of the file inside the artifact. */
export const SESSION_FILE = 'session.json';
// A session file is at most 8 MB (memory/envelope.ts); packed it is smaller. Unpacked we read four times that, and no more.
export const MAX_PACKED_BYTES = 8 * 1024 * 1024;
export const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const CENTRAL_SIGNATURE = 0x02014b50;
const CENTRAL_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const ENCRYPTED = 0x1;
const STORED = 0;
const DEFLATED = 8;
const FILE_TYPE_MASK = 0o170000;
const SYMBOLIC_LINK = 0o120000;

export type ZipResult =
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'refused'; readonly reason: string };

/** The content of `session.json`, or why the archive is not one of ours. Never throws. */
export function readSessionZip(archive: Uint8Array): ZipResult {
  if (archive.length > MAX_PACKED_BYTES) return refused(`its archive is larger than ${MAX_PACKED_BYTES} bytes`);
  try {
    return readOnlyEntry(Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength));
  } catch {
    // Offsets that lie outside of the archive, a broken deflate stream, more output than allowed.
    return refused('its archive is damaged or unpacks to too much');
  }
}

function readOnlyEntry(zip: Buffer): ZipResult {
  const end = findEnd(zip);
  if (end === null) return refused('its archive is damaged');
  // 0xffff and 0xffffffff would point to zip64 records, which an archive of 8 MB does not need.
  if (zip.readUInt16LE(end + 10) !== 1 || zip.readUInt16LE(end + 8) !== 1)
    return refused('its archive does not hold exactly one file');
  const entry = readCentral(zip, zip.readUInt32LE(end + 16));
  if (entry === null) return refused('its archive is damaged');
  if (entry.name !== SESSION_FILE) return refused(`its archive holds no ${SESSION_FILE}`);
  if (entry.isEncrypted || entry.isLink) return refused(`its ${SESSION_FILE} is no plain file`);
  if (entry.unpackedBytes > MAX_UNPACKED_BYTES) return refused('its archive unpacks to too much');
  const packed = readPacked(zip, entry);
  const bytes = packed === null ? null : unpack(packed, entry.method);
  if (bytes === null || bytes.length !== entry.unpackedBytes || crc32(bytes) !== entry.checksum)
    return refused('its archive is damaged');
  return { kind: 'file', bytes };
}

interface Entry {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly isLink: boolean;
  readonly method: number;
  readonly checksum: number;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly localOffset: number;
}

/** The end record is the last thing in the file, before a comment that we do not write and do not accept. */
function findEnd(zip: Buffer): number | null {
  const end = zip.length - END_BYTES;
  return end >= 0 && zip.readUInt32LE(end) === END_SIGNATURE ? end : null;
}

function readCentral(zip: Buffer, offset: number): Entry | null {
  if (zip.readUInt32LE(offset) !== CENTRAL_SIGNATURE) return null;
  const nameStart = offset + CENTRAL_BYTES;
  return {
    name: zip.toString('utf8', nameStart, nameStart + zip.readUInt16LE(offset + 28)),
    isEncrypted: (zip.readUInt16LE(offset + 8) & ENCRYPTED) !== 0,
    // The upper half of the external attributes is the Unix mode.
    isLink: (zip.readUInt16LE(offset + 40) & FILE_TYPE_MASK) === SYMBOLIC_LINK,
    method: zip.readUInt16LE(offset + 10),
    checksum: zip.readUInt32LE(offset + 16),
    packedBytes: zip.readUInt32LE(offset + 20),
    unpackedBytes: zip.readUInt32LE(offset + 24),
    localOffset: zip.readUInt32LE(offset + 42),
  };
}

function readPacked(zip: Buffer, entry: Entry): Buffer | null {
  const local = entry.localOffset;
  if (zip.readUInt32LE(local) !== LOCAL_SIGNATURE) return null;
  const start = local + LOCAL_BYTES + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const packed = zip.subarray(start, start + entry.packedBytes);
  return packed.length === entry.packedBytes ? packed : null;
}

function unpack(packed: Buffer, method: number): Buffer | null {
  if (method === STORED) return packed;
  return method === DEFLATED ? inflateRawSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES }) : null;
}

function refused(reason: string): ZipResult {
  return { kind: 'refused', reason };
}
