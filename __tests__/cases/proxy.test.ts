// The whole Action behind a proxy, as on many self-hosted runners: not GitHub alone is reached through it.
import http from 'node:http';
import { expect, jest, test } from '@jest/globals';
import { startProxy } from '../e2e/loopback-proxy.ts';
import { startCase } from './in-process.ts';
import { onlyReply } from './seen.ts';

jest.setTimeout(60_000);

test('GitHub and the model are reached through the proxy of the environment, and who logs in there is seen nowhere', async () => {
  // What the run sets for this process is taken back here.
  const restore = http.setGlobalProxyFromEnv({ http_proxy: 'http://127.0.0.1:9' });
  const proxy = await startProxy();
  try {
    const words = 'quiet-words-of-the-proxy';
    await using scene = await startCase([{ text: `Through the proxy, by ${words}.` }]);
    const { github, model } = scene;
    const issue = github.openIssue({ author: 'wendy', title: 'A question' });
    const comment = github.comment({ author: 'wendy', issue: issue.number, body: '@harness9 are you there?' });
    const modelUrl = model.openaiUrl.replace('127.0.0.1', 'model.invalid');
    const result = await scene.run({
      event: 'issue_comment',
      refs: { issue: issue.number, comment: comment.id },
      actor: 'wendy',
      apiUrl: github.apiUrl.replace('127.0.0.1', 'api.invalid'),
      inputs: { base_url: modelUrl, allow_insecure_endpoint: 'true' },
      options: { env: { http_proxy: proxy.url.replace('//', `//build:${words}@`) } },
    });
    expect(result.outputs.conclusion).toBe('no_changes');
    expect(onlyReply(scene, issue.number)).toContain('Through the proxy, by ***.');
    expect([...proxy.hosts]).toEqual(expect.arrayContaining([expect.stringMatching(/^api\.invalid:/), new URL(modelUrl).host]));
  } finally {
    proxy.close();
    restore();
  }
});
