// Where traces may go, and the headers that go with them.
import { describe, expect, test } from '@jest/globals';
import { createTracing } from '../../../src/observe/otel/create-tracing.ts';
import { parseOtlpEndpoint, parseOtlpHeaders } from '../../../src/observe/otel/endpoint.ts';
import { errorTypeOf } from '../../../src/observe/otel/error-type.ts';
import { Harness9Error } from '../../../src/schema/error.ts';
import { systemClock } from '../../../src/schema/system-clock.ts';

describe('parseOtlpEndpoint', () => {
  test.each([
    ['https://otel.example.com', 'https://otel.example.com/v1/traces'],
    [' https://otel.example.com/ ', 'https://otel.example.com/v1/traces'],
    ['https://otel.example.com:4318/otlp/', 'https://otel.example.com:4318/otlp/v1/traces'],
    ['https://otel.example.com/v1/traces', 'https://otel.example.com/v1/traces'],
    ['https://otel.example.com/v1/traces/', 'https://otel.example.com/v1/traces'],
    ['https://otel.example.com/v1?tenant=a#b', 'https://otel.example.com/v1/v1/traces?tenant=a'],
    ['http://localhost:4318', 'http://localhost:4318/v1/traces'],
    ['http://127.9.0.1:4318', 'http://127.9.0.1:4318/v1/traces'],
    ['http://[::1]:4318', 'http://[::1]:4318/v1/traces'],
    ['http://otel.localhost', 'http://otel.localhost/v1/traces'],
  ])('%s is %s', (text, url) => {
    expect(parseOtlpEndpoint(text).href).toBe(url);
  });

  test.each([
    ['', /a text of 0 characters that does not begin with https:\/\/ or http:\/\//],
    ['otel.example.com:4318', /a text of 21 characters that does not begin with https:\/\/ or http:\/\//],
    ['localhost:4318', /a text of 14 characters that does not begin with/],
    ['otel.example.com', /a text of 16 characters that does not begin with/],
    ['not a url', /a text of 9 characters that does not begin with/],
    ['grpc://otel.example.com', /the scheme "grpc:"/],
    ['file:///etc/passwd', /the scheme "file:"/],
    ['http://otel.example.com', /host otel\.example\.com is plain http/],
    ['http://10.0.0.1:4318', /host 10\.0\.0\.1:4318 is plain http/],
    ['http://127.0.0.1.example.com', /is plain http/],
    ['http://localhost.example.com', /is plain http/],
    ['https://user:pw-canary@otel.example.com', /holds a user name or a password/],
  ])('I2 "%s" is refused by its name, without what may be secret', (text, message) => {
    const refusal = refusalOf(() => parseOtlpEndpoint(text));
    expect(refusal.code).toBe('TRACING_ENDPOINT');
    expect(refusal.message).toMatch(/^The endpoint for traces \(otel_endpoint\) cannot be used: /);
    expect(refusal.message).toMatch(message);
    expect(`${refusal.message} ${refusal.hint}`).not.toContain('canary');
  });

  test('tracing does not begin with an endpoint that is refused', async () => {
    const starting = createTracing({
      endpoint: 'http://otel.example.com',
      headers: {},
      captureContent: false,
      redact: (text) => text,
      resource: {},
      clock: systemClock,
      log: () => {},
    });
    await expect(starting).rejects.toMatchObject({ code: 'TRACING_ENDPOINT' });
  });
});

describe('parseOtlpHeaders', () => {
  test.each([
    ['', {}],
    ['authorization=Bearer%20abc', { authorization: 'Bearer abc' }],
    ['a=1, b = 2 ,,c=3', { a: '1', b: '2', c: '3' }],
    ['x-key=a=b==', { 'x-key': 'a=b==' }],
    ['x-empty=', { 'x-empty': '' }],
    ['__proto__=1', Object.fromEntries([['__proto__', '1']])],
  ])('%p is read', (text, headers) => {
    expect(parseOtlpHeaders('OTEL_X', text)).toEqual(headers);
  });

  test.each([
    ['a=1,canary', 2],
    ['=canary', 1],
    ['a b=canary', 1],
    ['a=1,b=canary%0d%0ax: y', 2],
    ['a=canary%', 1],
    ['a=1,b=2,c:d=canary', 3],
  ])('%p is refused by the place of its entry, without a word of it', (text, place) => {
    const refusal = refusalOf(() => parseOtlpHeaders('OTEL_X', text));
    expect(refusal.code).toBe('TRACING_HEADERS');
    expect(refusal.message).toBe(`OTEL_X: entry ${place} is no header.`);
    expect(refusal.cause).toBeUndefined();
  });
});

test.each([
  [Object.assign(new Error('m'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [new Harness9Error({ code: 'TIME_IS_UP', message: 'm' }), 'TIME_IS_UP'],
  [new DOMException('m', 'AbortError'), 'AbortError'],
  [new TypeError('m'), 'TypeError'],
  [new Error('m'), '_OTHER'],
  [Object.assign(new Error('m'), { name: 'the file /etc/x is gone' }), '_OTHER'],
  [Object.assign(new Error('m'), { code: 'see /etc/x' }), '_OTHER'],
  [Object.assign(new TypeError('m'), { code: 'see /etc/x' }), 'TypeError'],
  ['text', '_OTHER'],
  [undefined, '_OTHER'],
  [null, '_OTHER'],
])('the kind of %p is %s', (error, type) => {
  expect(errorTypeOf(error)).toBe(type);
});

function refusalOf(act: () => unknown): Harness9Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Harness9Error) return error;
  }
  throw new Error('nothing was refused');
}
