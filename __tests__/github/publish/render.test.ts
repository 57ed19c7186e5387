import { describe, expect, test } from '@jest/globals';
import { decideConclusion } from '../../../src/github/publish/decide-conclusion.ts';
import { type Delivery, nothingDelivered } from '../../../src/github/publish/delivery.ts';
import { renderDuration, renderTokens } from '../../../src/github/publish/figures.ts';
import { fencedCode, inlineCode } from '../../../src/github/publish/inline-code.ts';
import { outputsOf } from '../../../src/github/publish/outputs.ts';
import { renderReply } from '../../../src/github/publish/render-reply.ts';
import { renderSummary } from '../../../src/github/publish/render-summary.ts';
import type { Bundle } from '../../../src/schema/bundle.ts';
import type { Outcome } from '../../../src/schema/outcome.ts';
import { bundleOf, plan, writeOf } from '../plan-and-bundle.ts';

const delivered: Delivery = {
  ...nothingDelivered({ leftOut: [] }),
  branch: 'harness9/issue-12-fix-rounding',
  commitSha: 'a'.repeat(40),
  pullRequest: { number: 13, url: 'https://github.com/acme/shop/pull/13', operation: 'created' },
  published: [writeOf('src/cart.ts', 'x')],
};

function reply(more: Partial<Bundle>, delivery: Delivery = delivered, of = plan): string {
  return renderReply({ plan: of, bundle: bundleOf(of, more), delivery, elapsedMs: 108_000 });
}

const bare: Partial<Bundle> = { commands: [], notices: [] };
const footer = '[run](https://github.com/acme/shop/actions/runs/99)';
const resultOf = (stopReason: Bundle['result']['stopReason'], error?: Bundle['result']['error']): Bundle['result'] => ({
  ...bundleOf(plan).result,
  stopReason,
  ...(error === undefined ? {} : { error }),
});

