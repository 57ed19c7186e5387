// Owns the forms in which people paste an app's private key; pure. The key is never part of an error.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { Harness9Error } from '../../schema/error.ts';

const pem = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]+?)-----END \1-----/;
/** Between an encoded key's first and last character there is nothing else. */
const base64 = /^[A-Za-z0-9+/_=\s-]+$/;
/** How PEM breaks its lines (RFC 7468). */
const lineLength = 64;

/**
 * The key as PKCS#8, which the web crypto wants. Taken are PKCS#1 and PKCS#8 with line ends of any kind, escaped, turned into spaces or
 * indented, and all of that once more in base64. Throws INPUT_INVALID for everything else.
 */
export function readPrivateKey(input: string): string {
  const text = unquoted(input);
  const found = pem.exec(text) ?? (base64.test(text) ? pem.exec(unquoted(Buffer.from(text, 'base64').toString('latin1'))) : null);
  if (found === null) throw invalid('holds no private key in PEM form');
  const [, label = '', body = ''] = found;
  if (label.startsWith('OPENSSH')) throw invalid('holds a key of OpenSSH');
  if (label.includes('PUBLIC')) throw invalid('holds a public key');
  if (label.includes('ENCRYPTED') || body.includes('ENCRYPTED')) throw invalid('holds a key that is locked by a passphrase');
  const key = parse(label, body);
  if (key?.asymmetricKeyType !== 'rsa')
    throw invalid(key === null ? 'holds a key that is cut off or damaged' : 'holds no RSA key');
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Without the quotes of an `.env` file, and with the line ends that they wrote out. */
function unquoted(text: string): string {
  return text
    .trim()
    .replace(/^(["'])([\s\S]*)\1$/, '$2')
    .replace(/\\r|\\n/g, '\n');
}

function parse(label: string, body: string): KeyObject | null {
  const lines = body.replace(/\s+/g, '').match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? [];
  try {
    return createPrivateKey([`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n'));
  } catch {
    // What OpenSSL says of it helps nobody, and its text may hold parts of the key.
    return null;
  }
}

function invalid(what: string): Harness9Error {
  return new Harness9Error({
    code: 'INPUT_INVALID',
    message: `input \`app_private_key\` ${what}, expected the private key of the GitHub App`,
    hint: 'Make one on the app’s settings page under “Private keys”, and keep the whole downloaded file in a secret.',
  });
}
