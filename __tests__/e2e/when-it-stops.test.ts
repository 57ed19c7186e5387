// End to end on dist: limits, refused keys, cancelled runs and bad input; nothing is lost and nothing is left half-posted.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { answeredOnIssue, exchanges, others, pullRequestOnIssue, reads, writes } from './exchanges.ts';
import { late } from './late.ts';
import { mention, mentionOn } from './mention.ts';
import { mendingTurn, startScene } from './scene.ts';

const timeout = 180_000;

/** The runner must be told a secret to mask it. */
function withoutMasks(stdout: string): string {
  return stdout.replace(/^::add-mask::.*$/gm, '');
}

/** A run that came to its end before the agent began. */
const beforeTheAgent = exchanges({
  writes: [writes.started, writes.answered],
  reads: [reads.permission, reads.issue],
  others: others.gated,
  modelRequests: 0,
});
const nothing = exchanges({ others: others.skipped, modelRequests: 0 });
const gateOnly = exchanges({ reads: [reads.permission, reads.issue], others: others.gated, modelRequests: 0 });

describe('a run that is stopped', () => {
  test(
    'by max_turns publishes the edits and names the limit (G6-17)',
    async () => {
      await using scene = await startScene([mendingTurn, { text: 'Mended the sign; the tests are still to be run.' }]);

      const { issue, result } = await mention(scene, { inputs: { max_turns: '2' } });

      expect(result.outputs).toMatchObject({ conclusion: 'max_turns', stop_reason: 'max_turns', turns: '2' });
      expect(scene.model.requests[1]?.mayCall).toBe(false);
      const [pull] = scene.github.snapshot().pulls;
      expect(await scene.github.git('show', `${pull?.head}:src/total.js`)).toContain('sum + price');
      const [reply] = scene.replies(issue);
      expect(reply).toContain('Mended the sign; the tests are still to be run.');
      expect(reply).toContain('max_turns');
      expect(reply).toContain('@harness9 continue');
      expect(scene.exchanges()).toEqual(pullRequestOnIssue(2));
    },
    timeout,
  );

  test(
    'because the model’s key is refused says which input to mend',
    async () => {
      await using scene = await startScene([{ status: 401, error: 'Incorrect API key provided: key-of-the-model-0123456789' }]);

      const { issue, result } = await mention(scene);

      expect(result.outputs.conclusion).toBe('error');
      expect(result.exitCode).toBe(1);
      const [reply] = scene.replies(issue);
      expect(reply).toContain('api_key');
      expect(JSON.stringify(scene.github.requests) + withoutMasks(result.stdout) + result.stderr + result.summary).not.toContain(
        'key-of-the-model-0123456789',
      );
      expect(scene.replies(issue)).toHaveLength(1);
      expect(scene.exchanges()).toEqual(answeredOnIssue(1));
    },
    timeout,
  );

  test(
    'by a cancel half-way gives one final reply, and publishes what was done',
    async () => {
      const cancel = new AbortController();
      await using scene = await startScene([mendingTurn, late(() => cancel.abort())]);

      const { issue, result } = await mention(scene, { options: { cancel: cancel.signal } });

      expect(result.main.durationMs).toBeLessThan(12_000);
      const replies = scene.replies(issue);
      expect(replies).toHaveLength(1);
      expect(replies[0]).toMatch(/cancelled/i);
      expect(replies[0]).not.toContain('working on it');
      const [pull] = scene.github.snapshot().pulls;
      expect(await scene.github.git('show', `${pull?.head}:src/total.js`)).toContain('sum + price');
      expect(scene.github.snapshot().artifacts).toHaveLength(1);
      expect(result.orphans).toBe(0);
      expect(scene.exchanges()).toEqual(pullRequestOnIssue(2));
    },
    timeout,
  );

  test(
    'by SIGKILL leaves no working comment behind: post says the last word',
    async () => {
      const cancel = new AbortController();
      await using scene = await startScene([late(() => cancel.abort())]);

      const { issue } = await mention(scene, {
        options: { cancel: cancel.signal, cancelTimes: { interruptMs: 1, terminateMs: 1 } },
      });

      const replies = scene.replies(issue);
      expect(replies).toHaveLength(1);
      expect(replies[0]).toMatch(/cancelled/i);
      expect(scene.exchanges()).toEqual(answeredOnIssue(1));
    },
    timeout,
  );

  test(
    'by SIGKILL while it posts the first comment still gets its one last word',
    async () => {
      const cancel = new AbortController();
      await using scene = await startScene([{ text: 'never asked', delayMs: 30_000 }]);
      const watch = setInterval(() => {
        const isPosting = scene.github.requests.some(({ method, route }) => method === 'POST' && route?.endsWith('/comments'));
        if (isPosting) cancel.abort();
      }, 1);
      try {
        const { issue } = await mention(scene, {
          options: { cancel: cancel.signal, cancelTimes: { interruptMs: 1, terminateMs: 1 } },
        });
        expect(scene.replies(issue)).toEqual([expect.stringMatching(/cancelled/i)]);
        const asked = scene.exchanges();
        // Whether the reaction was on its way when the kill came is the machine's business; a second one changes nothing at GitHub.
        expect({ ...asked, writes: [...new Set(asked.writes)] }).toEqual({
          ...beforeTheAgent,
          writes: [...new Set(beforeTheAgent.writes)],
        });
      } finally {
        clearInterval(watch);
      }
    },
    timeout,
  );

  test(
    'by SIGKILL while it uploads the conversation loses neither the work nor the conversation',
    async () => {
      const cancel = new AbortController();
      await using scene = await startScene([mendingTurn, { text: 'Mended.' }, { text: 'It was the sign.' }]);
      const watch = setInterval(() => {
        if (scene.github.requests.some(({ path: called }) => called.endsWith('CreateArtifact'))) cancel.abort();
      }, 1);
      try {
        const { issue } = await mention(scene, {
          options: { cancel: cancel.signal, cancelTimes: { interruptMs: 1, terminateMs: 1 } },
        });
        expect(scene.replies(issue)).toEqual([expect.stringMatching(/^Mended\./)]);
        expect(scene.github.snapshot().pulls).toHaveLength(1);
        const { result } = await mentionOn(scene, issue, { said: '@harness9 what was it?' });
        expect(result.outputs).toMatchObject({ conclusion: 'no_changes', session_resumed: 'true' });
        expect(scene.sent(0).all).not.toContain('The files were checked out anew');
        expect(scene.sent(2).all).toContain('The files were checked out anew');
      } finally {
        clearInterval(watch);
      }
    },
    timeout,
  );
});

