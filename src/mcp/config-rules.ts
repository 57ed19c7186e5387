// What a configuration must not say: where a secret may go, which headers are not the user's, which addresses are not used. Pure.
import { isRecord } from '../schema/record.ts';
import type { ConfigProblem } from './config-problem.ts';
import { isHeaderValue, isVariable, placeholdersIn } from './secrets.ts';

const loopback = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export const urlExpectation =
  'a URL with https, or with http on this machine or with `allow_insecure: true`, without a user name or a password in it';

/** Credentials in a URL end up in messages, and fetch refuses them; plain http shows headers to the network. */
export function isUsableUrl(text: string, isInsecureAllowed: boolean): boolean {
  const url = URL.parse(text.trim());
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && (isInsecureAllowed || loopback.test(url.hostname));
}

/** Set by the transport, or by fetch. */
const reservedHeaders: ReadonlySet<string> = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'host',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'transfer-encoding',
]);

/** Names and placeholders of headers; a value is never shown. */
export function headerProblems(headers: unknown, place: string): readonly ConfigProblem[] {
  if (!isRecord(headers)) return [];
  return Object.entries(headers).flatMap(([name, value]) => [
    ...nameProblems(name, place),
    ...(typeof value === 'string' ? valueProblems(value, `${place}.${name}`) : []),
  ]);
}

function nameProblems(name: string, place: string): readonly ConfigProblem[] {
  const at = { place: `${place}.${name}` };
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    return [{ ...at, seen: 'no name of a header', expected: 'letters, digits, -' }];
  if (!reservedHeaders.has(name.toLowerCase())) return [];
  return [{ ...at, seen: 'a header that the connection sets itself', expected: 'any other header' }];
}

function valueProblems(value: string, place: string): readonly ConfigProblem[] {
  const unknown = placeholdersIn(value).filter((name) => !isVariable(name));
  const problems = unknown.map((name) => ({
    place,
    seen: /^\w{1,60}$/.test(name) ? `one with the placeholder \${${name}}` : 'one with a placeholder that is no name',
    expected: 'placeholders of the form ${MCP_NAME}: only variables whose names begin with MCP_ are put in',
  }));
  if (isHeaderValue(value.trim())) return problems;
  return [...problems, { place, seen: 'a text with characters that no header can have', expected: 'one line of plain text' }];
}

/** What runs beside the agent's commands can be read by them, its environment and arguments too. */
export function placeholderProblems(entry: Readonly<Record<string, unknown>>, place: string): readonly ConfigProblem[] {
  const texts = (value: unknown): readonly unknown[] =>
    isRecord(value) ? Object.values(value) : Array.isArray(value) ? value : [value];
  return ['command', 'args', 'env'].flatMap((field) => {
    const names = texts(entry[field]).flatMap((text) => (typeof text === 'string' ? placeholdersIn(text) : []));
    if (names.length === 0) return [];
    return [
      {
        place: `${place}.${field}`,
        seen: 'a text with a placeholder ${…}',
        expected:
          'none: the agent’s commands could read it; a server that needs a secret is reached over HTTP only (`url` and `headers`). A shell’s own variable is written $NAME',
      },
    ];
  });
}