describe('renderReply', () => {
  test('the answer and one line', () => {
    expect(reply(bare)).toBe(
      `Fixed the rounding in \`total()\`.\n\n**Done in 1 m 48 s** · ${footer} · branch \`harness9/issue-12-fix-rounding\` · #13 · 9 turns · 41 k tokens (82 % cached)`,
    );
  });

  test('a limit: which one, what is kept, what to do', () => {
    expect(reply({ ...bare, reply: 'Half done.', result: resultOf('max_turns') })).toBe(
      [
        'Half done.',
        '**Stopped at the limit of 50 turns (max_turns).** What is done so far is in #13. The conversation is kept. To go on, reply `@harness9 continue`.',
        `**Stopped after 1 m 48 s** · ${footer} · branch \`harness9/issue-12-fix-rounding\` · #13 · 9 turns · 41 k tokens (82 % cached)`,
      ].join('\n\n'),
    );
  });

  test('a fault: what failed, the hint, nothing kept', () => {
    const error = { code: 'X', message: 'the model refused the key (401)', hint: 'Check `api_key`.' };
    const session = { id: null, resumed: false, artifactId: null, notice: null };
    const text = reply(
      { ...bare, reply: '', changes: [], session, result: resultOf('error', error) },
      nothingDelivered({ leftOut: [] }),
    );
    expect(text.split('\n\n').slice(0, 2)).toEqual([
      '**Failed: the model refused the key (401)** Check `api_key`. No file was changed. To try again, reply `@harness9 continue`.',
      expect.stringMatching(/^\*\*Failed after /),
    ]);
  });

  const failing = resultOf('error', { code: 'PROVIDER_OVERLOADED', message: 'the model is down' });

  test.each([
    ['failed', failing, '**Failed: the model is down** What is done so far is in #13.'],
    ['was cancelled', resultOf('cancelled'), '**Cancelled.** What is done so far is in #13.'],
    [
      'reached a limit and had no words left',
      { ...resultOf('budget'), ownWords: 'Reading the code.' },
      '**Stopped at the budget.** What is done so far is in #13.',
    ],
  ])('a run that %s shows the model’s last words as such, and says its end once', (_how, result, ending) => {
    const said =
      result.ownWords === undefined ? 'Reading the code.' : 'Reading the code.\n\nThe run stopped because of the budget.';
    const text = reply({ ...bare, reply: said, result });
    expect(text.split('\n\n').slice(0, 3)).toEqual([
      expect.stringContaining(ending),
      'Last note before it stopped:',
      'Reading the code.',
    ]);
    expect(text).not.toContain('The run stopped because');
  });

  test.each(['MODEL_REFUSED', 'MODEL_CONTENT_FILTER'])(
    '%s: an answer that was refused is told once, nothing says that it is done, and going on is not advised',
    (code) => {
      const error = { code, message: 'The model declined to answer this request.', hint: 'Ask in other words.' };
      const text = reply(
        { ...bare, reply: error.message, result: resultOf('completed', error) },
        nothingDelivered({ leftOut: [] }),
      );
      expect(text.split('\n\n')).toEqual([
        '**The model declined to answer this request.** Ask in other words. No file was changed. The conversation is kept. A new conversation begins with `@harness9 new …`.',
        expect.stringMatching(/^\*\*Failed after 1 m 48 s\*\*/),
      ]);
    },
  );

  test.each(['PROVIDER_CONTENT_FILTER', 'PROVIDER_CONTEXT_OVERFLOW'])(
    '%s: what was said stands in the way, and a new conversation is offered instead of going on',
    (code) => {
      const result = resultOf('error', { code, message: 'no' });
      const text = reply({ ...bare, reply: '', result }, nothingDelivered({ leftOut: [] }));
      expect(text).toContain(
        '**Failed: no** No file was changed. The conversation is kept. A new conversation begins with `@harness9 new …`.',
      );
      expect(text).not.toContain('continue');
    },
  );

  test.each([
    ...['PROVIDER_AUTH', 'PROVIDER_QUOTA', 'PROVIDER_KEY_MISSING', 'INPUT_INVALID', 'SANDBOX_UNAVAILABLE'],
    ...['CONFIG_UNREADABLE', 'CONFIG_MALFORMED', 'PERMISSION_RULES', 'HOOKS_INVALID', 'MCP_CONFIG', 'MCP_START'],
    ...['TRACING_ENDPOINT', 'TRACING_HEADERS', 'SCRIPT_UNREADABLE', 'SCRIPT_MALFORMED', 'OUTPUT_SCHEMA'],
  ])('a fault with the code %s is not mended by going on, and the reply does not say so', (code) => {
    const text = reply(
      { ...bare, reply: '', result: resultOf('error', { code, message: 'no' }) },
      nothingDelivered({ leftOut: [] }),
    );
    expect(text).toContain('**Failed: no** No file was changed. Once that is mended, comment again.');
    expect(text).not.toContain('continue');
  });

  test('work that does not pass its check: the answer is an answer, and what failed stands under it', () => {
    const error = { code: 'VERIFY_FAILED', message: '`npm test` still fails with exit code 1, after 2 tries to mend it.' };
    const text = reply({ ...bare, reply: 'I mended it.', result: resultOf('completed', error) });
    expect(text.split('\n\n')).toEqual([
      'I mended it.',
      '**`npm test` still fails with exit code 1, after 2 tries to mend it.** What is done so far is in #13. The conversation is kept. To go on, reply `@harness9 continue`.',
      expect.stringMatching(/^\*\*Failed after 1 m 48 s\*\*/),
    ]);
  });

  test('a run without a single turn has no conversation to keep, and its budget is too small for any', () => {
    const result = { ...resultOf('budget'), turns: 0, ownWords: '' };
    const text = reply({ ...bare, reply: 'The run stopped.', changes: [], result }, nothingDelivered({ leftOut: [] }));
    const [ending] = text.split('\n');
    expect(ending).toBe(
      '**Not even one call to the model fits the budget.** No file was changed. Raise it and comment again. A new conversation begins with `@harness9 new …`.',
    );
    expect(text).not.toContain('0 turns');
    expect(reply({ ...bare, result: { ...resultOf('completed'), turns: 1 } })).toContain('· 1 turn ·');
  });

  test('sub-agents are counted beside the turns', () => {
    const result = { ...resultOf('completed'), turns: 2, subagents: { runs: 3, turns: 7 } };
    expect(reply({ ...bare, result })).toContain('· 2 turns · 3 sub-agents (7 turns) ·');
  });

  test('an empty answer still says something (G1-41)', () => {
    expect(reply({ ...bare, reply: ' \n' })).toMatch(/^Changed 1 file; the model gave no summary\.\n/);
  });

  test('the sandbox is named when it is weaker than namespace', () => {
    expect(reply({ ...bare, sandbox: 'process' })).toMatch(/ · sandbox: `process`$/);
    expect(reply({ ...bare, sandbox: 'bubblewrap' })).not.toContain('sandbox');
  });

  test('notices, the session’s line and what was left out', () => {
    const text = reply(
      {
        commands: [{ command: 'npm test', exitCode: 1 }],
        notices: ['Look twice at `package.json`.'],
        session: {
          id: 's',
          resumed: false,
          artifactId: null,
          notice: 'The earlier session could not be read; this is a fresh one.',
        },
      },
      { ...delivered, leftOut: [{ path: '.github/workflows/ci.yml', reason: 'the path is protected', patch: '+on: push\n' }] },
    );
    expect(text).toBe(
      [
        'Fixed the rounding in `total()`.',
        '**Not published:** `.github/workflows/ci.yml`: the path is protected; the diff is below.',
        '<details><summary>The diff of what is not published (1 file)</summary>',
        '```diff\n+on: push\n```',
        '</details>',
        '> Look twice at `package.json`.\n>\n> The earlier session could not be read; this is a fresh one.',
        '<details><summary>1 command run: <code>npm test</code> failed</summary>',
        '- `npm test`: failed with exit code 1',
        '</details>',
        `**Done in 1 m 48 s** · ${footer} · branch \`harness9/issue-12-fix-rounding\` · #13 · 9 turns · 41 k tokens (82 % cached)`,
      ].join('\n\n'),
    );
  });

  test('a head that moved names the commit (B6)', () => {
    const head = { branch: 'x', sha: 'abcdef1'.padEnd(40, '0'), repository: 'a/b', isFork: false, movedAfterTrigger: true };
    const replyFor = (isFork: boolean) =>
      reply(bare, nothingDelivered({ leftOut: [] }), { ...plan, checkoutSha: head.sha, head: { ...head, isFork } });
    expect(replyFor(false)).toContain(
      '> I looked at the commit abcdef1. It may have been pushed after your comment, so I only read. Comment again',
    );
    expect(replyFor(true)).toContain(
      '> I looked at the commit abcdef1. This pull request comes from a fork: I read it and propose; I push nothing to it and run none of its code.\n',
    );
    expect(replyFor(true)).not.toContain('Comment again');
    const unlisted = reply(bare, nothingDelivered({ leftOut: [] }), {
      ...plan,
      checkoutSha: head.sha,
      head: { ...head, isUnlisted: true },
    });
    expect(unlisted).toContain(
      '> I looked at the commit abcdef1. This server does not tell when it was pushed, so I only read. Ask in',
    );
    expect(unlisted).not.toContain('Comment again');
  });

  const inReply: Delivery = { ...nothingDelivered({ leftOut: [] }), isInReply: true };

  test('an answer of 70,000 characters is cut and says so (G1-10)', () => {
    const text = reply({ ...bare, reply: 'é🎉'.repeat(24_000) });
    expect(text.length).toBeLessThan(65_536);
    expect(text.isWellFormed()).toBe(true);
    expect(text).toContain(
      '_The answer is cut here; the whole is in the [job summary](https://github.com/acme/shop/actions/runs/99)._',
    );
    expect(text).toContain('**Done in');
  });

  test('a long answer and a long diff: cut between files and hunks, all closed (G1-10)', () => {
    const hunks = Array.from(
      { length: 200 },
      (_, index) => `@@ -${index * 9 + 1},1 +${index * 9 + 1},2 @@\n x\n+🎉${'y'.repeat(250)}\n`,
    );
    const big = writeOf('big.ts', 'x', { patch: `diff --git a/big.ts b/big.ts\n--- a/big.ts\n+++ b/big.ts\n${hunks.join('')}` });
    const text = reply(
      { ...bare, reply: `${'w '.repeat(20_000)}\n\n\`\`\`\nopen`, changes: [writeOf('a.ts', 'a'), big] },
      inReply,
    );
    expect(text.length).toBeLessThan(65_536);
    expect(text.isWellFormed()).toBe(true);
    const diff = /```diff\n([\s\S]*?)\n```\n\n_(\d+) lines of this diff are not shown/.exec(text);
    expect(diff?.[1]).toMatch(/\+🎉y{250}$/);
    const shown = (diff?.[1] ?? '').split('\n').length;
    expect(shown + Number(diff?.[2])).toBe(6 + 3 + 600);
    expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length);
    expect(text).toContain('```\nopen\n```');
  });

  test('content cannot break out of its fence or its list (G1-38)', () => {
    const evil = writeOf('a`b.md', '', { patch: '+````js\n+</details>\n+```\n+@octocat\n' });
    const text = reply({ ...bare, changes: [evil], commands: [{ command: 'echo `x`\n</details>', exitCode: 0 }] }, inReply);
    expect(text).toContain('`````diff\n+````js\n+</details>\n+```\n+@octocat\n`````');
    expect(text).toContain('- ``echo `x` </details>``: passed');
  });
});

