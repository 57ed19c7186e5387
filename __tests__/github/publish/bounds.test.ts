import { describe, expect, test } from '@jest/globals';
import { boundMarkdown } from '../../../src/github/publish/bound-markdown.ts';
import { type Delivery, nothingDelivered } from '../../../src/github/publish/delivery.ts';
import { renderCommands } from '../../../src/github/publish/render-commands.ts';
import { renderLeftOut } from '../../../src/github/publish/render-left-out.ts';
import { renderPullRequestBody } from '../../../src/github/publish/render-pull-request.ts';
import { renderReply } from '../../../src/github/publish/render-reply.ts';
import { renderSummary } from '../../../src/github/publish/render-summary.ts';
import type { Bundle } from '../../../src/schema/bundle.ts';
import { bundleOf, plan, writeOf } from '../plan-and-bundle.ts';

const limit = 65_536;
const longPath = (index: number) => `${index}/${'d'.repeat(1_200)}/package.json`;
const paths = Array.from({ length: 60 }, (_, index) => longPath(index));
const many = (number: number, of: (index: number) => string) => Array.from({ length: number }, (_, index) => of(index));
const words = (chars: number) => 'word '.repeat(chars / 5);
const reason = 'the path is protected: a person has to make this change';
const leftOut = (number: number, patch = '+x\n'): Bundle['leftOut'] =>
  many(number, String).map((path) => ({ path, reason, patch }));

/** Each alone would fill the limit, and all of them at once. */
const floods: Readonly<Record<string, Partial<Bundle>>> = {
  'sixty long paths in one notice': { notices: [`Look twice at ${paths.map((path) => `\`${path}\``).join(', ')}.`] },
  'thousands of notices': { notices: many(2_955, (index) => `notice ${index} ${'n'.repeat(300)}`) },
  'notices that grow when made harmless': { notices: many(15, () => '<'.repeat(1_500)) },
  'thousands of commands': {
    commands: many(2_970, (index) => `${index} ${'`'.repeat(200)}`).map((command) => ({ command, exitCode: 1 })),
  },
  'thousands of left-out files': { leftOut: leftOut(2_950, `+${'`'.repeat(3_000)}\n`) },
  'an endless cause': {
    result: {
      ...bundleOf(plan).result,
      stopReason: 'error',
      error: { code: 'X', message: '*'.repeat(90_000), hint: 'h '.repeat(40_000) },
    },
  },
  'an endless answer': { reply: words(200_000) },
};
const flood: Partial<Bundle> = Object.assign({}, ...Object.values(floods));

describe.each(Object.entries({ ...floods, 'all at once': flood }))('with %s', (_name, more) => {
  const bundle = bundleOf(plan, more);
  const delivery: Delivery = { ...nothingDelivered(bundle), isInReply: true };

  test('the reply fits, and its last line is there (G1-10)', () => {
    const text = renderReply({ plan, bundle, delivery, elapsedMs: 1_000 });
    expect(text.length).toBeLessThanOrEqual(limit - 200);
    expect(text.split('\n').at(-1)).toMatch(/^\*\*(Done in|Failed after) 1 s\*\*/);
    expect(text.match(/^<details>/gm)?.length).toBe(text.match(/^<\/details>/gm)?.length);
  });

  test('the pull request’s body fits, and says who asked', () => {
    const text = renderPullRequestBody(plan, bundle, { leftOut: bundle.leftOut, notes: [] });
    expect(text.length).toBeLessThanOrEqual(limit);
    expect(text).toContain('\n\nRequested by @mona in #12 ');
  });

  test('the summary fits into what a runner takes', () => {
    const outcome = { version: 1, conclusion: 'success', comment: null, branchName: null, commitSha: null } as const;
    const rest = { pullRequest: null, filesChanged: 1, patch: '', warnings: bundle.notices };
    expect(Buffer.byteLength(renderSummary(plan, bundle, { ...outcome, ...rest }))).toBeLessThan(1024 * 1024);
  });
});

describe('what is cut is counted', () => {
  const reply = (more: Partial<Bundle>) => {
    const bundle = bundleOf(plan, more);
    return renderReply({ plan, bundle, delivery: nothingDelivered(bundle), elapsedMs: 1 });
  };

  test('notices, commands and files', () => {
    expect(reply({ notices: many(2_955, (index) => `notice ${index}`) })).toContain('> … and 2,940 more\n');
    expect(reply({ commands: many(2_970, String).map((command) => ({ command, exitCode: 0 })) })).toContain(
      '- … and 2,940 more before\n',
    );
    expect(reply({ leftOut: leftOut(2_950) })).toContain('`9` and 2,940 more: the path is protected');
  });

  test('names in a notice are cut each for itself, and the notice between two of them', () => {
    const notice = reply(floods['sixty long paths in one notice'] ?? {})
      .split('\n')
      .find((line) => line.startsWith('> '));
    expect(notice).toMatch(/^> Look twice at (`\d\/d+…`, ){5}…$/);
  });

  test('a long answer is in the summary to 200,000 characters, and both texts say where the rest is', () => {
    const bundle = bundleOf(plan, { reply: `${words(150_000)}THE END` });
    const outcome = { version: 1, conclusion: 'success', comment: null, branchName: null, commitSha: null } as const;
    expect(renderSummary(plan, bundle, { ...outcome, pullRequest: null, filesChanged: 1, patch: '', warnings: [] })).toContain(
      'THE END',
    );
    expect(reply({ reply: bundle.reply })).toContain(`the whole is in the [job summary](${plan.run.url})._`);
    const body = renderPullRequestBody(plan, bundle, { leftOut: [], notes: [] });
    expect(body).toContain('_The answer is cut here; the whole is in the reply in #12._');
    expect(body.length).toBeLessThan(14_000);
  });
});

describe('boundMarkdown', () => {
  test('a cut in a fence and a fold closes both', () => {
    const text = `a\n\n<details><summary>x</summary>\n\n~~~~\n${'line\n'.repeat(100)}~~~~\n\n</details>\n\nend`;
    const cut = boundMarkdown(text, 200);
    expect(cut.length).toBeLessThanOrEqual(200);
    expect(cut).toMatch(/\nline\n~~~~\n\n<\/details>\n\n_The rest is cut here: GitHub takes no more in one text\._$/);
  });

  test('a cut never falls into a paragraph, where it could take a code span apart', () => {
    const cut = boundMarkdown(`first\n\n\`a\n@octo/team\n${'b '.repeat(200)}\``, 120);
    expect(cut).toBe('first\n\n_The rest is cut here: GitHub takes no more in one text._');
  });

  test('what fits is not touched', () => {
    expect(boundMarkdown('```\nopen', 8)).toBe('```\nopen');
  });
});

