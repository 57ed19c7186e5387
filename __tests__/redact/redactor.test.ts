import { describe, expect, test } from '@jest/globals';
import { createRedactor, warningsOfShort } from '../../src/redact/redactor.ts';

const key = 'sk-live-9fK2mQ7xZt4LwB8vR1cN6yH3';
const password = 'correct horse "battery" staple';
const redactor = createRedactor([key, password, 'short', '']);

const base64 = (text: string) => Buffer.from(text).toString('base64');
const reversed = (text: string) => [...text].reverse().join('');

describe('secrets', () => {
  test.each([
    ['raw', key],
    ['in a URL', encodeURIComponent(`${key}/+`)],
    ['with blanks, in a URL', encodeURIComponent(password)],
    ['JSON', JSON.stringify({ p: password })],
    ['JSON in JSON', JSON.stringify(JSON.stringify({ p: password }))],
    ['hex', Buffer.from(key).toString('hex')],
    ['upper-case hex', Buffer.from(key).toString('hex').toUpperCase()],
    ['base64', base64(key)],
    ['base64 after one byte', base64(`x${key}y`)],
    ['base64 after two bytes', base64(`xy${key}`)],
    ['base64 of a basic authorisation', base64(`x-access-token:${key}`)],
    ['base64url', Buffer.from(`??>${key}`).toString('base64url')],
    ['base64 twice', base64(base64(key))],
    ['reversed', reversed(key)],
    ['base64, reversed', reversed(base64(key))],
    ['without its first seven characters', key.slice(7)],
    ['its first half and more', key.slice(0, 20)],
    ['one character a line', [...key].join('\n')],
    ['zero-width characters between', [...key].join('\u200b')],
    ['full-width', [...key].map((letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)).join('')],
    ['base64 in lines of 20', base64(`${key}${key}`).replace(/.{20}/g, '$&\n')],
    ['hex with colons', Buffer.from(key).toString('hex').replace(/../g, '$&:').slice(0, -1)],
    [
      'hex in two cases',
      Buffer.from(key)
        .toString('hex')
        .replace(/[a-f]/g, (digit, at) => (at % 4 < 2 ? digit.toUpperCase() : digit)),
    ],
    ['hex as a dump', Buffer.from(key).toString('hex').replace(/.{4}/g, '$& ')],
    ['in capitals', key.toUpperCase()],
    ['dots between', [...key].join('.')],
    ['stars between', [...key].join('**')],
    ['JSON with every character escaped', Buffer.from(key).toString('hex').replace(/../g, '\\u00$&')],
    ['percent-encoded in full', Buffer.from(key).toString('hex').replace(/../g, '%$&')],
    ['over two lines of a diff', `${key.slice(0, 15)}\n+${key.slice(15)}`],
    ['the invisible joiner between', [...key].join('\u034f')],
    ['tags between', [...key].join('\u{e0061}')],
    ['variation selectors between', [...key].join('\u{e0100}')],
    ['accents upon', [...key].join('\u0301')],
    ['in mathematical bold', key.replace(/[a-z]/g, (letter) => String.fromCodePoint(0x1d41a + letter.charCodeAt(0) - 97))],
    ['circled', key.replace(/[a-z]/g, (letter) => String.fromCodePoint(0x24d0 + letter.charCodeAt(0) - 97))],
    ['twelve characters of it', key.slice(10, 22)],
    ['rot13', 'fx-yvir-9sX2zD7kMg4YjO8iE1pA6lU3'],
  ])('%s is taken out (C12)', (_name, form) => {
    const out = redactor.secrets(`start: ${form} :stop`);
    expect(out).toContain('***');
    expect(out.startsWith('start: ') && out.endsWith(' :stop')).toBe(true);
    const left = out.replace(/^start: (?:eC1hY2Nlc3MtdG9rZW46)?| :stop$|[^A-Za-z0-9]/g, '');
    expect(left.length).toBeLessThan(8);
    expect(redactor.scan(form).exact).toBe(true);
  });

  test('the text around is kept to the letter', () => {
    expect(redactor.secrets(`a ${key}, b\n${key}${key} é🎉`)).toBe('a ***, b\n*** é🎉');
  });

  test('ordinary text is not touched, a vendor’s pattern neither', () => {
    const text = `sk-live is a prefix; correct horse; ${'x'.repeat(100)} ghp_${'a'.repeat(36)}`;
    expect(redactor.secrets(text)).toBe(text);
    expect(redactor.scan('correct horse').exact).toBe(false);
  });

  test('a secret that is an address does not hide other addresses', () => {
    const hook = createRedactor(['https://hooks.example.com/services/T00000000/B00000000/abcdef']);
    expect(hook.secrets('see https://hooks.example.com/docs')).toBe('see https://hooks.example.com/docs');
    expect(hook.secrets('post to https://hooks.example.com/services/T00000000/B00000000/abcdef!')).toBe('post to ***!');
  });

  test('short secrets are told by their names, and not searched for', () => {
    expect(
      warningsOfShort({
        OPENAI_API_KEY: 'short',
        MCP_TOKEN: ' 1234567 ',
        'input `api_key`': '12345678',
        EMPTY: '',
        NONE: undefined,
      }),
    ).toEqual([
      'OPENAI_API_KEY has 5 characters; under 8 a secret cannot be taken out of what is said',
      'MCP_TOKEN has 7 characters; under 8 a secret cannot be taken out of what is said',
    ]);
    expect(redactor.secrets('a short text')).toBe('a short text');
  });

  test('pieces without digits are found where they are no words', () => {
    const letters = createRedactor(['GhqKtzWvbXrLpmNcdTfk', 'my-production-database-password']);
    expect(letters.secrets('it begins with GhqKtzWvbXrL.')).toBe('it begins with ***.');
    const words = 'myProductionDatabase, production_database, the database password';
    expect(letters.secrets(words)).toBe(words);
    expect(letters.secrets('MY_PRODUCTION_DATABASE_PASSWORD')).toBe('***');
  });

  test('short secrets are found as they are written, long ones with the signs around', () => {
    const redact = createRedactor(['letme-in1', '!!##$$%%', '"Zq8-vKx2LmPw9!="']);
    expect(redact.secrets('letme-in1 LETME-IN1 let me in 1 letme\u200b-in1 letme, in1')).toBe(
      '*** LETME-IN1 let me in 1 *** letme, in1',
    );
    expect(redact.secrets('a !!##$$%% b')).toBe('a *** b');
    expect(redact.secrets('x="Zq8-vKx2LmPw9!=";')).toBe('x=***;');
  });

  test('what is in every address, key and JSON is not taken out', () => {
    const account = JSON.stringify({
      type: 'service_account',
      auth_uri: 'https://accounts.google.com/o/oauth2/auth',
      id: '9fK2mQ7xZt4L',
    });
    const pem =
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAA\n-----END OPENSSH PRIVATE KEY-----';
    const redact = createRedactor([
      account,
      pem,
      'key-of-the-model-0123456789',
      'postgres://admin:S3cretPassw0rd@db.example.com:5432/x',
    ]);
    const text = [
      'OPENSSH PRIVATE KEY, postgres://localhost:5432/x, db.example.com, 0123456789',
      `${base64('1234567890')} ${encodeURIComponent(JSON.stringify({ type: 'group', groupLinkId: '' }))}`,
      'https://accounts.google.com/o/oauth2/auth {"type":"service_account"} the key of the model',
      'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
    ].join('\n');
    expect(redact.secrets(text)).toBe(text);
  });

  test('half surrogate pairs and odd characters pass through', () => {
    const text = '\ud800 \udc00 \u0000 \ufeff';
    expect(redactor.outward(text)).toBe(text);
  });
});

