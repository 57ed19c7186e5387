import { describe, expect, test } from '@jest/globals';
import { openEnvelope, sealEnvelope } from '../../src/memory/envelope.ts';
import { deriveSessionKey } from '../../src/memory/session-key.ts';
import type { Message } from '../../src/schema/message.ts';
import { textPart } from '../../src/schema/message.ts';
import type { SessionBody, SessionRecord } from '../../src/schema/session.ts';
import { provenance } from './journal-start.ts';

const AT = '2026-01-02T03:04:05.000Z';
const record = (message: Message): SessionRecord => ({ type: 'message', at: AT, message });
const user = (text: string): SessionRecord => record({ role: 'user', content: [textPart(text)] });
const body: SessionBody = {
  version: 1,
  id: 's1',
  threadKey: 'issue-7',
  sequence: 3,
  parentHash: 'p',
  trust: 'mixed',
  provenance,
  updatedAt: AT,
  records: [
    user('fix it'),
    record({
      role: 'assistant',
      content: [
        {
          type: 'opaque',
          origin: { provider: 'anthropic', endpoint: 'e', model: 'm' },
          kind: 'thinking',
          value: { type: 'thinking', thinking: '…', signature: 's==' },
        },
      ],
      toolCalls: [{ id: 'toolu_1', name: 'bash', arguments: '{bad' }],
    }),
    record({ role: 'user', content: [textPart('out')], toolCallId: 'toolu_1', isError: true }),
  ],
};
const key = deriveSessionKey({ sessionSecret: null, modelKey: 'sk-model', repositoryId: 42 });
const secretKey = deriveSessionKey({ sessionSecret: 'long secret', modelKey: 'sk-model', repositoryId: 42 });
const expected = { key, threadKey: 'issue-7', repositoryId: 42, planTrust: 'mixed' } as const;
const bytesOf = (text: string): Uint8Array => Buffer.from(text);
/** A file with a valid signature over whatever it is given. */
const signed = (value: unknown): Uint8Array => sealEnvelope({ ...body, ...(value as object) }, key).bytes;

