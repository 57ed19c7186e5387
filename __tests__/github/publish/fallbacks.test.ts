// Which model took over, in the line under the reply.
import { expect, test } from '@jest/globals';
import { nothingDelivered } from '../../../src/github/publish/delivery.ts';
import { renderFooter } from '../../../src/github/publish/render-footer.ts';
import { renderSummary } from '../../../src/github/publish/render-summary.ts';
import type { Fallback } from '../../../src/schema/run.ts';
import { bundleOf, nothingPublished, plan } from '../plan-and-bundle.ts';

const delivery = nothingDelivered({ leftOut: [] });

function footerWith(...fallbacks: readonly Fallback[]): string {
  const bundle = bundleOf(plan);
  return renderFooter(plan, { ...bundle, result: { ...bundle.result, fallbacks } }, { delivery, elapsedMs: 1000 });
}

test('each switch is named once, with why', () => {
  const [a, b] = [
    { from: 'gpt-a', to: 'gpt-b', why: 'overloaded, status 529' },
    { from: 'gpt-b', to: 'gpt-c', why: 'no credit left, status 402' },
  ];
  expect(footerWith(a)).toContain(' · `gpt-b` took over from `gpt-a` (overloaded, status 529)');
  expect(footerWith(a, b)).toContain('(overloaded, status 529) · `gpt-c` took over from `gpt-b` (no credit left, status 402)');
});

test('a run without a thread says it in its job summary, too', () => {
  const bundle = bundleOf(plan);
  const fallbacks = [{ from: 'a|b', to: 'c', why: 'overloaded' }];
  const tableOf = (result: typeof bundle.result) => renderSummary(plan, { ...bundle, result }, nothingPublished);
  expect(tableOf({ ...bundle.result, fallbacks })).toContain('\n| models | `c` took over from `a\\|b` (overloaded) |\n');
  expect(tableOf(bundle.result)).not.toContain('| models |');
});

test('what a name holds is neither Markdown nor a mention', () => {
  const line = footerWith({ from: '`a` @all', to: 'b\n# c', why: 'because @all **said** so' });
  expect(line).not.toContain('\n');
  expect(line).not.toMatch(/(?<!`[^`]*)@all(?![^`]*`)/);
});
