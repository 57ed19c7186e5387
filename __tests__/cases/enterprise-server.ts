// The simulated GitHub as an older Enterprise Server behind its gateway: under another name and path, and without what came later.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SimulatedGitHub } from '../../src/simulator/github/contract.ts';

export interface EnterpriseServer extends AsyncDisposable {
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly serverUrl: string;
  /** The same with every address as this server gives it to people. */
  named<T>(value: T): T;
  /** What was asked of it, as `GET /api/v3/…`. */
  readonly asked: readonly string[];
  /** The API versions that were asked for by header. */
  readonly versions: ReadonlySet<string>;
}

/** How the server calls its own API: nobody outside knows the name. */
const insideUrl = 'http://ghe-inside.invalid:8080/api/v3';
const unknownRoute = /\/activity(?:\?|$)/;
const undefinedField = {
  errors: [
    {
      message: "Field 'itIsTooNew' doesn't exist on type 'Query'",
      path: ['query', 'itIsTooNew'],
      extensions: { code: 'undefinedField', typeName: 'Query', fieldName: 'itIsTooNew' },
    },
  ],
};

/** Starts the gateway on loopback. Nothing of GraphQL is known there, nor the list of pushes, nor the names of roles. */
export async function startEnterpriseServer(github: SimulatedGitHub): Promise<EnterpriseServer> {
  const asked: string[] = [];
  const versions = new Set<string>();
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    asked.push(`${method} ${url}`);
    if (headers['x-github-api-version'] !== undefined) versions.add(String(headers['x-github-api-version']));
    if (unknownRoute.test(url)) return sendJson(response, 404, { message: 'Not Found' });
    if (url === '/api/graphql') return sendJson(response, 200, undefinedField);
    forward(request, github, renamed).then(
      (answer) => {
        response.writeHead(answer.status, answer.headers);
        response.end(answer.body);
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const serverUrl = `http://ghe.localhost:${port}`;
  const named = (text: string) => text.replaceAll(github.serverUrl, serverUrl);
  function renamed(text: string): string {
    return named(text).replaceAll(github.apiUrl, insideUrl);
  }
  return {
    apiUrl: `http://127.0.0.1:${port}/api/v3`,
    graphqlUrl: `http://127.0.0.1:${port}/api/graphql`,
    serverUrl,
    named: (value) => JSON.parse(renamed(JSON.stringify(value))),
    asked,
    versions,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}

async function forward(request: IncomingMessage, github: SimulatedGitHub, renamed: (text: string) => string) {
  const { method = '', url = '', headers } = request;
  const { port } = new URL(github.apiUrl);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const isApi = url.startsWith('/api/v3');
  const { host: _host, connection: _connection, 'content-length': _length, ...passed } = headers;
  const answer = await fetch(`http://127.0.0.1:${port}${url.replace('/api/v3', '/api')}`, {
    method,
    headers: passed as Record<string, string>,
    redirect: 'manual',
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const kept = [...answer.headers].filter(
    ([name]) => !/^(?:connection|content-(?:length|encoding)|transfer-encoding)$/.test(name),
  );
  return {
    status: answer.status,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, renamed(value)])),
    body: isApi ? renamed(withoutRole(bytes.toString())) : bytes,
  };
}

/** An older server tells `permission` alone. */
function withoutRole(json: string): string {
  return json.replace(/,?"role_name":"\w+"/, '');
}
