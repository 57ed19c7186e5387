// The encrypted form of a session file: AES-256-GCM in a small JSON wrapper. Knows no envelope, only bytes.
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { z } from 'zod';
import { isRecord } from '../schema/record.ts';

const ivBytes = 12;
const algorithm = 'aes-256-gcm';

const wrapperSchema = z.object({
  version: z.literal(1),
  encryption: z.literal(algorithm),
  iv: z.base64(),
  tag: z.base64(),
  data: z.base64(),
});

/** Encrypts; the nonce is made from the text itself, so that it never repeats for another text. */
export function encryptSession(plain: Uint8Array, key: Uint8Array): Uint8Array {
  const iv = createHmac('sha256', key).update(plain).digest().subarray(0, ivBytes);
  const cipher = createCipheriv(algorithm, key, iv);
  const data = Buffer.concat([cipher.update(plain), cipher.final()]);
  const wrapper = { version: 1, encryption: algorithm, iv: iv.toString('base64'), tag: cipher.getAuthTag().toString('base64') };
  return Buffer.from(JSON.stringify({ ...wrapper, data: data.toString('base64') }));
}

/** Whether a parsed session file is the encrypted form. */
export function isEncrypted(value: unknown): boolean {
  return isRecord(value) && Object.hasOwn(value, 'encryption');
}

/** The plain bytes; null when the wrapper is damaged or the key is another one. */
export function decryptSession(value: unknown, key: Uint8Array): Uint8Array | null {
  const wrapper = wrapperSchema.safeParse(value);
  if (!wrapper.success) return null;
  try {
    const decipher = createDecipheriv(algorithm, key, Buffer.from(wrapper.data.iv, 'base64'), { authTagLength: 16 });
    decipher.setAuthTag(Buffer.from(wrapper.data.tag, 'base64'));
    return Buffer.concat([decipher.update(Buffer.from(wrapper.data.data, 'base64')), decipher.final()]);
  } catch {
    return null;
  }
}
