// What a configuration must not say: where a secret may go, which headers are not the user's, which addresses are not used. Pure.
import { readHttpUrl } from '../schema/http-url.ts';
import { isRecord } from '../schema/record.ts';
import { isSecretName } from '../schema/secret-name.ts';
import type { ConfigProblem } from './config-problem.ts';
import { isHeaderValue, isVariable, placeholdersIn } from './secrets.ts';
import { serverSegment } from './tool-names.ts';

export const urlExpectation =
  'a URL with https, or with http on this machine or with `allow_insecure: true`, without a user name or a password in it';

/** Credentials in a URL end up in messages, and fetch refuses them; plain http shows headers to the network. */
export function isUsableUrl(text: string, isInsecureAllowed: boolean): boolean {
  return readHttpUrl(text, isInsecureAllowed).kind === 'url';
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
  const problems: ConfigProblem[] = unknown.map((name) => ({
    place,
    seen: /^\w{1,60}$/.test(name) ? `one with the placeholder \${${name}}` : 'one with a placeholder that is no name',
    expected: 'placeholders of the form ${MCP_NAME}: only variables whose names begin with MCP_ are put in',
  }));
  // Sent as it stands, the server would say no more than that the login is wrong.
  if (/\$MCP_/.test(value)) problems.push({ place, seen: 'one with $MCP_… without braces', expected: '${MCP_NAME}' });
  if (isHeaderValue(value.trim())) return problems;
  return [...problems, { place, seen: 'a text with characters that no header can have', expected: 'one line of plain text' }];
}

/** An address stands in messages, and in what a server answers. */
export function addressProblems(url: unknown, place: string): readonly ConfigProblem[] {
  if (typeof url !== 'string' || placeholdersIn(url).length === 0) return [];
  return [{ place, seen: 'one with a placeholder ${…}', expected: 'none: secrets are put into `headers` only' }];
}

const notForProcesses =
  'none: the agent’s commands could read it; a server that needs a secret is reached over HTTP only (`url` and `headers`)';

/** What runs beside the agent's commands can be read by them, its environment and arguments too. */
export function processProblems(entry: Readonly<Record<string, unknown>>, place: string): readonly ConfigProblem[] {
  const { command, args, env } = entry;
  const placeholders = Object.entries({ command, args, env }).flatMap(([field, value]) => {
    if (textsOf(value).flatMap(placeholdersIn).length === 0) return [];
    const expected = `${notForProcesses}. A shell’s own variable is written $NAME`;
    return [{ place: `${place}.${field}`, seen: 'a text with a placeholder ${…}', expected }];
  });
  const secrets = variablesOf(env)
    .filter(([name, value]) => isSecretName(name) && value !== '' && placeholdersIn(value).length === 0)
    .map(([name]) => ({ place: `${place}.env.${name}`, seen: 'a secret by its name', expected: notForProcesses }));
  return [...placeholders, ...secrets, ...(isCommandLine(command, args) ? [commandLine(place)] : [])];
}

function textsOf(value: unknown): readonly string[] {
  const values = isRecord(value) ? Object.values(value) : Array.isArray(value) ? value : [value];
  return values.filter((each) => typeof each === 'string');
}

/** Of a map, or of a list of `NAME=text`. */
function variablesOf(env: unknown): readonly (readonly [name: string, value: string])[] {
  const list = Array.isArray(env) ? env.map((each) => String(each).split(/=(.*)/s)) : isRecord(env) ? Object.entries(env) : [];
  return list.flatMap(([name, value]) => (typeof name === 'string' && typeof value === 'string' ? [[name, value]] : []));
}

/** A path may have blanks in it; a name that is looked for in PATH has none. */
function isCommandLine(command: unknown, args: unknown): boolean {
  const hasArguments = Array.isArray(args) && args.length > 0;
  return typeof command === 'string' && !hasArguments && /^[^/\\]*\S\s+\S/.test(command);
}

function commandLine(place: string): ConfigProblem {
  return {
    place: `${place}.command`,
    seen: 'a whole command line',
    expected: 'the program alone; its arguments are the list `args`',
  };
}

/** A tool is called `mcp__server__tool`, in 64 characters; the rest is the tool's. */
const maxSegment = 32;

/** Names that would make tools of two servers look like one's, so that a rule for one would hold for the other. */
export function serverNameProblems(
  names: readonly { readonly name: string; readonly place: string }[],
): readonly ConfigProblem[] {
  const taken = new Map<string, string>();
  return names.flatMap(({ name, place }) => {
    const segment = serverSegment(name);
    const other = taken.get(segment);
    taken.set(segment, other ?? place);
    const expected = 'a name with letters or digits: tools are called mcp__name__tool';
    if (name.trim() === '') return [{ place, seen: 'a server without a name', expected: 'a name' }];
    if (segment === '') return [{ place, seen: 'a server without letters (A-Z) and digits in its name', expected }];
    if (segment.length > maxSegment) {
      return [{ place, seen: `a server with a name of ${segment.length} characters`, expected: `at most ${maxSegment}` }];
    }
    if (other === undefined) return [];
    return [
      { place, seen: `a server whose tools are called mcp__${segment}__…, as those of ${other}`, expected: 'another name' },
    ];
  });
}
