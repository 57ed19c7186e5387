// A recorded stream as it may come: split in two at each of its bytes, and broken off at each. In process: there are thousands.
import { parseConnection } from '../../src/provider/connection.ts';
import { createWireProvider, type Wire } from '../../src/provider/wire-provider.ts';
import type { StreamChunk } from '../../src/schema/stream.ts';
import { fetchOf, inPieces } from './byte-server.ts';
import { collect } from './calling.ts';

/** What readers of a vendor's answers say to an answer that comes in these pieces. */
export type Hear = (pieces: readonly Uint8Array[]) => Promise<readonly StreamChunk[]>;

/** A provider without its SDK, which takes its time and has no part in reading an answer. */
export function hearWith(readers: Pick<Wire, 'readResponse' | 'readStream'>): Hear {
  const vendor = { provider: 'v', keyVariable: 'K', urlVariable: 'U', defaultBaseUrl: 'http://127.0.0.1:9', endings: [] };
  let pieces: readonly Uint8Array[] = [];
  const provider = createWireProvider({
    connection: parseConnection(vendor, 'm', { apiKey: 'sk-test', env: {} }),
    send: () => fetchOf(pieces)(vendor.defaultBaseUrl),
    ...readers,
    alwaysStreams: false,
  });
  return async (given) => {
    pieces = given;
    return await collect(provider);
  };
}

/** What is heard of `text`, byte by byte and split in two at each byte: each way of it once, as JSON. */
export async function heardInPieces(hear: Hear, text: string): Promise<ReadonlySet<string>> {
  const bytes = Buffer.from(text);
  const heard = new Set([JSON.stringify(await hear(inPieces(text, 1)))]);
  for (let at = 1; at < bytes.length; at += 1) {
    heard.add(JSON.stringify(await hear([bytes.subarray(0, at), bytes.subarray(at)])));
  }
  return heard;
}

/** How `text` ends when it breaks off at each of its bytes: the last chunk by the number of bytes. */
export async function endsWhenCut(hear: Hear, text: string): Promise<readonly (StreamChunk | undefined)[]> {
  const bytes = Buffer.from(text);
  const ends = [];
  for (let at = 0; at < bytes.length; at += 1) ends.push((await hear([bytes.subarray(0, at)])).at(-1));
  return ends;
}
