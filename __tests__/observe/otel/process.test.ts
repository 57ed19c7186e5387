// What tracing does to the process that it is in: what it loads, prints, reads of the environment, registers, and keeps alive.
import { fork } from 'node:child_process';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { startReceiver, treeOf } from './receiver.ts';
import type { ChildReport } from './traced-child.ts';

interface ChildEnd {
  readonly report: ChildReport;
  /** Everything that was printed. */
  readonly printed: string;
  readonly code: number | null;
}

/** Resolves when the process has ended by itself. */
async function runChild(endpoint?: string, env: Readonly<Record<string, string>> = {}): Promise<ChildEnd> {
  const child = fork(path.join(import.meta.dirname, 'traced-child.ts'), endpoint === undefined ? [] : [endpoint], {
    env: { PATH: process.env.PATH, ...env },
    execArgv: [],
    silent: true,
  });
  let printed = '';
  let report: ChildReport | undefined;
  child.stdout?.on('data', (chunk) => (printed += String(chunk)));
  child.stderr?.on('data', (chunk) => (printed += String(chunk)));
  child.on('message', (message) => {
    report = message as ChildReport;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (report === undefined) throw new Error(`the process ended with ${code} and no report: ${printed}`);
  return { report, printed, code };
}

test('without an endpoint nothing of OpenTelemetry is loaded', async () => {
  const { report, printed, code } = await runChild();
  expect({ ...report, printed, code }).toEqual({ loaded: [], log: [], isGlobal: false, printed: '', code: 0 });
});

test('with one it is loaded, registers nothing that is global, and prints nothing', async () => {
  await using receiver = await startReceiver();
  const { report, printed } = await runChild(receiver.url);
  expect(report.loaded).toEqual(
    expect.arrayContaining(['@opentelemetry/api', '@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/sdk-trace-node']),
  );
  expect({ ...report, loaded: [], printed }).toEqual({
    loaded: [],
    log: [],
    stopReason: 'completed',
    isGlobal: false,
    printed: '',
  });
  expect(treeOf(receiver.spans)).toEqual([{ 'invoke_agent harness9': [{ turn: [{ 'chat script': [] }] }] }]);
});

test('the OTEL variables of the environment lead the traces nowhere else and take nothing from them', async () => {
  await using receiver = await startReceiver();
  await using elsewhere = await startReceiver();
  const { report, printed } = await runChild(receiver.url, {
    OTEL_SDK_DISABLED: 'true',
    OTEL_LOG_LEVEL: 'all',
    OTEL_SERVICE_NAME: 'another',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=another,host.name=x',
    OTEL_NODE_RESOURCE_DETECTORS: 'all',
    OTEL_TRACES_EXPORTER: 'console',
    OTEL_TRACES_SAMPLER: 'always_off',
    OTEL_ATTRIBUTE_COUNT_LIMIT: '1',
    OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: '1',
    OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '1',
    OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: '1',
    OTEL_BSP_MAX_QUEUE_SIZE: '1',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1',
    OTEL_BSP_EXPORT_TIMEOUT: '1',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_ENDPOINT: elsewhere.url,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: elsewhere.url,
    OTEL_EXPORTER_OTLP_TIMEOUT: '1',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=another',
    OTEL_EXPORTER_OTLP_CERTIFICATE: '/no/such/file',
    http_proxy: elsewhere.url,
    HTTP_PROXY: elsewhere.url,
  });
  expect({ log: report.log, stopReason: report.stopReason, printed }).toEqual({ log: [], stopReason: 'completed', printed: '' });
  expect(elsewhere.raw).toEqual([]);
  expect(receiver.requests.map(({ spans, headers }) => [spans, headers['x-key']])).toEqual([[3, 'ours']]);
  expect(receiver.resources[0]).toMatchObject({ 'service.name': 'harness9' });
  expect(receiver.resources[0]).not.toHaveProperty(['host.name']);
  expect(receiver.spans.map(({ attributes }) => attributes['gen_ai.usage.input_tokens'])).toEqual([3, undefined, undefined]);
});

test('a receiver that keeps the connection busy for ever keeps no process alive, and prints nothing', async () => {
  await using dripping = await startReceiver((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 200);
    response.on('close', () => clearInterval(timer));
  });
  await using silent = await startReceiver('never');
  const down = await startReceiver();
  await down[Symbol.asyncDispose]();
  const ends = await Promise.all([dripping, silent, down].map(({ url }) => runChild(url)));
  const host = ({ url }: { url: string }) => URL.parse(url)?.host;
  expect(ends.map(({ report, printed, code }) => ({ log: report.log, stopReason: report.stopReason, printed, code }))).toEqual(
    [
      [
        `[otel] warning=traces_not_exported host=${host(dripping)} code=TRACING_TIMEOUT error=The receiver took longer than 5000 ms.`,
      ],
      [`[otel] warning=traces_not_exported host=${host(silent)} error=Request timed out`],
      [expect.stringMatching(new RegExp(`^\\[otel\\] warning=traces_not_exported host=${host(down)} code=ECONNREFUSED error=`))],
    ].map((log) => ({ log, stopReason: 'completed', printed: '', code: 0 })),
  );
});
