// Headers for the receiver of traces: which are sent, and which of their values must be seen nowhere.
import { describe, expect, test } from '@jest/globals';
import { otlpHeadersOf, otlpSecrets } from '../../src/compose/otlp-headers.ts';

const headers = 'OTEL_EXPORTER_OTLP_HEADERS';
const random = 'hcaik_01hqk4k20cjeh63wca8vva5stw';

test('headers are those of both variables that OpenTelemetry knows; the one for traces says the last word', () => {
  const env = { [headers]: 'a=1,b=2', OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'b=3', OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'c=4' };
  expect(otlpHeadersOf(env)).toEqual({ a: '1', b: '3' });
  expect(otlpHeadersOf({})).toEqual({});
  expect(() => otlpHeadersOf({ OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'rubbish' })).toThrow(
    'OTEL_EXPORTER_OTLP_TRACES_HEADERS: entry 1 is no header.',
  );
});

describe('secret is', () => {
  test.each([
    [
      'what logs in, with and without its scheme',
      'authorization=Bearer%20quiet-words-only',
      ['Bearer quiet-words-only', 'quiet-words-only'],
    ],
    ['what is within a basic login', `Authorization=Basic%20${btoa('123:a-long-password')}`, ['a-long-password']],
    ['what looks random, whatever its header is called', `x-honeycomb-team=${random}`, [random]],
    [
      'what logs in by another header',
      'DD-API-Key=quiet-words-only,x-sf-token=other-quiet-words',
      ['quiet-words-only', 'other-quiet-words'],
    ],
    ['an address with a login', `uptrace-dsn=https://${random}@api.example.com/2`, [`https://${random}@api.example.com/2`]],
    ['also what no header can be', `authorization=Bearer ${random}%,${random}`, [`Bearer ${random}%`, random]],
  ])('%s', (_what, value, secrets) => {
    for (const name of [headers, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'])
      expect(otlpSecrets({ [name]: value })).toEqual(expect.arrayContaining(secrets));
  });

  test.each([
    'x-honeycomb-dataset=shop-data-production',
    'x-scope-orgid=1',
    'x-service=harness9',
    'content-type=application/json',
    'rubbish',
    'x-token=',
    'x-key=short',
    '',
    ',,=',
  ])('nothing of %p: such words stand in every reply', (value) => {
    expect(otlpSecrets({ [headers]: value })).toEqual([]);
  });
});
