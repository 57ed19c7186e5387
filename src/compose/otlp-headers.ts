// What the receiver of traces asks for: headers from the environment, and what of them is secret. Loads nothing that traces.
import { parseOtlpHeaders } from '../observe/otel/endpoint.ts';
import { hasTellingPiece } from '../redact/secret-finder.ts';
import { minFormLength } from '../redact/secret-forms.ts';
import type { World } from '../schema/world.ts';

/** As OpenTelemetry names them; of two headers with one name that of the second variable is sent. */
const variables = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'] as const;

/** The headers of both variables. Throws TRACING_HEADERS. */
export function otlpHeadersOf(env: World['env']): Readonly<Record<string, string>> {
  return Object.fromEntries(variables.flatMap((name) => Object.entries(parseOtlpHeaders(name, env[name] ?? ''))));
}

/**
 * What authorises at the receiver, for the redactor. Never throws: what is no header may hold a secret all the same, and without an endpoint
 * the variables are somebody else's.
 */
export function otlpSecrets(env: World['env']): readonly string[] {
  const entries = variables.flatMap((name) => (env[name] ?? '').split(','));
  return entries.flatMap(secretsIn).filter((secret) => secret.length >= minFormLength);
}

/** Others name a data set, a tenant, a service: such words stand in every reply, and must be left there. */
const loginHeader = /auth|cookie|key|token|secret|password|credential|dsn/i;

function secretsIn(entry: string): readonly string[] {
  const equals = entry.indexOf('=');
  const value = decode(entry.slice(equals + 1)).trim();
  if (!loginHeader.test(entry.slice(0, Math.max(equals, 0))) && !hasTellingPiece(value)) return [];
  const [, scheme = '', bare = ''] = /^([A-Za-z]+) +(.*)$/.exec(value) ?? [];
  const login = /^basic$/i.test(scheme) ? Buffer.from(bare, 'base64').toString() : '';
  return [value, bare, login.slice(login.indexOf(':') + 1)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
