// End to end on dist: behind a proxy, as on many self-hosted runners, GitHub's API is reached through it.

import { expect, test } from '@jest/globals';
import { startProxy } from './loopback-proxy.ts';
import { startScene } from './scene.ts';

test('the API is reached through the proxy of the environment', async () => {
  const proxy = await startProxy();
  try {
    await using scene = await startScene([{ text: 'Through the proxy.' }]);
    const { github } = scene;
    const issue = github.openIssue({ author: 'wendy', title: 'A question' });
    const comment = github.comment({ author: 'wendy', issue: issue.number, body: '@harness9 are you there?' });
    const apiUrl = github.apiUrl.replace('127.0.0.1', 'api.invalid');

    const result = await scene.run({
      event: 'issue_comment',
      refs: { issue: issue.number, comment: comment.id },
      actor: 'wendy',
      apiUrl,
      options: { env: { http_proxy: proxy.url } },
    });

    expect(result.outputs.conclusion).toBe('no_changes');
    expect(scene.replies(issue.number)).toEqual([expect.stringContaining('Through the proxy.')]);
    expect([...proxy.hosts].filter((host) => host.startsWith('api.invalid'))).toHaveLength(1);
  } finally {
    proxy.close();
  }
}, 180_000);
