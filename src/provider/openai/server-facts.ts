// What is recorded of servers that speak Chat Completions, by their address; data only. All else is the tolerant reader's and the refusals' matter.
import type { Connection } from '../connection.ts';

export interface ServerFacts {
  /** The header that the key goes into, instead of `Authorization: Bearer`. */
  readonly keyHeader: string | undefined;
  readonly limitName: 'max_tokens' | 'max_completion_tokens';
  /** Whether an answer may be held to a schema while there are tools: a server that constrains the output would never call one. */
  readonly takesSchemaBesideTools: boolean;
  /** `usage.cost` is what the call costs, in US dollars. */
  readonly saysCost: boolean;
  /** Where the API is, when the address is the server's root (`''`) or only half of the way. */
  readonly paths: Readonly<Record<string, string>>;
  readonly query: string;
}

/** Compatible servers: older ones know `max_tokens` only (G2-19). */
const unknown: ServerFacts = {
  keyHeader: undefined,
  limitName: 'max_tokens',
  takesSchemaBesideTools: false,
  saysCost: false,
  paths: {},
  query: '',
};

const vendor = { limitName: 'max_completion_tokens', takesSchemaBesideTools: true } as const;

/** The last version of the API that a deployment's address needs; v1 needs none. Source: Azure OpenAI in Microsoft Foundry, API versions. */
const azureVersion = 'api-version=2024-10-21';

/** The first whose pattern is found in origin and path counts. */
const table: readonly (readonly [RegExp, Partial<ServerFacts>])[] = [
  // Also behind gateways, which pass it on: the model stands in the address. Source: Azure OpenAI REST reference.
  [/\/openai\/deployments\/[^/]+$/, { ...vendor, keyHeader: 'api-key', query: azureVersion }],
  [
    /^https:\/\/[^/]+\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)(?:\/|$)/,
    { ...vendor, keyHeader: 'api-key', paths: { '': '/openai/v1', '/openai': '/openai/v1' } },
  ],
  // The regional ones, too. Source: OpenAI, Your data.
  [/^https:\/\/(?:[a-z]+\.)?api\.openai\.com(?:\/|$)/, { ...vendor, paths: { '': '/v1' } }],
  // It speaks this API under that path only. Source: Ollama, OpenAI compatibility.
  [/:11434(?:\/|$)/, { paths: { '': '/v1' } }],
  // Source: OpenRouter, Usage accounting (cost in credits, a dollar each) and Structured outputs.
  [
    /^https:\/\/openrouter\.ai(?:\/|$)/,
    { takesSchemaBesideTools: true, saysCost: true, paths: { '': '/api/v1', '/api': '/api/v1' } },
  ],
];

/** What is known of the server of a connection. */
export function factsOf({ endpoint }: Pick<Connection, 'endpoint'>): ServerFacts {
  return { ...unknown, ...table.find(([pattern]) => pattern.test(endpoint.identity))?.[1] };
}

/** The connection with the rest of the way to the API and the query that its server needs; what the address says already stays. */
export function completeAddress(connection: Connection): Connection {
  const { paths, query } = factsOf(connection);
  const { origin, pathname } = new URL(connection.endpoint.identity);
  const path = pathname.replace(/\/$/, '');
  const identity = `${origin}${paths[path] ?? path}`;
  const given = new URLSearchParams(connection.endpoint.query);
  const missing = [...new URLSearchParams(query)].filter(([name]) => !given.has(name));
  const whole = new URLSearchParams([...missing, ...given]).toString();
  return {
    ...connection,
    endpoint: { ...connection.endpoint, identity, query: whole },
    origin: { ...connection.origin, endpoint: identity },
  };
}