describe('a session file', () => {
  test('comes back whole, vendor-only parts and raw arguments included (G6-14)', () => {
    const { envelope, bytes } = sealEnvelope(body, key);
    const opened = openEnvelope(bytes, expected);
    expect(opened).toEqual({
      kind: 'opened',
      envelope: { ...body, mac: envelope.mac },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      quoteOnly: false,
    });
  });

  test('of a less trusted session is only quoted by a plan that is trusted further', () => {
    const { bytes } = sealEnvelope(body, key);
    expect(openEnvelope(bytes, { ...expected, planTrust: 'trusted' })).toMatchObject({ kind: 'opened', quoteOnly: true });
    expect(openEnvelope(bytes, { ...expected, planTrust: 'untrusted' })).toMatchObject({ kind: 'opened', quoteOnly: false });
  });

  test('is encrypted with a session secret and opens with that one only (attack G6)', () => {
    const { bytes } = sealEnvelope(body, secretKey);
    expect(Buffer.from(bytes).toString()).not.toContain('fix it');
    expect(openEnvelope(bytes, { ...expected, key: secretKey })).toMatchObject({
      kind: 'opened',
      envelope: { records: body.records },
    });
    const other = deriveSessionKey({ sessionSecret: 'other', modelKey: null, repositoryId: 42 });
    for (const wrong of [key, other])
      expect(openEnvelope(bytes, { ...expected, key: wrong })).toMatchObject({ kind: 'refused', code: 'mac' });
  });

  test('is not restored without a secret', () => {
    const nobody = deriveSessionKey({ sessionSecret: null, modelKey: null, repositoryId: 42 });
    expect(nobody).toBeNull();
    const { envelope, bytes } = sealEnvelope(body, nobody);
    expect(envelope.mac).toBeNull();
    expect(openEnvelope(bytes, { ...expected, key: nobody })).toMatchObject({ kind: 'refused', code: 'no_key' });
    expect(openEnvelope(bytes, expected)).toMatchObject({ kind: 'refused', code: 'mac' });
  });

  test('of another key, repository or thread is refused (attacks G2, G3)', () => {
    const { bytes } = sealEnvelope(body, key);
    for (const otherKey of [
      { modelKey: 'sk-other', repositoryId: 42 },
      { modelKey: 'sk-model', repositoryId: 43 },
    ]) {
      const wrong = deriveSessionKey({ sessionSecret: null, ...otherKey });
      expect(openEnvelope(bytes, { ...expected, key: wrong })).toMatchObject({ kind: 'refused', code: 'mac' });
    }
    expect(openEnvelope(bytes, { ...expected, threadKey: 'issue-8' })).toMatchObject({ kind: 'refused', code: 'thread' });
    expect(openEnvelope(bytes, { ...expected, repositoryId: 43 })).toMatchObject({ kind: 'refused', code: 'thread' });
  });

  test('with any one byte changed is refused', () => {
    const { bytes } = sealEnvelope(body, key);
    for (let index = 0; index < bytes.length; index += 7) {
      const changed = Uint8Array.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(openEnvelope(changed, expected).kind).toBe('refused');
    }
  });

  test('cut at any byte is refused with a reason, encrypted or not (G6-12)', () => {
    for (const [sealingKey, codes] of [
      [key, ['damaged']],
      [secretKey, ['damaged', 'mac']],
    ] as const) {
      const { bytes } = sealEnvelope(body, sealingKey);
      for (let length = 0; length < bytes.length; length += 1) {
        const opened = openEnvelope(bytes.subarray(0, length), { ...expected, key: sealingKey });
        expect([length, opened]).toEqual([
          length,
          { kind: 'refused', code: expect.anything(), reason: expect.stringMatching(/./) },
        ]);
        expect(codes).toContain(opened.kind === 'refused' && opened.code);
      }
    }
  });

  test('keeps the order of keys that a vendor sent its block with', () => {
    const { bytes } = sealEnvelope(body, key);
    expect(Buffer.from(bytes).toString()).toContain('{"type":"thinking","thinking":"…","signature":"s=="}');
  });

  test('that is damaged or hostile is refused with a reason and never throws (G6-12, attack G5)', () => {
    const { bytes } = sealEnvelope(body, key);
    const text = Buffer.from(bytes).toString();
    const hostile: readonly (readonly [string, Uint8Array])[] = [
      ['empty', bytesOf('')],
      ['truncated', bytes.subarray(0, bytes.length / 2)],
      ['cut in a character', bytesOf('{"a":"ü"}').subarray(0, 7)],
      ['bad JSON', bytesOf('{bad json')],
      ['null', bytesOf('null')],
      ['a list', bytesOf('[]')],
      ['NaN', bytesOf(text.replace('"sequence":3', '"sequence":NaN'))],
      ['a BOM', bytesOf(`\ufeff${text}`)],
      ['a prototype', bytesOf(text.replace('{', '{"__proto__":{"isAdmin":true},'))],
      ['an escaped prototype', bytesOf(text.replace('{', '{"\\u005f_proto__":{"isAdmin":true},'))],
      ['a depth bomb', bytesOf('['.repeat(5_000_000))],
      ['a depth bomb of objects', bytesOf('{"a":'.repeat(100_000))],
      ['an unclosed string', bytesOf('"'.repeat(3))],
      ['50 MB', Buffer.alloc(50 * 1024 * 1024, 0x20)],
      ['300 KB of zeros', Buffer.alloc(300_000)],
    ];
    for (const [name, file] of hostile) {
      expect([name, openEnvelope(file, expected)]).toEqual([
        name,
        { kind: 'refused', code: 'damaged', reason: expect.any(String) },
      ]);
    }
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  test('with a valid signature over a wrong content is refused all the same (attack G5)', () => {
    const cases: readonly (readonly [string, object])[] = [
      ['version', { version: 99 }],
      ['sequence', { sequence: -1 }],
      ['sequence', { sequence: 1.5 }],
      ['sequence', { sequence: '3' }],
      ['schema', { trust: 'root' }],
      ['schema', { records: [{ type: 'message', at: AT, message: { role: 'developer', content: [] } }] }],
      ['schema', { records: [{ type: 'policy', at: AT }] }],
      ['schema', { records: [{ type: 'message', at: AT, message: { role: 'system', content: [] } }] }],
    ];
    for (const [code, change] of cases) expect(openEnvelope(signed(change), expected)).toMatchObject({ kind: 'refused', code });
  });

  test('keeps what the schema names and nothing else', () => {
    const opened = openEnvelope(signed({ tools: ['everything'] }), expected);
    expect(opened.kind === 'opened' && Object.hasOwn(opened.envelope, 'tools')).toBe(false);
  });
});
