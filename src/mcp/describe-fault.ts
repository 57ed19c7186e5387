// What went wrong between us and a server, in words for a notice or a model. Headers and the secret parts of URLs are not among them.
import { Harness9Error, messageOf } from '../schema/error.ts';
import { oneLine } from '../schema/one-line.ts';
import { isRecord } from '../schema/record.ts';
import type { McpParts, ServerParts } from './parts.ts';
import { secretsIn } from './secrets.ts';
import type { HttpServer, McpServer } from './server.ts';

const maxChars = 500;
/** An error may hold a whole message of 16 MB; secrets are looked for in what can be seen of it, and a little beyond. */
const maxReadChars = 4_000;

/** One line. Kinds are told by class and code. */
export function describeFault(error: unknown, { sdk, scrub }: Pick<ServerParts, 'sdk' | 'scrub'>): string {
  const text = error instanceof sdk.StreamableHTTPError ? describeHttp(error.code, error.message) : describeOther(error);
  return oneLine(scrub(text.slice(0, maxReadChars)), maxChars);
}

function describeHttp(code: number | undefined, message: string): string {
  if (code === undefined || code < 100) return message;
  return `HTTP ${code}${advice[code] ?? ''}: ${message}`;
}

const advice: Readonly<Record<number, string>> = {
  401: ' (it wants another login: look at its `headers`)',
  403: ' (the login is not allowed this: look at its `headers`)',
  404: ' (there is nothing: look at its `url`)',
  405: ' (it does not speak streamable HTTP: look at its `url`)',
};

/** fetch says "fetch failed", and why in its cause. */
function describeOther(error: unknown): string {
  if (error instanceof Harness9Error || !isRecord(error) || !isRecord(error.cause)) return messageOf(error);
  const { code, message } = error.cause;
  return `${error.message} (${[code, message].filter((text) => typeof text === 'string' && text !== '').join(': ')})`;
}

/** Shorter values would blank out ordinary words. */
const shortestSecret = 4;

/**
 * Takes secrets of the run, and what the server was given in secret, out of a text: a server may send a header back, and an error may name
 * a URL.
 */
export function createScrub(server: McpServer, { env, redact }: Pick<McpParts, 'env' | 'redact'>): (text: string) => string {
  const secrets = [...secretsIn([server], env), ...(server.kind === 'http' ? queryOf(server) : [])]
    .filter((secret) => secret.length >= shortestSecret)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((scrubbed, secret) => scrubbed.replaceAll(secret, '***'), redact(text));
}

function queryOf({ url }: HttpServer): readonly string[] {
  const { search, hash } = new URL(url);
  return [search, hash];
}
