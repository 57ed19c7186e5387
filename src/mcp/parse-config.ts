// The configuration of MCP servers, as other programs write it, read into servers. All problems are told at once; no file is read.
import { z } from 'zod';
import { trustSchema } from '../schema/gate.ts';
import { isRecord } from '../schema/record.ts';
import { type ConfigProblem, describeValue, itemProblems, nearestOf, throwConfigProblems } from './config-problem.ts';
import {
  addressProblems,
  headerProblems,
  isUsableUrl,
  processProblems,
  serverNameProblems,
  urlExpectation,
} from './config-rules.ts';
import type { McpServer } from './server.ts';

const secondsUpTo = (most: number) => z.number().positive().max(most);
const environmentEntry = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*=[^\0]*$/);
const plainText = z.string().regex(/^[^\0]*$/);

/** What every server may have. Defaults are these. */
const commonFields = {
  type: z.string().optional(),
  tools: z.array(z.string().min(1)).min(1).default(['*']),
  read_only_tools: z.union([z.boolean(), z.array(z.string().min(1))]).default(false),
  startup_timeout_secs: secondsUpTo(120).default(20),
  timeout_secs: secondsUpTo(600).default(60),
  required: z.boolean().default(false),
  lowest_trust: trustSchema.default('trusted'),
};

const stdioSchema = z.strictObject({
  ...commonFields,
  command: plainText.regex(/\S/),
  args: z.array(plainText).default([]),
  env: z
    .union([z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), plainText), z.array(environmentEntry).transform(fromList)])
    .default({}),
});

const httpSchema = z.strictObject({
  ...commonFields,
  url: z.string(),
  headers: z.record(z.string(), z.string()).default({}),
  allow_insecure: z.boolean().default(false),
});

/** What each field is to be, in words. */
const expectations: Readonly<Record<string, string>> = {
  type: '"stdio" for a server with a `command`, "http" or "streamable-http" for one with a `url`',
  tools: 'a list of names of tools, * for any text in them, or nothing for all tools',
  read_only_tools: 'true, or a list of names of tools, * for any text in them',
  startup_timeout_secs: 'a number of seconds over 0, at most 120',
  timeout_secs: 'a number of seconds over 0, at most 600',
  required: 'true or false',
  lowest_trust: '"trusted", "mixed" or "untrusted"',
  command: 'the name or path of a program',
  args: 'a list of texts',
  env: 'a map of names (letters, digits, _) to texts, or a list of "NAME=text"',
  url: urlExpectation,
  headers: 'a map of names to texts',
  allow_insecure: 'true or false',
};

/** Where people look for a value that is wrong; everything else may be a key. */
const openFields: ReadonlySet<string> = new Set([...Object.keys(commonFields), 'allow_insecure']);

const kinds = {
  stdio: { schema: stdioSchema, types: ['stdio'], mark: 'command' },
  http: { schema: httpSchema, types: ['http', 'streamable-http', 'streamableHttp', 'streamable_http'], mark: 'url' },
} as const;
type Kind = keyof typeof kinds;

/**
 * Servers from `{ mcpServers: { name: {…} } }`, `{ servers: {…} }` or the bare map. `source` names the configuration in what is said.
 * Throws one `MCP_CONFIG` with all problems.
 */
export function parseMcpConfig(value: unknown, source: string): readonly McpServer[] {
  const { entries, problems } = entriesOf(value);
  const read = entries.map(readServer);
  throwConfigProblems(source, [...problems, ...serverNameProblems(entries), ...read.flatMap((each) => each.problems)]);
  return read.flatMap(({ server }) => (server === undefined ? [] : [server]));
}

interface Entry {
  readonly name: string;
  /** `mcpServers.github` */
  readonly place: string;
  readonly value: unknown;
}

function entriesOf(value: unknown): { readonly entries: readonly Entry[]; readonly problems: readonly ConfigProblem[] } {
  if (!isRecord(value)) {
    const seen = describeValue(value, false);
    const expected = `an object with \`mcpServers\`${typeof value === 'string' ? ', or a path that begins with ./' : ''}`;
    return { entries: [], problems: [{ place: 'the configuration', seen, expected }] };
  }
  // Editors want `$schema`.
  const { $schema: _dialect, ...fields } = value;
  const key = ['mcpServers', 'servers'].find((each) => isRecord(fields[each]));
  const servers = key === undefined ? fields : fields[key];
  if (key === undefined || !isRecord(servers)) return { entries: placed(fields, ''), problems: [] };
  const others = Object.keys(fields).filter((each) => each !== key);
  const problems = others.map((place) => ({ place, seen: 'no field of the configuration', expected: `\`${key}\` only` }));
  return { entries: placed(servers, `${key}.`), problems };
}

function placed(servers: Readonly<Record<string, unknown>>, before: string): readonly Entry[] {
  return Object.entries(servers).map(([name, value]) => ({ name, place: `${before}${name === '' ? '""' : name}`, value }));
}

interface Read {
  readonly server?: McpServer;
  readonly problems: readonly ConfigProblem[];
}

