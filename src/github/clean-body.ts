// Owns what of a write's body passes the egress: every text but the structure that GitHub acts on; knows nothing of sending.
import type { Egress } from './api.ts';

/** A call's parameters, or a part of them. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * What GitHub acts on and no reader reads: a redacted one is a renamed file, another branch or a broken object. Each was settled before:
 * paths and contents by validateBundle, which refuses a registered secret in them; branches by the gate; the rest comes from GitHub.
 */
const structuralKeys: ReadonlySet<string> = new Set([
  ...['path', 'mode', 'type', 'content', 'encoding', 'tree', 'base_tree', 'parents'],
  ...['ref', 'sha', 'branch', 'head', 'base', 'head_sha', 'commit_id', 'side', 'start_side'],
  ...['event', 'state', 'state_reason', 'status', 'conclusion', 'merge_method', 'lock_reason'],
  ...['reviewers', 'team_reviewers', 'assignees'],
]);

/** What steers octokit itself. */
const ownKeys = ['headers', 'mediaType', 'request', 'baseUrl'];

/**
 * The parameters of a call with secrets taken out of what it writes. Reads stay as they are. The rule is a list of structure and not
 * one of prose: a text field that nobody thought of is redacted (a leak cannot be taken back), while a structural key that is
 * missing here only matters for a value that looks like a secret.
 */
export function cleanBody(route: string, parameters: object, egress: Egress): Values {
  const values: Values = { ...parameters };
  if (/^(?:GET|HEAD) /.test(route)) return values;
  const inPath = Array.from(route.matchAll(/\{(\w+)\}/g), (match) => match[1] ?? '');
  const apart = new Set([...inPath, ...ownKeys]);
  const cleaned = Object.entries(values).map(([key, value]) => [key, apart.has(key) ? value : cleanField(key, value, egress)]);
  return Object.fromEntries(cleaned);
}

/** A mutation's variables by the same rule; a query's stay as they are, for they only say what is asked. */
export function cleanVariables(query: string, variables: Values, egress: Egress): Values {
  if (!isMutation(query)) return variables;
  return Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, cleanField(key, value, egress)]));
}

/** GraphQL is always POST; what begins with `mutation` changes something. */
export function isMutation(query: string): boolean {
  return /^\s*mutation\b/.test(query);
}

function cleanField(key: string, value: unknown, egress: Egress): unknown {
  return structuralKeys.has(key) ? value : cleanTexts(value, egress);
}

function cleanTexts(value: unknown, egress: Egress): unknown {
  if (typeof value === 'string') return egress(value);
  if (Array.isArray(value)) return value.map((item) => cleanTexts(item, egress));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cleanField(key, item, egress)]));
}
