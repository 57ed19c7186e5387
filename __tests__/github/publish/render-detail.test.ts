// What a command printed that failed is where people look: under the reply, in the pull request, in the job summary; and nothing but code.
import { describe, expect, test } from '@jest/globals';
import { nothingDelivered } from '../../../src/github/publish/delivery.ts';
import { renderDetail } from '../../../src/github/publish/render-detail.ts';
import { renderPullRequestBody } from '../../../src/github/publish/render-pull-request.ts';
import { renderReply } from '../../../src/github/publish/render-reply.ts';
import { renderSummary } from '../../../src/github/publish/render-summary.ts';
import type { Outcome } from '../../../src/schema/outcome.ts';
import { bundleOf, nothingPublished, plan } from '../plan-and-bundle.ts';

const failed = { code: 'VERIFY_FAILED', message: '`npm test` (verify_command) ended with exit code 1: 1 failing' };
const errorOf = (detail: string) => ({ error: { ...failed, detail } });
const outcome: Outcome = { ...nothingPublished, conclusion: 'verify_failed', error: failed };

/** The three places, as blocks. */
function placesOf(detail: string): readonly (readonly string[])[] {
  const bundle = bundleOf(plan, { result: { ...bundleOf(plan).result, ...errorOf(detail) }, commands: [], notices: [] });
  return [
    renderReply({ plan, bundle, delivery: nothingDelivered({ leftOut: [] }), elapsedMs: 1000 }),
    renderPullRequestBody(plan, bundle, { leftOut: [], notes: [] }),
    renderSummary(plan, bundle, outcome),
  ].map((text) => text.split('\n\n'));
}

describe('what a failed check printed', () => {
  test('is folded behind the words that say that it failed, in all three places', () => {
    for (const blocks of placesOf('1 passing\n1 failing')) {
      const at = blocks.indexOf('<details><summary>What it printed</summary>');
      expect(blocks[at - 1]).toMatch(/ended with exit code 1: 1 failing/);
      expect(blocks.slice(at + 1, at + 3)).toEqual(['```text\n1 passing\n1 failing\n```', '</details>']);
    }
  });

  test.each(['', ' \n\n'])('is nothing where it printed %j', (detail) => {
    expect(renderDetail(errorOf(detail))).toBe('');
    for (const blocks of placesOf(detail)) expect(blocks.join()).not.toContain('What it printed');
  });

  test('is not there for a run that has none', () => {
    expect([renderDetail({}), renderDetail({ error: failed })]).toEqual(['', '']);
  });

  test('closes no block of ours, whatever it holds', () => {
    const text = renderDetail(errorOf('```\n</details>\n@everyone ````\n![x](http://e)'));
    expect(text).toContain('`````text\n```\n</details>\n@everyone ````\n![x](http://e)\n`````\n');
  });

  test('is its end when it is long, on a whole character', () => {
    const text = renderDetail(errorOf(`begin${'🙂'.repeat(3_000)}e`));
    expect(text).not.toContain('begin');
    expect(text).toContain(`…${'🙂'.repeat(2_999)}e\n`);
    expect(text.isWellFormed()).toBe(true);
  });
});
