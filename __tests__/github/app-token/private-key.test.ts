import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { readPrivateKey } from '../../../src/github/app-token/private-key.ts';
import { Harness9Error } from '../../../src/schema/error.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const pkcs1 = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();

const encodings: Readonly<Record<string, (pem: string) => string>> = {
  'as downloaded': (pem) => pem,
  'without its last line end': (pem) => pem.trimEnd(),
  'with the line ends of Windows': (pem) => pem.replaceAll('\n', '\r\n'),
  'with line ends written out': (pem) => pem.replaceAll('\n', '\\n'),
  'with line ends of Windows written out': (pem) => pem.replaceAll('\n', '\\r\\n'),
  'with spaces for line ends': (pem) => pem.replaceAll('\n', ' '),
  'indented, as in a block of YAML': (pem) => pem.replaceAll(/^/gm, '    '),
  'in quotes': (pem) => `"${pem.replaceAll('\n', '\\n')}"`,
  'with text around it': (pem) => `key of the app:\n${pem}\nend`,
  'in base64': (pem) => Buffer.from(pem).toString('base64'),
  'in base64 with line ends': (pem) =>
    (
      Buffer.from(pem)
        .toString('base64')
        .match(/.{1,76}/g) ?? []
    ).join('\n'),
  'in base64 of the address form': (pem) => Buffer.from(pem).toString('base64url'),
};

function refusalOf(input: string): { readonly code: string; readonly message: string } {
  try {
    readPrivateKey(input);
  } catch (error) {
    if (error instanceof Harness9Error) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('the key was taken');
}

describe('an app’s private key', () => {
  for (const [form, pem] of Object.entries({ 'PKCS#1': pkcs1, 'PKCS#8': pkcs8 })) {
    test.each(Object.entries(encodings))(`in ${form} is read %s`, (_name, encode) => {
      const read = readPrivateKey(encode(pem));
      expect(read.startsWith('-----BEGIN PRIVATE KEY-----\n')).toBe(true);
      expect(createPrivateKey(read).equals(privateKey)).toBe(true);
    });
  }

  test.each([
    ['nothing that looks like one', 'hello world', 'holds no private key in PEM form'],
    ['a path', './app.pem', 'holds no private key in PEM form'],
    ['its first line alone', '-----BEGIN RSA PRIVATE KEY-----', 'holds no private key in PEM form'],
    ['a public key', publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'holds a public key'],
    ['a half', pkcs8.replace(/(BEGIN PRIVATE KEY-----\n)[\s\S]{400}/, '$1'), 'holds a key that is cut off or damaged'],
    [
      'a locked key',
      privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString(),
      'holds a key that is locked by a passphrase',
    ],
    [
      'a key of another kind',
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      'holds no RSA key',
    ],
    [
      'a key of OpenSSH',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----',
      'holds a key of OpenSSH',
    ],
  ])('that is %s is refused without being shown', (_name, input, what) => {
    expect(refusalOf(input)).toEqual({
      code: 'INPUT_INVALID',
      message: `input \`app_private_key\` ${what}, expected the private key of the GitHub App`,
    });
  });
});
