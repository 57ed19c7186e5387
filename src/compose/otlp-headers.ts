// What the receiver of traces asks for: headers from the environment, and what of them is secret. Loads nothing that traces.
import { parseOtlpHeaders } from '../observe/otel/endpoint.ts';
import type { World } from '../schema/world.ts';

/** The values that authorise at the receiver; for the redactor. */
export function otlpSecrets(env: World['env']): readonly string[] {
  const values = Object.values(otlpHeadersOf(env));
  return values.flatMap((value) => [value, value.replace(/^[A-Za-z]+ +/, '')]);
}

/** From `OTEL_EXPORTER_OTLP_HEADERS`, as OpenTelemetry writes it. */
export function otlpHeadersOf(env: World['env']): Readonly<Record<string, string>> {
  return parseOtlpHeaders(env.OTEL_EXPORTER_OTLP_HEADERS ?? '');
}