describe('renderLeftOut', () => {
  test('one line for each reason, open to see, and the diff below', () => {
    const left = [
      { path: '.github/workflows/ci.yml', reason, patch: '+on: push\n' },
      { path: '.github/CODEOWNERS', reason, patch: '' },
      { path: 'big.bin', reason: 'the file is larger than 4 MB <b>', patch: '' },
    ];
    expect(renderLeftOut(left, 'the summary')).toBe(
      [
        `**Not published:** \`.github/workflows/ci.yml\`, \`.github/CODEOWNERS\`: ${reason}; the diff is below.`,
        '**Not published:** `big.bin`: the file is larger than 4 MB &#60;b&#62;.',
        '<details><summary>The diff of what is not published (1 file)</summary>',
        '```diff\n+on: push\n```',
        '</details>',
      ].join('\n\n'),
    );
  });

  test('a pull request that lacks a part closes nothing, in its own words or the model’s', () => {
    const bundle = bundleOf(plan, { reply: 'Fixes #12', changes: [writeOf('a', 'a')] });
    expect(renderPullRequestBody(plan, bundle, { leftOut: [], notes: [] })).toMatch(/^Fixes #12\n[\s\S]*\nCloses #12\n/m);
    const partial = renderPullRequestBody(plan, bundle, { leftOut: leftOut(1), notes: [] });
    expect(partial).toContain('\nFixes `#12`\n');
    expect(partial).not.toContain('Closes');
    expect(partial).toContain('**Not published:** `0`');
  });
});

describe('renderCommands (H7)', () => {
  const head = (...commands: readonly (readonly [string, number | null])[]) =>
    /<summary>(.*)<\/summary>/.exec(renderCommands(commands.map(([command, exitCode]) => ({ command, exitCode }))))?.[1];

  test('the fold’s line says how it ended, and not only that something failed', () => {
    expect(head(['node --test', 1], ['node --test', 0])).toBe('2 commands run: <code>node --test</code> failed, then passed');
    expect(head(['node --test', 0], ['node --test', 1])).toBe('2 commands run: <code>node --test</code> passed, then failed');
    expect(head(['ls', 0], ['node --test', 0])).toBe('2 commands run: the last one, <code>node --test</code>, passed');
    expect(head(['node --test', 1], ['grep x', 1], ['ls', 0])).toBe(
      '3 commands run: the last one, <code>ls</code>, passed; <code>grep x</code> and 1 more did not pass',
    );
    expect(head(['sleep', null])).toBe('1 command run: <code>sleep</code> ended early');
    expect(head(['echo <b> @octo & x', 0])).toBe('1 command run: <code>echo &#60;b&#62; &#64;octo &#38; x</code> passed');
  });

  test('each command is listed once, with its first and its last end', () => {
    const text = renderCommands([
      { command: 'node --test', exitCode: 2 },
      { command: 'ls', exitCode: 0 },
      { command: 'node --test', exitCode: 1 },
      { command: 'node --test', exitCode: 0 },
    ]);
    expect(text.split('\n').slice(2, 4)).toEqual([
      '- `ls`: passed',
      '- `node --test`: failed with exit code 2, then passed (3 runs)',
    ]);
  });
});