describe('bad input', () => {
  test.each([
    ['an unknown provider', { provider: 'gemini' }, 'provider', nothing],
    ['several wrong values at once', { max_turns: 'many', create_pr: 'yes' }, 'create_pr', nothing],
  ])(
    '%s is one clear message that names the input, exit 1, and nothing is posted',
    async (_case, inputs, name, expected) => {
      await using scene = await startScene([]);
      const { issue, result } = await mention(scene, { inputs });
      expect(result.exitCode).toBe(1);
      const errors = result.commands.filter(({ name: command }) => command === 'error');
      expect(errors).toHaveLength(1);
      expect(JSON.stringify(errors)).toContain(name);
      expect(scene.exchanges()).toEqual(expected);
      expect(scene.replies(issue)).toEqual([]);
    },
    timeout,
  );

  test(
    'a missing key is said in one reply that says what to mend, and nothing looked like work before (R1, R5)',
    async () => {
      await using scene = await startScene([]);
      const { issue, result } = await mention(scene, { inputs: { api_key: '' } });
      expect(result.exitCode).toBe(1);
      expect(result.outputs).toMatchObject({ triggered: 'true', conclusion: 'error' });
      expect(scene.replies(issue)).toEqual([
        expect.stringMatching(/^\*\*Failed:\*\* .*api_key[\s\S]*Once that is mended, comment again\./),
      ]);
      expect(scene.writes()).toEqual(['POST issues/{issue_number}/comments', 'POST issues/comments/{comment_id}/reactions']);
      expect(JSON.stringify(scene.github.requests)).not.toContain('is working on it');
      expect(scene.model.requests).toEqual([]);
    },
    timeout,
  );

  test(
    'a malformed event names the field',
    async () => {
      await using scene = await startScene([]);
      const payload = { action: 'created', comment: { body: 7 }, issue: { number: 'x' } };
      const result = await scene.run({
        event: 'issue_comment',
        actor: 'wendy',
        payload,
      });
      expect(result.exitCode).toBe(1);
      expect(JSON.stringify(result.commands.filter(({ name }) => name === 'error'))).toMatch(/repository|comment|issue/);
      expect(scene.exchanges()).toEqual(nothing);
    },
    timeout,
  );

  test(
    'a folder that is no checkout ends in one reply that says so',
    async () => {
      await using scene = await startScene([]);
      const workspace = await mkdtemp(path.join(tmpdir(), 'harness9-empty-'));
      try {
        const { issue, result } = await mention(scene, { options: { workspace } });
        expect(result.exitCode).toBe(1);
        expect(scene.replies(issue)).toEqual([expect.stringContaining('actions/checkout')]);
        expect(scene.exchanges()).toEqual(beforeTheAgent);
      } finally {
        await rm(workspace, { recursive: true, force: true });
      }
    },
    timeout,
  );

  test(
    'no permission to comment ends the run before it costs anything, and names the permission',
    async () => {
      await using scene = await startScene([]);
      const { issue, result } = await mention(scene, {
        permissions: { contents: 'write', actions: 'read', issues: 'read', pull_requests: 'read' },
      });
      expect(result.exitCode).toBe(1);
      expect(result.outputs).toMatchObject({ triggered: 'false', conclusion: 'error' });
      expect(result.log).toContain('issues: write');
      expect(scene.replies(issue)).toEqual([]);
      expect(scene.exchanges()).toEqual({ ...gateOnly, writes: ['POST issues/{issue_number}/comments'] });
    },
    timeout,
  );
});
