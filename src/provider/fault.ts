// How a failed call becomes a ProviderFault: the kinds, the words for people, and what must never be in them.
import { type FaultKind, ProviderError } from '../schema/stream.ts';
import { cleanText } from './clean-text.ts';
import type { Connection } from './connection.ts';
import { decideFaultKind } from './fault-kind.ts';
import { isTooLargeForRate } from './overflow-wording.ts';
import { parseWait } from './retry-after.ts';

/** What is known of a failure. `type` and `text` are the provider's own and not trusted; `body`: all of it, where waits may be hidden. */
export interface Failure {
  readonly status?: number | undefined;
  readonly names: readonly string[];
  readonly type: string;
  readonly text: string;
  readonly body: string;
  readonly headers?: Headers | undefined;
}

const retryableKinds: ReadonlySet<FaultKind> = new Set(['rate_limit', 'overloaded', 'transport', 'malformed', 'timeout']);
/** Of a body so much is searched for a wait. */
const maxSearched = 20_000;

/** An answer that says no: classified, worded, with the provider's text cleaned. */
export function answerError(connection: Connection, { status, names, type, text, body, headers }: Failure): ProviderError {
  const kind = decideFaultKind({ status, names, text });
  const isHopeless = kind === 'rate_limit' && isTooLargeForRate(text);
  // The type may tell more than status and words do (G3-10).
  const said = cleanText(type === '' ? text : `${type}: ${text}`, connection);
  const refused = { headers, text: body.slice(0, maxSearched), isRateLimit: kind === 'rate_limit' };
  return new ProviderError({
    kind,
    message: `${whoOf(connection)} answered${status === undefined ? '' : ` with status ${status}`} (${kind})${said === '' ? '' : `: ${said}`}`,
    hint: isHopeless ? hintForHopeless : hintFor(kind, connection),
    said,
    status,
    retryable: retryableKinds.has(kind) && !isHopeless,
    retryAfterMs: isHopeless ? undefined : parseWait(refused, connection.now().getTime()),
  });
}

/** A page instead of an answer: gateways of a healthy endpoint do that for a moment, a wrong base URL does it for ever (G2-37). */
export function htmlError(connection: Connection, status: number): ProviderError {
  const isGateway = [502, 503, 504].includes(status);
  return new ProviderError({
    kind: isGateway ? 'overloaded' : 'malformed',
    message: `${whoOf(connection)}: endpoint returned HTML (status ${status}) - check base URL`,
    hint: isGateway ? hintForBusy : hintForAddress(connection),
    status,
    retryable: isGateway,
  });
}

/** The connection broke before the answer was whole. */
export function transportError(connection: Connection, what: string, cause?: unknown): ProviderError {
  const fault = { kind: 'transport', message: `${whoOf(connection)}: ${what}`, hint: hintForBusy, retryable: true } as const;
  return new ProviderError(fault, cleanCause(cause, connection));
}

/** An answer that is not what the API promises. */
export function malformedError(connection: Connection, what: string, cause?: unknown): ProviderError {
  const hint = `${hintForAddress(connection)} If that is right, try again later.`;
  const fault = { kind: 'malformed', message: `${whoOf(connection)} sent ${what}`, hint, retryable: true } as const;
  return new ProviderError(fault, cleanCause(cause, connection));
}

/** Nothing, or nothing but keep-alives, for too long (G2-26). */
export function timeoutError(connection: Connection, what: string): ProviderError {
  return new ProviderError({ kind: 'timeout', message: `${whoOf(connection)}: ${what}`, hint: hintForBusy, retryable: true });
}

/**
 * The request did not get through. A network failure has a code; fetch's own refusal (a redirect, a forbidden port) and a certificate
 * that does not fit have none or a deterministic one, and are not tried again.
 */
export function unreachableError(connection: Connection, error: unknown): ProviderError {
  const chain = causesOf(error);
  const code = chain.map((link) => link.code).find((found) => typeof found === 'string');
  const isRefusal = code === undefined || /^(CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL)/.test(code);
  const said = cleanText(chain.map((link) => link.message).join(': '), connection);
  return new ProviderError(
    {
      kind: 'transport',
      message: `${whoOf(connection)} could not be reached: ${said}${code === undefined ? '' : ` (${code})`}`,
      hint: isRefusal
        ? `Redirects are not followed, and https needs a server that speaks it, with a valid certificate: set base_url (or ${connection.vendor.urlVariable}) to the final address.`
        : `Check base_url (or ${connection.vendor.urlVariable}) and the network of this machine.`,
      retryable: !isRefusal,
    },
    cleanCause(error, connection),
  );
}

/** Whether a body is a page: by its type, or by its first tag. */
export function looksLikeHtml(headers: Headers | undefined, text: string): boolean {
  return (headers?.get('content-type') ?? '').includes('text/html') || /^\s*<(!doctype|html)/i.test(text);
}

function whoOf(connection: Connection): string {
  return `${connection.vendor.provider} at ${connection.endpoint.host} (model ${connection.model})`;
}

/** For what may pass. */
const hintForBusy = 'Try again later, or name another model that takes over (fallback_models, --fallback-models).';
const hintForHopeless =
  'This one request is larger than all that the account may send in that time: use a key with a higher limit, or ask for less at once.';

function hintForAddress({ vendor }: Connection): string {
  return `Set base_url (or ${vendor.urlVariable}) to the API's address, for example ${vendor.defaultBaseUrl}.`;
}

function hintFor(kind: FaultKind, connection: Connection): string | undefined {
  const { vendor, model } = connection;
  const hints: Readonly<Partial<Record<FaultKind, string>>> = {
    overloaded: hintForBusy,
    timeout: hintForBusy,
    bad_request: `Change what it names in the settings, or use another model than "${model}".`,
    auth: `Check the key (api_key or the environment variable ${vendor.keyVariable}): it must be valid for ${connection.endpoint.host} and may use "${model}".`,
    not_found: `Check the model's name ("${model}") and the API's address (base_url or ${vendor.urlVariable}, for example ${vendor.defaultBaseUrl}).`,
    content_filter: "The provider's content filter stopped the request: ask in other words, or use another model.",
    quota: 'The account has no credit left: add credit, or use another key.',
    rate_limit:
      'The account is over its rate: wait, use a key with a higher limit, or name another model that takes over (fallback_models, --fallback-models).',
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

/** The chain with its messages and codes, and nothing else of it: what threw it may have kept the request, the key with it. */
function cleanCause(error: unknown, connection: Connection): Error | undefined {
  return causesOf(error).reduceRight<Error | undefined>((cause, { message, code }) => {
    const clean = new Error(cleanText(message, connection), cause === undefined ? undefined : { cause });
    return typeof code === 'string' ? Object.assign(clean, { code }) : clean;
  }, undefined);
}

/** The same fault of an answer that had begun: it is paid for. */
export function begunError({ fault, cause }: ProviderError): ProviderError {
  return new ProviderError({ ...fault, hasBegun: true }, cause);
}
