import { describe, expect, test } from '@jest/globals';
import { titleOf } from '../../../src/action/title.ts';
import { fillTemplate } from '../../../src/github/publish/fill-template.ts';
import { findOwnTitle } from '../../../src/github/publish/own-title.ts';
import { renderCommitMessage, renderTitle } from '../../../src/github/publish/render-pull-request.ts';
import { bundleOf, plan } from '../plan-and-bundle.ts';

describe('a final message names its change', () => {
  test.each([
    ['# Round totals to cents\n\nI changed…', 'Round totals to cents'],
    ['### ✅ Fix rounding in `total()`\n\nText.', 'Fix rounding in `total()`'],
    ['## Summary\n\nFixed the rounding in `total()`. The tests pass.', 'Fixed the rounding in `total()`'],
    ['I fixed the rounding in `total()`.\n\n- one', 'Fixed the rounding in `total()`'],
    ["I've added a test for negative amounts.", 'Added a test for negative amounts'],
    ['I have now removed the second **cache**.', 'Removed the second cache'],
    ['Done! I updated the [docs](https://example.com) of `parse`.', 'Updated the docs of `parse`'],
    ['🎉 Fixed the build.', 'Fixed the build'],
    ['Fixed `v1.2` parsing. More.', 'Fixed `v1.2` parsing'],
    ['我已修复购物车的四舍五入问题。测试全部通过。', '修复购物车的四舍五入问题'],
    ['## 修复四舍五入\n\n说明', '修复四舍五入'],
  ])('%j', (message, title) => {
    expect(findOwnTitle(message)).toBe(title);
  });

  test.each([
    [''],
    ['   \n'],
    ['Should I also fix the other one?'],
    ['# Which of the two do you want?'],
    ['```ts\nconst a = 1;\n```\nFixed it.'],
    ['- Fixed one thing\n- Fixed another'],
    ['| a | b |\n| - | - |\n| 1 | 2 |'.replace('| a', '> | a')],
    ['## Summary\n\n- Fixed it'],
    ['Here is what I did:\n\n- this'],
    ['Fixed the following:\n\n- this'],
    ['The tests pass now.'],
    ['Fixed.'],
    ['Done!'],
    ['# Summary of the changes'],
    ['## 总结'],
    [`Fixed ${'the rounding '.repeat(25)}.`],
    ['![Fixed the picture](https://example.com/a.png)'],
    ['<b>Fixed</b>'],
    ['🎉🎉🎉'],
    // What stands far below is no title.
    [`${'\n'.repeat(5_000)}# Round the totals`],
  ])('%j has no title', (message) => {
    expect(findOwnTitle(message)).toBeNull();
  });

  test('without one the thread is named, and without a thread what was asked', () => {
    const { result } = bundleOf(plan);
    const said = (finalMessage: string) => ({ ...result, finalMessage });
    expect(titleOf(plan, said('Fixed the rounding.'))).toBe('Fixed the rounding');
    expect(titleOf(plan, said('Looks good.'))).toBe('Totals are off by a cent');
    expect(titleOf({ ...plan, thread: null }, said('Looks good.'))).toBe('fix the rounding');
    expect(titleOf({ ...plan, thread: null, instruction: { text: '\n', command: null } }, said(''))).toBe('');
  });

  test('who was interrupted names nothing', () => {
    const { result } = bundleOf(plan);
    const cut = { ...result, stopReason: 'max_turns' as const, finalMessage: 'Fixed half of the rounding.' };
    expect(titleOf(plan, cut)).toBe('Totals are off by a cent');
  });
});

describe('a title on GitHub', () => {
  const titled = (title: string) => renderTitle(plan, { title });

  test('has no effect on anything, and at most 70 characters', () => {
    expect(titled('Fixes #3 for @mona [skip ci]')).toBe('Fixes issue 3 for mona');
    expect(titled('x'.repeat(300))).toHaveLength(70);
    expect(titled('   ')).toBe('Changes for issue 12');
    expect(renderTitle({ ...plan, thread: null }, { title: '' })).toBe('Changes by harness9');
  });

  test('follows the workflow’s template', () => {
    const withTitle = (title: string) => ({ ...plan, pullRequest: { ...plan.pullRequest, title } });
    expect(renderTitle(withTitle('[{{kind}} {{ number }}] {{title}}'), { title: 'Round totals' })).toBe(
      '[issue 12] Round totals',
    );
    expect(renderTitle(withTitle('a\n  {{title}}'), { title: 'Round totals' })).toBe('a Round totals');
    expect(renderTitle({ ...withTitle('{{kind}} {{number}}'), thread: null }, { title: 'x' })).toBe('run 99');
    expect(
      renderTitle(
        { ...withTitle('{{kind}} {{number}}'), thread: { kind: 'pull_request', number: 3, title: '' } },
        { title: 'x' },
      ),
    ).toBe('pr 3');
    expect(renderTitle(withTitle('a'.repeat(400)), { title: 'x' }).length).toBeLessThanOrEqual(256);
  });

  test.each(['fix: {{title}}', 'Fixes {{title}}', 'closes:{{title}}', 'resolve  {{title}}'])(
    'a template %j makes no closing word of what stands in it',
    (template) => {
      for (const title of ['#5 is broken', 'acme/shop#5 broke', 'GH-5', 'https://github.com/a/b/issues/5']) {
        const filled = fillTemplate(template, title, plan);
        expect(filled).toContain(`issue ${title}`);
        expect(filled).not.toMatch(/(?:fix|fixes|closes|resolve)\s*:?\s*(?:[\w/]*#\d|gh-|https)/i);
      }
    },
  );

  test('a signs like $& in a title are only signs', () => {
    expect(fillTemplate('a {{title}} b', '$& $1 $$', plan)).toBe('a $& $1 $$ b');
  });

  test('the commit’s message is the workflow’s, with our trailers under it', () => {
    const own = { ...plan, commitMessage: 'chore({{kind}}): {{title}}\n\nRefs #{{number}}' };
    expect(renderCommitMessage(own, { title: 'Round totals' })).toBe(
      'chore(issue): Round totals\n\nRefs #12\n\nRequested-by: mona\nHarness9-run: https://github.com/acme/shop/actions/runs/99\n',
    );
    expect(renderCommitMessage(plan, { title: 'Round totals' }).split('\n')[0]).toBe('Round totals');
  });
});
