// Traces of a run, where an endpoint is given: its address, what is said of where they are from, and whether content is in them.
import { createTracing, type Tracing } from '../observe/otel/create-tracing.ts';
import type { EdgeParts } from './edge-parts.ts';
import { otlpHeadersOf, otlpSecrets } from './otlp-headers.ts';
import { version } from './version.ts';

/** After a cancel the process has some seconds left, and there is more to save than traces. */
const hurriedMs = 1000;

/**
 * Undefined without an endpoint: then none of the packages is loaded. After `cancel` the receiver is not waited for as long. Throws
 * TRACING_ENDPOINT and TRACING_HEADERS.
 */
export async function composeTracing(
  { settings, outgoing, resource, world }: EdgeParts,
  cancel: AbortSignal,
): Promise<Tracing | undefined> {
  if (settings.otelEndpoint === null) return undefined;
  outgoing.redactor.register(otlpSecrets(world.env));
  const tracing = await createTracing({
    endpoint: settings.otelEndpoint,
    headers: otlpHeadersOf(world.env),
    captureContent: settings.otelContent,
    redact: outgoing.redactor.outward,
    resource: { 'service.name': 'harness9', 'service.version': version, ...resource },
    proxyEnv: world.env,
    clock: world.clock,
    log: outgoing.log,
  });
  return { ...tracing, shutdown: () => tracing.shutdown(soonAfter(cancel)) };
}

function soonAfter(cancel: AbortSignal): AbortSignal {
  const late = new AbortController();
  const hurry = (): void => AbortSignal.timeout(hurriedMs).addEventListener('abort', () => late.abort(cancel.reason));
  if (cancel.aborted) hurry();
  else cancel.addEventListener('abort', hurry, { once: true });
  return late.signal;
}
