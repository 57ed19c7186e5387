// The session file: seals a body into an envelope and opens one with a reason for every refusal. Never touches disk or network.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson, hashOf } from '../schema/canonical-json.ts';
import type { Trust } from '../schema/gate.ts';
import { isRecord } from '../schema/record.ts';
import type { SessionBody, SessionEnvelope } from '../schema/session.ts';
import { sessionEnvelopeSchema } from '../schema/session.ts';
import { decryptSession, encryptSession, isEncrypted } from './encryption.ts';
import { lowerTrust } from './history.ts';
import { parseHostileJson } from './hostile-json.ts';
import type { SessionKey } from './session-key.ts';
import { shortenRecords } from './shorten-records.ts';

// Download and parse stay quick, and a thread's history fits a model's window long before (DESIGN.md, The engine).
const maxEnvelopeBytes = 8 * 1024 * 1024;
// The MAC, its name and the wrapping brace.
const macBytes = 128;

/** What an envelope is held against. */
export interface EnvelopeExpectations {
  readonly key: SessionKey | null;
  readonly threadKey: string;
  readonly repositoryId: number;
  readonly planTrust: Trust;
}

/** `reason` is the rest of a sentence that begins "The earlier session was not used: …". */
export type OpenedEnvelope =
  | { readonly kind: 'opened'; readonly envelope: SessionEnvelope; readonly hash: string; readonly quoteOnly: boolean }
  | { readonly kind: 'refused'; readonly code: EnvelopeRefusal; readonly reason: string };

export type EnvelopeRefusal = 'no_key' | 'damaged' | 'mac' | 'thread' | 'version' | 'sequence' | 'schema';

/** Signs the body (and encrypts the file when the key can). What is beyond `maxBytes` is left out, the oldest first. */
export function sealEnvelope(
  body: SessionBody,
  key: SessionKey | null,
  maxBytes = maxEnvelopeBytes,
): { readonly envelope: SessionEnvelope; readonly bytes: Uint8Array } {
  // An encrypted file is base64: four bytes for three.
  const budget = key?.encryption == null ? maxBytes : Math.floor((maxBytes * 3) / 4) - macBytes;
  const overhead = Buffer.byteLength(canonicalJson({ ...body, records: [] })) + macBytes;
  const records = shortenRecords(body.records, budget - overhead, body.updatedAt);
  const sealed: SessionBody = { ...body, records };
  const envelope: SessionEnvelope = { ...sealed, mac: key === null ? null : macOf(sealed, key).toString('hex') };
  // The MAC is over the canonical form; the file keeps the order of keys that a vendor's block came with.
  const plain = Buffer.from(JSON.stringify(envelope));
  return { envelope, bytes: key?.encryption == null ? plain : encryptSession(plain, key.encryption) };
}

/** Opens a session file. Never throws: MAC, thread, sequence, schema, trust, in this order; provenance was the store's to check. */
export function openEnvelope(bytes: Uint8Array, expected: EnvelopeExpectations): OpenedEnvelope {
  const { key } = expected;
  if (key === null) return refused('no_key', 'there is no `session_secret` and no model key to check it with');
  const decoded = decode(bytes, key);
  if (decoded.kind === 'refused') return decoded;
  const { mac, ...body } = decoded.value;
  if (!isSignedBy(body, mac, key)) return refused('mac', 'its signature does not fit (the key may have changed)');
  const binding = checkBinding(body, expected);
  if (binding !== null) return binding;
  const parsed = sessionEnvelopeSchema.safeParse({ ...body, mac });
  if (!parsed.success) return refused('schema', 'its content is not of this version of harness9');
  if (parsed.data.records.some((record) => record.type === 'message' && record.message.role === 'system')) {
    return refused('schema', 'it holds a system prompt');
  }
  const isLessTrusted = lowerTrust(parsed.data.trust, expected.planTrust) !== expected.planTrust;
  return { kind: 'opened', envelope: parsed.data, hash: hashOf(parsed.data), quoteOnly: isLessTrusted };
}

type Decoded =
  | { readonly kind: 'decoded'; readonly value: Readonly<Record<string, unknown>> }
  | Extract<OpenedEnvelope, { kind: 'refused' }>;

function decode(bytes: Uint8Array, key: SessionKey): Decoded {
  const outer = parseHostileJson(bytes);
  if (!isEncrypted(outer)) return decodedObject(outer);
  const plain = key.encryption === null ? null : decryptSession(outer, key.encryption);
  return plain === null
    ? refused('mac', 'it is encrypted with another `session_secret`')
    : decodedObject(parseHostileJson(plain));
}

function decodedObject(value: unknown): Decoded {
  return isRecord(value) ? { kind: 'decoded', value } : refused('damaged', 'its file is damaged');
}

function checkBinding(body: Readonly<Record<string, unknown>>, expected: EnvelopeExpectations): OpenedEnvelope | null {
  const { version, threadKey, provenance, sequence } = body;
  if (version !== 1)
    return refused('version', `its format is version ${JSON.stringify(version)?.slice(0, 20)}, this harness9 reads version 1`);
  const repositoryId = isRecord(provenance) ? provenance.repositoryId : null;
  if (threadKey !== expected.threadKey || repositoryId !== expected.repositoryId) {
    return refused('thread', 'it belongs to another thread or repository');
  }
  return Number.isSafeInteger(sequence) && Number(sequence) >= 0
    ? null
    : refused('sequence', 'its place in the thread is unreadable');
}

function macOf(body: unknown, key: SessionKey): Buffer {
  return createHmac('sha256', key.mac).update(canonicalJson(body)).digest();
}

function isSignedBy(body: unknown, mac: unknown, key: SessionKey): boolean {
  const expected = macOf(body, key);
  const given = typeof mac === 'string' && /^[0-9a-f]{64}$/.test(mac) ? Buffer.from(mac, 'hex') : Buffer.alloc(expected.length);
  return timingSafeEqual(given, expected);
}

function refused(code: EnvelopeRefusal, reason: string): Extract<OpenedEnvelope, { kind: 'refused' }> {
  return { kind: 'refused', code, reason };
}
