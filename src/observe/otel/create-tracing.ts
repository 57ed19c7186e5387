// Traces of runs over OTLP/HTTP. The OpenTelemetry packages are loaded here, when they are needed, and nothing of them is made global.
import { abortAfter } from '../../schema/abort-after.ts';
import { Harness9Error, messageOf } from '../../schema/error.ts';
import { isRecord } from '../../schema/record.ts';
import { untilAborted } from '../../schema/until-aborted.ts';
import type { Clock, Log } from '../../schema/world.ts';
import type { TracedModel } from './attributes.ts';
import { type Content, createContent, noContent } from './content.ts';
import { parseOtlpEndpoint } from './endpoint.ts';
import { createExport, type Export } from './exporter.ts';
import type { EngineObserver, Hook, LLMProvider, ToolRegistry } from './ports.ts';
import { Spans } from './spans.ts';
import { traceHook } from './trace-hooks.ts';
import { traceProvider } from './trace-provider.ts';
import { traceRegistry } from './trace-registry.ts';
import { createRunObserver } from './trace-runs.ts';

/** How long a run's end may wait for the receiver. */
const shutdownMs = 5000;
/** Small batches, because spans with content are large; what a slow receiver leaves beyond the queue is dropped. */
const batches = { maxExportBatchSize: 128, maxQueueSize: 2048, scheduledDelayMillis: 5000, exportTimeoutMillis: 10_000 };
/** As the SDK has them; written out, because it would look for them in the environment. */
const limits = {
  attributeValueLengthLimit: Number.POSITIVE_INFINITY,
  attributeCountLimit: 128,
  linkCountLimit: 128,
  eventCountLimit: 128,
  attributePerEventCountLimit: 128,
  attributePerLinkCountLimit: 128,
};

export interface TracingOptions {
  /** The receiver's base address; `/v1/traces` is added where it is missing. */
  readonly endpoint: string;
  /** See `parseOtlpHeaders`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether prompts, answers, arguments and results are in the spans. Without it no text of a run leaves. */
  readonly captureContent: boolean;
  /** Secrets out of content. */
  readonly redact: (text: string) => string;
  /** Who is traced: `service.name`, `service.version`, `vcs.repository.url.full`… */
  readonly resource: Readonly<Record<string, string | number | boolean>>;
  /** Proxies that lead to the receiver, by the names of their variables. Default: none. */
  readonly proxyEnv?: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Tracing {
  /** Of the agent itself. */
  readonly observer: EngineObserver;
  /** An observer of another agent: a sub-agent with this name. */
  observerOf(agentName: string): EngineObserver;
  traceProvider(provider: LLMProvider, model: TracedModel): LLMProvider;
  traceRegistry(registry: ToolRegistry): ToolRegistry;
  traceHook(hook: Hook): Hook;
  /** Ends what is open and sends what is left, for at most 5 s, or until the signal. Never rejects; nothing of it stays behind. */
  shutdown(signal?: AbortSignal): Promise<void>;
}

/** Loads the packages and begins to trace. Throws a Harness9Error TRACING_ENDPOINT; a receiver that fails later is a line of the log. */
export async function createTracing(options: TracingOptions): Promise<Tracing> {
  const url = parseOtlpEndpoint(options.endpoint);
  const [api, sdk, { OTLPTraceExporter }, { defaultResource, resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const { headers, proxyEnv = {}, resource, clock, captureContent, redact } = options;
  const tellExport = tellOnce(options.log, `warning=traces_not_exported host=${url.host}`);
  const tellContent = tellOnce(options.log, 'warning=trace_content_left_out');
  const way = createExport({ Exporter: OTLPTraceExporter, url, headers, proxyEnv, onFailure: tellExport });
  const provider = new sdk.NodeTracerProvider({
    resource: defaultResource().merge(resourceFromAttributes(resource)),
    sampler: new sdk.AlwaysOnSampler(),
    spanLimits: limits,
    spanProcessors: [new sdk.BatchSpanProcessor(way.exporter, { ...batches })],
  });
  const spans = new Spans({ api, tracer: provider.getTracer('harness9'), clock, onFailure: tellContent });
  const content: Content = captureContent ? createContent(redact) : noContent;
  let stopping: Promise<void> | undefined;
  return {
    observer: createRunObserver(spans, 'harness9', content),
    observerOf: (name) => createRunObserver(spans, name, content),
    traceProvider: (inner, model) => traceProvider(inner, { spans, content, model, clientKind: api.SpanKind.CLIENT }),
    traceRegistry: (inner) => traceRegistry(inner, spans, content),
    traceHook: (inner) => traceHook(inner, spans),
    shutdown: (signal) => {
      spans.endAll();
      stopping ??= stop(provider, way, { clock, signal, onFailure: tellExport });
      return stopping;
    },
  };
}

interface StopRules {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly onFailure: (error: unknown) => void;
}

async function stop(
  provider: { shutdown(): Promise<void> },
  way: Export,
  { clock, signal, onFailure }: StopRules,
): Promise<void> {
  const done = new AbortController();
  const tooLate = () =>
    new Harness9Error({ code: 'TRACING_TIMEOUT', message: `The receiver took longer than ${shutdownMs} ms.` });
  const late = abortAfter(clock, shutdownMs, done.signal, tooLate);
  try {
    await untilAborted(provider.shutdown(), AbortSignal.any([late, ...(signal === undefined ? [] : [signal])]));
  } catch (error) {
    onFailure(error);
  } finally {
    done.abort();
    way.cut();
  }
}

/** The first failure goes to the log, with its code where it has one (a status, `ECONNREFUSED`); those after it say the same. */
function tellOnce(log: Log, what: string): (error: unknown) => void {
  let isTold = false;
  return (error) => {
    if (isTold) return;
    isTold = true;
    const code = isRecord(error) && error.code !== undefined ? `code=${String(error.code)} ` : '';
    log(`[otel] ${what} ${code}error=${messageOf(error)}`);
  };
}
