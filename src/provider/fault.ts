// How a failed call becomes a ProviderFault: the kinds, the words for people, and what must never be in them.
import { oneLine } from '../schema/one-line.ts';
import { type FaultKind, ProviderError } from '../schema/stream.ts';
import type { Connection } from './connection.ts';

/** What is known of a failure: `kind` when the body named one, else the status decides. `text` is the provider's own and not trusted. */
export interface Failure {
  readonly status?: number | undefined;
  readonly kind?: FaultKind | undefined;
  readonly text: string;
  readonly headers?: Headers | undefined;
  readonly isHtml?: boolean | undefined;
}

/** Long enough for a provider's sentence, short enough for a comment. */
const maxProviderText = 500;

const retryableKinds: ReadonlySet<FaultKind> = new Set(['rate_limit', 'overloaded', 'transport', 'malformed', 'timeout']);

/** The kind that a status stands for when the body says nothing better. */
function kindOfStatus(status: number | undefined): FaultKind {
  const exact: Readonly<Record<number, FaultKind>> = {
    401: 'auth',
    402: 'quota',
    403: 'auth',
    404: 'not_found',
    408: 'timeout',
    409: 'overloaded',
    413: 'context_overflow',
    425: 'overloaded',
    429: 'rate_limit',
    504: 'timeout',
  };
  if (status === undefined) return 'malformed';
  return exact[status] ?? (status >= 500 ? 'overloaded' : 'bad_request');
}

/** An answer that says no: classified, worded, with the provider's text cleaned. */
export function answerError(connection: Connection, failure: Failure): ProviderError {
  if (failure.isHtml) return htmlError(connection, failure.status ?? 200);
  const kind = failure.kind ?? kindOfStatus(failure.status);
  const said = cleanText(failure.text, connection.secrets);
  const status = failure.status === undefined ? '' : ` with status ${failure.status}`;
  return new ProviderError({
    kind,
    message: `${whoOf(connection)} answered${status} (${kind})${said === '' ? '' : `: ${said}`}`,
    hint: hintFor(kind, connection),
    status: failure.status,
    retryable: retryableKinds.has(kind),
    retryAfterMs: failure.headers === undefined ? undefined : parseRetryAfter(failure.headers),
  });
}

/** A page instead of an answer: gateways of a healthy endpoint do that for a moment, a wrong base URL does it for ever (G2-37). */
function htmlError(connection: Connection, status: number): ProviderError {
  const isGateway = [502, 503, 504].includes(status);
  return new ProviderError({
    kind: isGateway ? 'overloaded' : 'malformed',
    message: `${whoOf(connection)}: endpoint returned HTML (status ${status}) - check base URL`,
    hint: `Set base_url (or ${connection.vendor.urlVariable}) to the API's address, for example ${connection.vendor.defaultBaseUrl}.`,
    status,
    retryable: isGateway,
  });
}

/** The connection broke before the answer was whole. */
export function transportError(connection: Connection, what: string, cause?: unknown): ProviderError {
  return new ProviderError({ kind: 'transport', message: `${whoOf(connection)}: ${what}`, retryable: true }, cause);
}

/** An answer that is not what the API promises. */
export function malformedError(connection: Connection, what: string, cause?: unknown): ProviderError {
  return new ProviderError({ kind: 'malformed', message: `${whoOf(connection)} sent ${what}`, retryable: true }, cause);
}

/** Nothing, or nothing but keep-alives, for too long (G2-26). */
export function timeoutError(connection: Connection, what: string): ProviderError {
  return new ProviderError({ kind: 'timeout', message: `${whoOf(connection)}: ${what}`, retryable: true });
}

/**
 * The request did not get through. A network failure has a code; fetch's own refusal (a redirect, a forbidden port) and a certificate
 * that does not fit have none or a deterministic one, and are not tried again.
 */
export function unreachableError(connection: Connection, error: unknown): ProviderError {
  const chain = causesOf(error);
  const code = chain.map((link) => link.code).find((found) => typeof found === 'string');
  const isRefusal = code === undefined || /^(CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL)/.test(code);
  const said = cleanText(chain.map((link) => link.message).join(': '), connection.secrets);
  return new ProviderError(
    {
      kind: 'transport',
      message: `${whoOf(connection)} could not be reached: ${said}${code === undefined ? '' : ` (${code})`}`,
      hint: isRefusal
        ? `Redirects are not followed and certificates must be valid: set base_url (or ${connection.vendor.urlVariable}) to the final https address.`
        : `Check base_url (or ${connection.vendor.urlVariable}) and the network of this machine.`,
      retryable: !isRefusal,
    },
    error,
  );
}

/** `Retry-After` and `retry-after-ms` in milliseconds; a date is read against the answer's own clock. Undefined for anything else. */
function parseRetryAfter(headers: Headers): number | undefined {
  const decimal = /^\d+(\.\d+)?$/;
  const inMs = headers.get('retry-after-ms')?.trim() ?? '';
  if (decimal.test(inMs)) return Math.ceil(Number(inMs));
  const value = headers.get('retry-after')?.trim() ?? '';
  if (decimal.test(value)) return Math.ceil(Number(value) * 1000);
  const until = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  const waitMs = until - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** Text from outside, on one line, cut, without any of the secrets. */
function cleanText(text: string, secrets: readonly string[]): string {
  const clean = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
  return oneLine(clean, maxProviderText);
}

/** Whether a body is a page: by its type, or by its first tag. */
export function looksLikeHtml(headers: Headers | undefined, text: string): boolean {
  return (headers?.get('content-type') ?? '').includes('text/html') || /^\s*<(!doctype|html)/i.test(text);
}

function whoOf(connection: Connection): string {
  return `${connection.vendor.provider} at ${connection.endpoint.host}`;
}

function hintFor(kind: FaultKind, connection: Connection): string | undefined {
  const { vendor, model } = connection;
  const hints: Readonly<Partial<Record<FaultKind, string>>> = {
    auth: `Check the key (api_key or the environment variable ${vendor.keyVariable}): it must be valid for ${connection.endpoint.host} and may use "${model}".`,
    not_found: `Check the model's name ("${model}") and the API's address (base_url or ${vendor.urlVariable}, for example ${vendor.defaultBaseUrl}).`,
    quota: 'The account has no credit left: add credit, or use another key.',
    rate_limit: 'The account is over its rate: wait, or use a key with a higher limit.',
  };
  return hints[kind];
}

interface Link {
  readonly message: string;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** By shape: fetch's errors may come from another realm, where `instanceof` says no. */
function isLink(value: unknown): value is Link {
  return typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';
}

function causesOf(error: unknown): readonly Link[] {
  const chain: Link[] = [];
  for (let link: unknown = error; isLink(link) && chain.length < 5; link = link.cause) {
    chain.push(link);
  }
  return chain;
}
