// The reference server of the protocol's makers, and how it is started over HTTP on loopback.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Its program; without an argument it is a server over stdio. */
export const everything = path.resolve(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

export interface ReferenceServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

/** Starts it over HTTP, on `givenPort` or a free one, and waits until it listens. */
export async function startReferenceServer(givenPort?: number): Promise<ReferenceServer> {
  const port = givenPort ?? (await freePort());
  const env = { PATH: process.env.PATH ?? '', PORT: String(port) };
  const child = spawn(process.execPath, [everything, 'streamableHttp'], { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}/mcp`;
  // It listens when it answers, with whatever.
  while (child.exitCode === null && (await fetch(url).catch(() => undefined)) === undefined) await delay(20);
  return {
    url,
    port,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
