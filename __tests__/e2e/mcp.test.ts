// End to end on dist: the reference server over stdio in the tool host and over HTTP from our own process, and what its secret reaches.
import { describe, expect, test } from '@jest/globals';
import { everything, startReferenceServer } from '../mcp/reference-server.ts';
import { mention } from './mention.ts';
import { shopFiles, startScene } from './scene.ts';

const timeout = 180_000;
const echo = (server: string) => ({ calls: [{ name: `mcp__${server}__echo`, arguments: { message: 'hello there' } }] });

describe('MCP servers', () => {
  test(
    'over stdio: it runs in the tool host without a key of ours, and is gone at the end',
    async () => {
      await using scene = await startScene([
        echo('everything'),
        { calls: [{ name: 'mcp__everything__get-env', arguments: {} }] },
        { text: 'Heard.' },
      ]);
      const config = JSON.stringify({ mcpServers: { everything: { command: process.execPath, args: [everything, 'stdio'] } } });
      const { issue, result } = await mention(scene, { inputs: { mcp_config: config } });
      expect(result.outputs).toMatchObject({ conclusion: 'no_changes' });
      expect(scene.sent(0).tools).toContain('mcp__everything__get-tiny-image');
      expect(scene.sent(1).all).toContain('Echo: hello there');
      expect(scene.sent(2).all).not.toContain('key-of-the-model');
      expect(scene.sent(2).all).toContain('PATH');
      expect(scene.replies(issue)[0]).not.toContain('Still running');
    },
    timeout,
  );

  test(
    'over HTTP from our own process: the secret is in no prompt, no log and no command',
    async () => {
      await using server = await startReferenceServer();
      await using scene = await startScene([
        echo('remote'),
        { calls: [{ name: 'bash', arguments: { command: 'env; tr "\\0" "\\n" < /proc/$PPID/environ' } }] },
        { text: 'Heard.' },
      ]);
      const secret = 'token-of-the-server-0123456789';
      const config = JSON.stringify({
        mcpServers: { remote: { url: server.url, headers: { authorization: 'Bearer ${MCP_REMOTE_TOKEN}' } } },
      });
      const { result } = await mention(scene, {
        inputs: { mcp_config: config },
        options: { env: { MCP_REMOTE_TOKEN: secret } },
      });
      expect(scene.sent(1).all).toContain('Echo: hello there');
      expect(scene.sent(2).all).not.toContain(secret);
      expect(scene.sent(2).all).not.toContain('MCP_REMOTE_TOKEN');
      expect(`${result.stdout}${result.stderr}`.replaceAll(/::add-mask::.*/g, '')).not.toContain(secret);
    },
    timeout,
  );

  test(
    'from a file of the base branch; a server that cannot be started is told, and the run goes on',
    async () => {
      const files = { ...shopFiles, '.harness9/mcp.yml': 'mcpServers:\n  broken:\n    command: /no/such/program\n' };
      await using scene = await startScene([{ text: 'Without it.' }], { files });
      const { issue } = await mention(scene, { inputs: { mcp_config: './.harness9/mcp.yml' } });
      expect(scene.replies(issue)[0]).toMatch(/Without it\.[\s\S]*> .*broken/);
    },
    timeout,
  );

  test(
    'a run about outsiders’ text has no server that is not said to be for it',
    async () => {
      await using scene = await startScene([{ text: 'Looked.' }]);
      const issue = scene.github.openIssue({ author: 'oscar', title: 'Total is wrong', body: 'It is.' });
      const comment = scene.github.comment({ author: 'wendy', issue: issue.number, body: '@harness9 look' });
      const config = JSON.stringify({ everything: { command: process.execPath, args: [everything, 'stdio'] } });
      await scene.run({
        event: 'issue_comment',
        refs: { issue: issue.number, comment: comment.id },
        actor: 'wendy',
        inputs: { mcp_config: config },
      });
      expect(scene.sent(0).tools).not.toContain('mcp__');
      expect(scene.replies(issue.number).at(-1)).toContain('The MCP server "everything" is not for mixed runs.');
    },
    timeout,
  );
});