describe('decideConclusion', () => {
  const nothing = { isDelivered: false, isLeftOut: false };

  test.each([
    ['completed', true, 'success'],
    ['completed', false, 'no_changes'],
    ['max_turns', true, 'max_turns'],
    ['timeout', true, 'timeout'],
    ['budget', false, 'budget'],
    ['repetition', false, 'repetition'],
    ['cancelled', true, 'cancelled'],
    ['error', true, 'error'],
  ] as const)('%s with changes %s is %s', (stopReason, hasChanges, conclusion) => {
    expect(decideConclusion({ stopReason }, { isDelivered: hasChanges, isLeftOut: false })).toBe(conclusion);
  });

  test.each([
    ['MODEL_REFUSED', 'refused'],
    ['MODEL_CONTENT_FILTER', 'refused'],
    ['MODEL_EMPTY_ANSWER', 'error'],
    ['VERIFY_FAILED', 'verify_failed'],
  ] as const)('an answer that ended in %s is %s', (code, conclusion) => {
    expect(decideConclusion({ stopReason: 'completed', error: { code, message: '' } }, nothing)).toBe(conclusion);
  });

  test('changes that do not pass their check are no success', () => {
    const result = { stopReason: 'completed', error: { code: 'VERIFY_FAILED', message: '' } } as const;
    expect(decideConclusion(result, { isDelivered: true, isLeftOut: false })).toBe('verify_failed');
  });

  test('a run whose changes were all left out did not just answer', () => {
    expect(decideConclusion({ stopReason: 'completed' }, { isDelivered: false, isLeftOut: true })).toBe('refused');
    expect(decideConclusion({ stopReason: 'completed' }, { isDelivered: true, isLeftOut: true })).toBe('success');
    expect(decideConclusion({ stopReason: 'max_turns' }, { isDelivered: false, isLeftOut: true })).toBe('max_turns');
  });
});

