// What both vendors' adapters are built from: options, key and endpoint, resolved once and checked before the first call.
import { Harness9Error } from '../schema/error.ts';
import type { Origin } from '../schema/message.ts';
import type { ReasoningEffort } from '../schema/settings.ts';
import { systemClock } from '../schema/system-clock.ts';
import { type Endpoint, parseEndpoint } from './endpoint.ts';
import { embeddingEnvironment } from './environment.ts';
import { refusing } from './refused-answer.ts';

/** All optional. `env` is where a missing key or endpoint is looked up; pass `{}` to allow options only, as the Action does. */
export interface ProviderOptions {
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly reasoningEffort?: ReasoningEffort | undefined;
  readonly allowInsecureEndpoint?: boolean | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The time of day, for a server that asks to be left alone until some time. Default: the machine's. */
  readonly now?: (() => Date) | undefined;
  /** How long a stream may bring no event with data, in milliseconds. Comments have none; a Messages server's pings do. Default: 300,000. */
  readonly idleTimeoutMs?: number | undefined;
  /** How long one attempt may take in all, in milliseconds. Default: 3,600,000. */
  readonly totalTimeoutMs?: number | undefined;
}

/** What differs between the vendors before the first call. `endings` are path ends that people paste and the SDK adds by itself. */
export interface Vendor {
  readonly provider: string;
  readonly keyVariable: string;
  readonly urlVariable: string;
  readonly defaultBaseUrl: string;
  readonly endings: readonly string[];
}

/** Everything that a client needs to know. `secrets` never appear in a text of ours. */
export interface Connection {
  readonly vendor: Vendor;
  readonly model: string;
  readonly apiKey: string;
  readonly endpoint: Endpoint;
  readonly origin: Origin;
  readonly headers: Readonly<Record<string, string>>;
  /** Rejects with a RefusedAnswer for a bad status. */
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => Date;
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly secrets: readonly string[];
}

/**
 * Models think for minutes without a token; longer silence is a dead connection (G2-26). Behind the pings of a Messages server a model may
 * think for longer (anthropics/anthropic-sdk-typescript#998): how much longer sse.ts says.
 */
const defaultIdleTimeoutMs = 300_000;
/** A hundred thousand tokens at thirty a second; whoever streams for longer does not come to an end. */
const defaultTotalTimeoutMs = 3_600_000;

/** Shorter values would blank out ordinary words of a message. */
export const shortestSecret = 6;

/** Resolves options against the environment. Throws a Harness9Error for a missing key or a base URL that must not be used. */
export function parseConnection(vendor: Vendor, model: string, options: ProviderOptions): Connection {
  const env = options.env ?? embeddingEnvironment();
  const apiKey = (options.apiKey ?? env[vendor.keyVariable] ?? '').trim();
  if (apiKey === '') {
    throw new Harness9Error({
      code: 'PROVIDER_KEY_MISSING',
      message: `There is no API key for ${vendor.provider}: the input api_key and the environment variable ${vendor.keyVariable} are empty.`,
      hint: `Set the input api_key, or ${vendor.keyVariable} in the step's env, from a repository secret. Secrets are not handed to pull requests from forks.`,
    });
  }
  const endpoint = parseEndpoint(options.baseUrl || env[vendor.urlVariable] || vendor.defaultBaseUrl, {
    endings: vendor.endings,
    allowInsecure: options.allowInsecureEndpoint ?? false,
  });
  const send = options.fetch ?? globalThis.fetch;
  return {
    vendor,
    model,
    apiKey,
    endpoint,
    origin: { provider: vendor.provider, endpoint: endpoint.identity, model },
    headers: options.headers ?? {},
    // A redirect would carry the key to a host that nobody configured (I2).
    fetch: refusing((input, init) => send(input, { ...init, redirect: 'error' })),
    now: options.now ?? systemClock.now,
    idleTimeoutMs: options.idleTimeoutMs ?? defaultIdleTimeoutMs,
    totalTimeoutMs: options.totalTimeoutMs ?? defaultTotalTimeoutMs,
    secrets: [apiKey, endpoint.query, ...Object.values(options.headers ?? {})].filter(
      (secret) => secret.length >= shortestSecret,
    ),
  };
}
