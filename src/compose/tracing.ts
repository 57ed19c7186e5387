// Traces of a run, where an endpoint is given: its address, what is said of where they are from, and whether content is in them.
import { createTracing, type Tracing } from '../observe/otel/create-tracing.ts';
import type { EdgeParts } from './edge-parts.ts';
import { otlpHeadersOf, otlpSecrets } from './otlp-headers.ts';
import { version } from './version.ts';

/** Undefined without an endpoint: then none of the packages is loaded. Throws TRACING_ENDPOINT and TRACING_HEADERS. */
export async function composeTracing({ settings, outgoing, resource, world }: EdgeParts): Promise<Tracing | undefined> {
  if (settings.otelEndpoint === null) return undefined;
  outgoing.redactor.register(otlpSecrets(world.env));
  return await createTracing({
    endpoint: settings.otelEndpoint,
    headers: otlpHeadersOf(world.env),
    captureContent: settings.otelContent,
    redact: outgoing.redactor.outward,
    resource: { 'service.name': 'harness9', 'service.version': version, ...resource },
    proxyEnv: world.env,
    clock: world.clock,
    log: outgoing.log,
  });
}
