import { expect, test } from '@jest/globals';
import { redactResult } from '../../src/compose/redact-result.ts';
import { runResultSchema } from '../../src/schema/run.ts';
import { bundleOf, plan } from '../github/plan-and-bundle.ts';

const hide = (text: string) => text.replaceAll('key', '***');

test('every text of a result is as it may leave, and nothing else is touched', () => {
  const { result } = bundleOf(plan);
  const whole = {
    ...result,
    finalMessage: 'a key',
    ownWords: 'own key',
    error: { code: 'PROVIDER_key', message: 'bad key', hint: 'mend the key', detail: 'key?\nkey!' },
    notes: ['one key', 'none'],
    structuredOutput: { key: ['a key', { b: 'key', c: 1, d: null }], e: false },
  };
  const redacted = redactResult(whole, hide);
  expect(runResultSchema.parse(redacted)).toEqual(redacted);
  expect(redacted).toEqual({
    ...result,
    finalMessage: 'a ***',
    ownWords: 'own ***',
    error: { code: 'PROVIDER_key', message: 'bad ***', hint: 'mend the ***', detail: '***?\n***!' },
    notes: ['one ***', 'none'],
    structuredOutput: { '***': ['a ***', { b: '***', c: 1, d: null }], e: false },
  });
  expect(redactResult(result, hide)).toEqual(result);
});
