// An HTTP proxy on loopback, for plain requests and tunnels, that knows whom it was asked for.
import { createServer, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** A proxy on loopback that resolves every name to loopback; it notes whom it was asked for. */
export async function startProxy() {
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
