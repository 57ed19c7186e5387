// A final message that was to have a form: what is an output of it, and how people read it.
import { describe, expect, test } from '@jest/globals';
import { decideConclusion } from '../../../src/github/publish/decide-conclusion.ts';
import { nothingDelivered } from '../../../src/github/publish/delivery.ts';
import { renderPullRequestBody } from '../../../src/github/publish/render-pull-request.ts';
import { renderReply } from '../../../src/github/publish/render-reply.ts';
import { renderStructuredOutput } from '../../../src/github/publish/structured-output.ts';
import { createRedactor } from '../../../src/redact/redactor.ts';
import type { Bundle } from '../../../src/schema/bundle.ts';
import type { RunResult } from '../../../src/schema/run.ts';
import { bundleOf, plan } from '../plan-and-bundle.ts';

const asItIs = (text: string) => text;
const error = {
  code: 'OUTPUT_SCHEMA_MISMATCH',
  message: 'The final message does not fit the output schema: at /a: must be string, seen 1.',
};

describe('the output', () => {
  test.each<[unknown, string]>([
    [undefined, ''],
    [{ a: [1, 'ü', null] }, '{"a":[1,"ü",null]}'],
    [null, 'null'],
    [false, 'false'],
    ['', '""'],
  ])('of %j is %j', (structuredOutput, json) => {
    expect(renderStructuredOutput({ structuredOutput }, asItIs)).toEqual({ json, warning: null });
  });

  test('of no run is empty', () => {
    expect(renderStructuredOutput(undefined, asItIs)).toEqual({ json: '', warning: null });
  });

  test('is whole up to what a later step can read, in bytes, and beyond that left out and said', () => {
    const fits = { a: 'ü'.repeat(49_000) };
    expect(renderStructuredOutput({ structuredOutput: fits }, asItIs)).toEqual({ json: JSON.stringify(fits), warning: null });
    expect(renderStructuredOutput({ structuredOutput: { a: 'ü'.repeat(51_000) } }, asItIs)).toEqual({
      json: '',
      warning: expect.stringMatching(/structured_output is empty: it has 103 KB.*100 KB.*execution_file/),
    });
  });

  test('with a secret in it stays JSON, or is left out where it cannot', () => {
    const secret = 'a"b\\c-0123456789-0123456789';
    const { outward } = createRedactor([secret, '12345678901234']);
    const text = renderStructuredOutput({ structuredOutput: { a: `x ${secret} y`, b: [secret] } }, outward);
    expect(text.warning).toBeNull();
    expect(JSON.parse(text.json)).toMatchObject({ a: expect.stringContaining('x '), b: [expect.any(String)] });
    expect(text.json).not.toContain('0123456789');
    const number = renderStructuredOutput({ structuredOutput: { a: 12_345_678_901_234 } }, outward);
    expect(number).toEqual({ json: '', warning: expect.stringContaining('no JSON any more') });
  });
});

describe('the reply', () => {
  const replyTo = (reply: string, more: Partial<RunResult>): readonly string[] => {
    const bundle: Partial<Bundle> = {
      reply,
      commands: [],
      notices: [],
      changes: [],
      result: { ...bundleOf(plan).result, ...more },
    };
    const delivery = nothingDelivered({ leftOut: [] });
    return renderReply({ plan, bundle: bundleOf(plan, bundle), delivery, elapsedMs: 1000 }).split('\n\n');
  };

  test('shows JSON as a block of code, line by line, whatever stands in it', () => {
    const value = { a: ['@octocat', '```'], b: 1 };
    const [block, ...rest] = replyTo(JSON.stringify(value), { structuredOutput: value });
    expect(block).toBe(`\`\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\``);
    expect(rest).toEqual([expect.stringMatching(/^\*\*Done in/)]);
  });

  test('shows words with JSON among them as they are, and JSON that nobody asked for', () => {
    expect(replyTo('So: `{"a":1}`', { structuredOutput: { a: 1 } })[0]).toBe('So: `{"a":1}`');
    expect(replyTo('42', {})[0]).toBe('42');
  });

  test('shows an answer that does not fit as an answer, and under it what is wrong', () => {
    expect(replyTo('{"a":1}', { error })).toEqual([
      '```json\n{\n  "a": 1\n}\n```',
      expect.stringMatching(/^\*\*The final message does not fit the output schema: at \/a: must be string, seen 1\.\*\* /),
      expect.stringMatching(/^\*\*Failed after/),
    ]);
    expect(replyTo('All is well.', { error, stopReason: 'max_turns' }).slice(0, 2)).toEqual([
      'All is well.',
      expect.stringMatching(
        /^\*\*Stopped at the limit of \d+ turns \(max_turns\)\.\*\* The final message does not fit the output schema: /,
      ),
    ]);
  });

  test('leaves a pull request unfinished, which says why', () => {
    const bundle = bundleOf(plan, { reply: '{"a":1}', result: { ...bundleOf(plan).result, error } });
    const body = renderPullRequestBody(plan, bundle, { leftOut: [], notes: [] });
    expect(body).toContain('**Not finished**: The final message does not fit the output schema');
    expect(body).toContain('```json\n{\n  "a": 1\n}\n```');
    expect(body).not.toContain('Last note');
  });
});

test('a run whose answer does not fit is an error, whatever it changed; at a limit the limit is the word', () => {
  for (const isDelivered of [true, false]) {
    expect(decideConclusion({ stopReason: 'completed', error }, { isDelivered, isLeftOut: false })).toBe('error');
    expect(decideConclusion({ stopReason: 'max_turns', error }, { isDelivered, isLeftOut: false })).toBe('max_turns');
  }
});