describe('outputs and summary', () => {
  const outcome: Outcome = {
    version: 1,
    conclusion: 'success',
    comment: { id: 5, url: 'https://github.com/acme/shop/issues/12#issuecomment-5' },
    branchName: 'harness9/issue-12-fix-rounding',
    commitSha: 'a'.repeat(40),
    pullRequest: { number: 13, url: 'https://github.com/acme/shop/pull/13', operation: 'created' },
    filesChanged: 1,
    patch: '',
    warnings: ['the reaction eyes was refused'],
  };

  test('every output is text; what is not known is empty', () => {
    expect(outputsOf(plan, bundleOf(plan), outcome)).toEqual({
      conclusion: 'success',
      triggered: 'true',
      stop_reason: 'completed',
      error: '',
      final_message: 'Fixed the rounding in `total()`.',
      session_id: 's1',
      session_resumed: 'false',
      session_artifact_id: '',
      branch_name: 'harness9/issue-12-fix-rounding',
      commit_sha: 'a'.repeat(40),
      pull_request_number: '13',
      pull_request_url: 'https://github.com/acme/shop/pull/13',
      pull_request_operation: 'created',
      comment_id: '5',
      comment_url: 'https://github.com/acme/shop/issues/12#issuecomment-5',
      files_changed: '1',
      turns: '9',
      input_tokens: '40000',
      output_tokens: '1000',
      cache_read_tokens: '32800',
      cost_usd: '',
      duration_ms: '108000',
      sandbox: 'namespace',
      trust: 'trusted',
    });
  });

  test('without a bundle the outputs tell the fault, and long ones are cut (G1-40)', () => {
    const error = { message: 'input `hooks`: no list\ninput `model`: nothing given\n' };
    expect(outputsOf(plan, null, { ...outcome, error }).error).toBe('input `hooks`: no list; input `model`: nothing given');
    const failed = outputsOf(plan, null, { ...outcome, conclusion: 'error', error: { message: 'the key was refused' } });
    expect([failed.error, failed.turns, failed.final_message]).toEqual(['the key was refused', '', '']);
    expect(outputsOf(plan, bundleOf(plan, { reply: 'x'.repeat(300_000) }), outcome).final_message).toHaveLength(60_000);
  });

  const failure = {
    ...outcome,
    conclusion: 'error',
    error: { message: 'The key was\nrefused (401).', hint: 'Check `api_key`.' },
  } as const;
  const failureHead = '### harness9: error\n\n**Cause:** The key was refused (401).\n\n> Check `api_key`.\n\n| | |\n';

  test('the summary begins with what went wrong and what to do, with a bundle and without', () => {
    expect(renderSummary(plan, bundleOf(plan, { result: resultOf('error') }), failure).startsWith(failureHead)).toBe(true);
    expect(renderSummary(plan, null, failure).startsWith(failureHead)).toBe(true);
    expect(renderSummary(plan, bundleOf(plan), outcome)).not.toContain('**Cause:**');
  });

  test('a reply that GitHub did not take is in the summary (G1-30)', () => {
    expect(renderSummary(plan, null, { ...failure, unposted: '**Failed:** the model’s answer' })).toContain(
      '\n**Failed:** the model’s answer',
    );
  });

  test.each([
    ['off', 'process', 'off (not enforced at sandbox level process)'],
    ['allowlist', 'readonly', 'allowlist (not enforced at sandbox level readonly)'],
    ['allowlist', 'none', 'allowlist (not enforced at sandbox level none)'],
    ['allowlist', 'namespace', 'allowlist'],
    ['off', 'bubblewrap', 'off'],
    ['open', 'process', 'open'],
  ] as const)('the network %s at the sandbox level %s is shown as it is', (network, sandbox, shown) => {
    const text = renderSummary({ ...plan, network }, bundleOf(plan, { sandbox }), outcome);
    expect(text).toContain(`| tools, bash, network | all, allowed, ${shown} |`);
  });

  test('the summary holds the figures, the answer and the patch, and is bounded (D4)', () => {
    const text = renderSummary(plan, bundleOf(plan), outcome);
    expect(text).toMatch(/^### harness9: success\n\n\| \| \|\n\| --- \| --- \|\n\| asked by \| `mona` \(mention\) \|\n/);
    expect(text).toContain('| pull request | [#13](https://github.com/acme/shop/pull/13) |');
    expect(text).toContain('Fixed the rounding in `total()`.');
    expect(text).toContain('+export const total = 1;');
    const big = Array.from({ length: 90 }, (_, index) =>
      writeOf(`f${index}`, 'x', { patch: `@@ -1 +1 @@\n+${'z'.repeat(9_000)}\n` }),
    );
    const bounded = renderSummary(
      plan,
      bundleOf(plan, { changes: big, reply: `</details><img src=x>${' word'.repeat(40_000)}` }),
      outcome,
    );
    expect(bounded.length).toBeLessThan(340_000);
    expect(bounded).toContain(' word word');
    expect(bounded.includes('<img')).toBe(false);
  });
});

describe('figures and code', () => {
  test('durations and tokens as people read them', () => {
    expect([0, 59_400, 60_000, 7_500_000].map(renderDuration)).toEqual(['0 s', '59 s', '1 m 0 s', '2 h 5 m']);
    expect([0, 999, 1_000, 41_499, 999_600].map(renderTokens)).toEqual([
      '0 tokens',
      '999 tokens',
      '1 k tokens',
      '41 k tokens',
      '1.0 M tokens',
    ]);
  });

  test('code spans and fences are longer than any run inside', () => {
    expect([inlineCode('a'), inlineCode('a`b'), inlineCode('`a``'), inlineCode('')]).toEqual([
      '`a`',
      '``a`b``',
      '``` `a`` ```',
      '`  `',
    ]);
    expect(fencedCode('a\n', 'diff')).toBe('```diff\na\n```');
    expect(fencedCode('````', '')).toBe('`````\n````\n`````');
  });
});