function readServer({ name, place, value }: Entry): Read {
  if (!isRecord(value)) return { problems: [{ place, seen: describeValue(value, false), expected: 'an object' }] };
  switch (kindOf(value)) {
    case undefined:
      return { problems: [{ place, ...describeKind(value) }] };
    case 'stdio': {
      const { data, error } = stdioSchema.safeParse(value);
      const problems = [...fieldProblems(value, 'stdio', place, error?.issues ?? []), ...processProblems(value, place)];
      return data === undefined || problems.length > 0 ? { problems } : { server: toStdio(name, data), problems };
    }
    case 'http': {
      const { data, error } = httpSchema.safeParse(value);
      const problems = [...fieldProblems(value, 'http', place, error?.issues ?? []), ...httpProblems(value, place)];
      return data === undefined || problems.length > 0 ? { problems } : { server: toHttp(name, data), problems };
    }
  }
}

/** By what it is reached; undefined where that is not one thing. */
function kindOf(entry: Record<string, unknown>): Kind | undefined {
  const marked = (['stdio', 'http'] as const).filter((kind) => entry[kinds[kind].mark] !== undefined);
  return entry.type === 'sse' || marked.length !== 1 ? undefined : marked[0];
}

function describeKind(entry: Record<string, unknown>): Omit<ConfigProblem, 'place'> {
  if (entry.type === 'sse') {
    return {
      seen: 'of the type "sse"',
      expected:
        'the type "http": the transport with two addresses is outdated and not supported; most servers answer streamable HTTP under /mcp',
    };
  }
  const seen = entry.command === undefined ? 'without `command` and `url`' : 'with both `command` and `url`';
  const near = Object.keys(entry).map((key) => nearestOf(key, ['command', 'url']));
  return { seen, expected: `one of them${near.find((text) => text !== '') ?? ''}` };
}

function fieldProblems(
  entry: Record<string, unknown>,
  kind: Kind,
  place: string,
  issues: readonly z.core.$ZodIssue[],
): readonly ConfigProblem[] {
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  const wrong = new Set(issues.flatMap((issue) => (issue.path[0] === undefined ? [] : [String(issue.path[0])])));
  if (entry.type !== undefined && !kinds[kind].types.some((type) => type === entry.type)) wrong.add('type');
  return [
    ...unknown.map((field) => ({ place: `${place}.${field}`, ...describeUnknown(field, kind) })),
    ...Array.from(wrong).flatMap((field) => wrongField(field, entry[field], `${place}.${field}`)),
  ];
}

/** What is made of texts; where one of them is none, that is the problem. */
const textFields: ReadonlySet<string> = new Set(['args', 'env', 'headers', 'tools', 'read_only_tools']);

function wrongField(field: string, value: unknown, place: string): readonly ConfigProblem[] {
  const isOpen = openFields.has(field);
  const items = textFields.has(field) ? itemProblems(value, place, isOpen) : [];
  if (items.length > 0) return items;
  return [{ place, seen: describeValue(value, isOpen), expected: expectations[field] ?? 'something else' }];
}

function describeUnknown(field: string, kind: Kind): Omit<ConfigProblem, 'place'> {
  const other = kind === 'stdio' ? 'http' : 'stdio';
  if (Object.hasOwn(kinds[other].schema.shape, field)) {
    return {
      seen: `there, and is for servers with a \`${kinds[other].mark}\``,
      expected: `no such field with a \`${kinds[kind].mark}\``,
    };
  }
  const known = Object.keys(kinds[kind].schema.shape);
  return { seen: 'no field of a server', expected: `one of ${known.join(', ')}${nearestOf(field, known)}` };
}

function httpProblems({ url, allow_insecure, headers }: Record<string, unknown>, place: string): readonly ConfigProblem[] {
  const ofHeaders = [...addressProblems(url, `${place}.url`), ...headerProblems(headers, `${place}.headers`)];
  if (typeof url !== 'string' || isUsableUrl(url, allow_insecure === true)) return ofHeaders;
  const parsed = URL.parse(url.trim());
  const seen = parsed === null ? describeValue(url, false) : `${parsed.protocol}//${parsed.host} (the rest is not shown)`;
  return [{ place: `${place}.url`, seen, expected: urlExpectation }, ...ofHeaders];
}

function toStdio(name: string, { command, args, env, ...common }: z.infer<typeof stdioSchema>): McpServer {
  return { kind: 'stdio', ...toCommon(name, common), argv: [command.trim(), ...args], env };
}

function toHttp(name: string, { url, headers, allow_insecure: _checked, ...common }: z.infer<typeof httpSchema>): McpServer {
  return { kind: 'http', ...toCommon(name, common), url: new URL(url.trim()).href, headers };
}

type Common = z.infer<z.ZodObject<typeof commonFields>>;

function toCommon(name: string, fields: Common) {
  const { read_only_tools: readOnly } = fields;
  return {
    name,
    tools: fields.tools,
    readOnlyTools: typeof readOnly === 'boolean' ? (readOnly ? ['*'] : []) : readOnly,
    startupTimeoutMs: fields.startup_timeout_secs * 1000,
    timeoutMs: fields.timeout_secs * 1000,
    isRequired: fields.required,
    lowestTrust: fields.lowest_trust,
  };
}

function fromList(entries: readonly string[]): Record<string, string> {
  return Object.fromEntries(entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));
}
