// Secrets of MCP servers: placeholders in headers, what they stand for, and what must be redacted. Prints none of it.
import { Harness9Error } from '../schema/error.ts';
import type { HttpServer, McpServer } from './server.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Everything that looks like a placeholder, of whichever dialect. */
const placeholder = /\$\{([^}]*)\}/g;

/** Only these are expanded: a configuration must not be able to send our own keys to a server. */
const variableName = /^MCP_[A-Za-z0-9_]+$/;

/** The names between `${` and `}`. */
export function placeholdersIn(text: string): readonly string[] {
  return Array.from(text.matchAll(placeholder), (match) => match[1] ?? '');
}

/** Whether a placeholder is one that is expanded. */
export function isVariable(name: string): boolean {
  return variableName.test(name);
}

/** The headers as they are sent; by server. Throws `MCP_CONFIG` that names every variable that is missing or cannot stand in a header. */
export function expandHeaders(servers: readonly McpServer[], env: Environment): ReadonlyMap<McpServer, Record<string, string>> {
  const http = servers.filter((server) => server.kind === 'http');
  const problems = http.flatMap((server) =>
    variablesOf(server)
      .map((name) => ({ name, problem: problemOf(env[name]) }))
      .filter(({ problem }) => problem !== undefined)
      .map(({ name, problem }) => `the environment variable ${name} ${problem}; the MCP server "${server.name}" needs it`),
  );
  if (problems.length > 0) {
    throw new Harness9Error({
      code: 'MCP_CONFIG',
      message: problems.join('\n'),
      hint: 'Set it in the environment: in a workflow in the step’s env, from a secret, which pull requests from forks are not handed.',
    });
  }
  return new Map(http.map((server) => [server, headersOf(server, env)]));
}

/**
 * What must never be seen: the variables that headers name, the headers that they stand in, and headers and parameters of the address that
 * are there to log in though they were written out. A variable that is missing is nobody's secret.
 */
export function secretsIn(servers: readonly McpServer[], env: Environment): readonly string[] {
  const http = servers.filter((server) => server.kind === 'http');
  const secrets = http.flatMap((server) => [
    ...variablesOf(server).map((name) => env[name]?.trim() ?? ''),
    ...Object.entries(headersOf(server, env)).flatMap(([name, value]) =>
      placeholdersIn(server.headers[name] ?? '').length > 0 || isLogin(name) ? [value, ...loginsIn(value)] : [],
    ),
    ...Array.from(new URL(server.url).searchParams).flatMap(([name, value]) => (isLogin(name) ? [value] : [])),
  ]);
  return [...new Set(secrets)].filter((secret) => secret !== '');
}

/** What was written out and may be secret: headers without placeholders, and the pieces of the address. */
export function textsOf({ url, headers }: HttpServer): readonly string[] {
  const { pathname, searchParams } = new URL(url);
  const written = Object.values(headers).filter((value) => placeholdersIn(value).length === 0);
  return [...written, ...pathname.split('/'), ...searchParams.values()];
}

function variablesOf(server: HttpServer): readonly string[] {
  return [...new Set(Object.values(server.headers).flatMap(placeholdersIn))];
}

/** A secret that was pasted ends in a line break more often than not. */
function headersOf(server: HttpServer, env: Environment): Record<string, string> {
  const expand = (value: string) => value.replaceAll(placeholder, (_whole, name: string) => env[name]?.trim() ?? '').trim();
  return Object.fromEntries(Object.entries(server.headers).map(([name, value]) => [name, expand(value)]));
}

function problemOf(value: string | undefined): string | undefined {
  if (value === undefined || value.trim() === '') return 'is not set';
  return isHeaderValue(value.trim()) ? undefined : 'has characters that no header can have';
}

/** Whether a header can have this value. What fetch says of a wrong one quotes it. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

function isLogin(header: string): boolean {
  return /auth|cookie|key|token|secret|password|credential/i.test(header);
}

/** `Bearer x`: the x. `Basic x`: the x, and the password in it. */
function loginsIn(value: string): readonly string[] {
  const [, scheme = '', login = value] = /^([A-Za-z]+) +(.*)$/.exec(value) ?? [];
  const password = /^basic$/i.test(scheme) ? Buffer.from(login, 'base64').toString().split(/:(.*)/s)[1] : undefined;
  return password === undefined ? [login] : [login, password];
}