describe('outward', () => {
  test.each([
    ['GitHub token', `ghp_${'aB3'.repeat(12)}`],
    ['GitHub token', `ghs_123456_eyJ${'a'.repeat(30)}.eyJ${'b'.repeat(40)}.${'c'.repeat(30)}`],
    ['GitHub token', `github_pat_${'aB3_'.repeat(10)}`],
    ['API key', `sk-ant-api03-${'aB3'.repeat(12)}`],
    ['AWS key', 'AKIAIOSFODNN7EXAMPLE'],
    ['Google key', `AIza${'a'.repeat(35)}`],
    ['Slack token', 'xoxb-1234567890-abcdefghij'],
    ['JSON web token', `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`],
    ['private key', `-----BEGIN RSA PRIVATE KEY-----\n${'QUJD\n'.repeat(20)}-----END RSA PRIVATE KEY-----`],
    ['private key', `-----BEGIN PRIVATE KEY-----\n${'QUJD\n'.repeat(20)}`],
  ])('a %s is taken out and named', (name, token) => {
    expect(createRedactor([]).outward(`x (${token.trimEnd()}) y`)).toBe('x (***) y');
    expect(createRedactor([]).scan(token)).toEqual({ exact: false, pattern: name });
  });

  test('a secret that becomes known later is taken out from then on, beside the others', () => {
    const growing = createRedactor(['first-secret-0123']);
    const { secrets, outward } = growing;
    expect(secrets('first-secret-0123 later-secret-4567')).toBe('*** later-secret-4567');
    growing.register([' later-secret-4567\n', 'short', '']);
    expect([secrets, outward].map((out) => out('first-secret-0123 later-secret-4567 short'))).toEqual([
      '*** *** short',
      '*** *** short',
    ]);
  });

  test('names that only begin like a key stay', () => {
    const text = 'sk-small task-list AKIA eyJ xoxb- risk-aversion-is-a-long-word-here ghp_short';
    expect(createRedactor([]).outward(text)).toBe(text);
  });

  test('it is linear: hostile texts of 1 MB take no longer than a plain one, by far', () => {
    const plain = timeOf('lorem ipsum dolor '.repeat(60_000));
    const hostile = ['-eyJ', '-----BEGIN PRIVATE KEY-----', 'sk-', key.slice(0, 15), 'ghp_a', 'xoxb-'].map((piece) =>
      timeOf(piece.repeat(Math.ceil(1_000_000 / piece.length))),
    );
    expect(Math.max(...hostile)).toBeLessThan(Math.max(plain, 20) * 40);
  });
});

function timeOf(text: string): number {
  const start = performance.now();
  redactor.outward(text);
  return performance.now() - start;
}
