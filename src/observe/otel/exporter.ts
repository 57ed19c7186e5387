// The way of the spans to the receiver: the SDK's exporter over a connection of ours, which can be cut for good.
import http from 'node:http';
import https from 'node:https';
import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import { Harness9Error } from '../../schema/error.ts';

/** For one batch, its retries within. Under the limit of a shutdown, so that a receiver that never answers is told of before that is over. */
const exportTimeoutMs = 4000;

interface ExporterParts {
  readonly Exporter: typeof import('@opentelemetry/exporter-trace-otlp-http')['OTLPTraceExporter'];
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** `http_proxy`, `https_proxy`, `no_proxy`; no others are looked at. */
  readonly proxyEnv: Readonly<Record<string, string | undefined>>;
  readonly onFailure: (error: unknown) => void;
}

export interface Export {
  readonly exporter: SpanExporter;
  /** Ends every connection, also one whose receiver keeps it busy for ever, and lets none begin any more. */
  readonly cut: () => void;
}

/** An exporter of OTLP as JSON that tells of each batch that was not taken. It reads the environment's OTEL_* for further headers only. */
export function createExport({ Exporter, url, headers, proxyEnv, onFailure }: ExporterParts): Export {
  const Agent = url.protocol === 'http:' ? http.Agent : https.Agent;
  const agent = new Agent({ keepAlive: true, proxyEnv });
  const exporter = new Exporter({
    url: url.href,
    headers: { ...headers },
    timeoutMillis: exportTimeoutMs,
    concurrencyLimit: 30,
    httpAgentOptions: () => agent,
  });
  return {
    exporter: {
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          if (result.error !== undefined) onFailure(result.error);
          done(result);
        }),
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    },
    cut: () => {
      // A code of its own: the exporter would begin anew after a lost connection.
      const reason = new Harness9Error({ code: 'TRACING_CUT', message: 'The connection to the receiver of traces was cut.' });
      agent.createConnection = () => {
        throw reason;
      };
      for (const socket of Object.values(agent.sockets).flat()) socket?.destroy(reason);
      agent.destroy();
    },
  };
}
