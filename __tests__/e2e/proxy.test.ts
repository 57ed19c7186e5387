// End to end on dist: behind a proxy, as on many self-hosted runners, GitHub's API is reached through it.

import { createServer, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, test } from '@jest/globals';
import { startScene } from './scene.ts';

/** A proxy on loopback that resolves every *.localhost to loopback; it notes whom it was asked for. */
async function startProxy() {
  const hosts = new Set<string>();
  const open = new Set<Duplex>();
  const server = createServer((incoming, answer) => {
    const target = new URL(incoming.url ?? '');
    hosts.add(target.host);
    const options = {
      host: '127.0.0.1',
      port: target.port,
      path: target.pathname + target.search,
      method: incoming.method,
      headers: incoming.headers,
    };
    const outgoing = request(options, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(outgoing);
  });
  server.on('connect', (incoming: IncomingMessage, client: Duplex) => {
    hosts.add(incoming.url ?? '');
    const upstream = connect(Number(incoming.url?.split(':')[1]), '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    for (const [a, b] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(a);
      a.on('error', () => b.destroy());
      a.pipe(b);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    hosts,
    close: () => {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

test('the API is reached through the proxy of the environment', async () => {
  const proxy = await startProxy();
  try {
    await using scene = await startScene([{ text: 'Through the proxy.' }]);
    const { github } = scene;
    const issue = github.openIssue({ author: 'wendy', title: 'A question' });
    const comment = github.comment({ author: 'wendy', issue: issue.number, body: '@harness9 are you there?' });
    const apiUrl = github.apiUrl.replace('127.0.0.1', 'api.localhost');

    const result = await scene.run({
      event: 'issue_comment',
      refs: { issue: issue.number, comment: comment.id },
      actor: 'wendy',
      apiUrl,
      options: { env: { http_proxy: proxy.url } },
    });

    expect(result.outputs.conclusion).toBe('no_changes');
    expect(scene.replies(issue.number)).toEqual([expect.stringContaining('Through the proxy.')]);
    expect([...proxy.hosts].filter((host) => host.startsWith('api.localhost'))).toHaveLength(1);
  } finally {
    proxy.close();
  }
}, 60_000);
