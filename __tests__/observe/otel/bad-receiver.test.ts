// Receivers that are down, slow, or answer with anything else: the run is as ever, and the log has one line.
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/schema/system-clock.ts';
import { echo, registryOf } from '../../engine/ports.ts';
import { call, calls, ScriptedModel, type Step, says } from '../../engine/scripted-model.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { playTraced, startTracing } from './traced.ts';

/** Time that is always over, so that no test waits for a limit. */
const hastyClock = { ...systemClock, sleep: async () => {} };

const answer = (status: number, body = '', headers: Record<string, string> = {}) => {
  return (_request: unknown, response: ServerResponse): void => void response.writeHead(status, headers).end(body);
};

async function playAgainst(url: string): Promise<{ readonly finalMessage: string; readonly log: readonly string[] }> {
  const { tracing, log } = await startTracing(url);
  const model = new ScriptedModel([{ answer: calls(call('a', 'look')) }, { answer: says('done') }]);
  const { finalMessage } = await playTraced('run', { tracing, model, registry: registryOf({ look: echo }) });
  await tracing.shutdown();
  return { finalMessage, log: log.map((line) => line.replace(/ host=\S+/, '')) };
}

describe('a receiver', () => {
  test.each([
    ['answers 400', answer(400, 'no'), 'code=400 error=Bad Request'],
    ['answers 401', answer(401), 'code=401 error=Unauthorized'],
    ['answers 404', answer(404), 'code=404 error=Not Found'],
    ['answers 413', answer(413), 'code=413 error=Payload Too Large'],
    ['answers 500', answer(500, '{"message":"x"}'), 'code=500 error=Internal Server Error'],
    ['wants an hour', answer(503, '', { 'retry-after': '3600' }), 'error=Export failed with retryable status'],
    ['answers 5 MB', answer(200, 'x'.repeat(5_000_000)), 'error=OTLP export response body exceeded size limit of 4194304 bytes'],
  ])('that %s costs one line', async (_name, manner, line) => {
    await using receiver = await startReceiver(manner);
    expect(await playAgainst(receiver.url)).toEqual({
      finalMessage: 'done',
      log: [`[otel] warning=traces_not_exported ${line}`],
    });
  });

  test.each([
    ['with a page', answer(200, '<html>hello</html>', { 'content-type': 'text/html' })],
    ['with nothing', answer(204)],
    ['with another JSON', answer(200, '[1,"x",null]', { 'content-type': 'application/json' })],
    ['that a part was refused', answer(200, '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}')],
  ])('that answers well, but %s, is believed', async (_name, manner) => {
    await using receiver = await startReceiver(manner);
    expect(await playAgainst(receiver.url)).toEqual({ finalMessage: 'done', log: [] });
    expect(receiver.raw).toHaveLength(1);
  });

  test('that sends elsewhere is not followed', async () => {
    await using elsewhere = await startReceiver();
    await using receiver = await startReceiver(answer(307, '', { location: `${elsewhere.url}/v1/traces` }));
    const { log } = await playAgainst(receiver.url);
    expect(log).toEqual(['[otel] warning=traces_not_exported code=307 error=Temporary Redirect']);
    expect(elsewhere.raw).toEqual([]);
  });

  test('that speaks no HTTP costs one line', async () => {
    await using receiver = await startNoise();
    const { finalMessage, log } = await playAgainst(receiver.url);
    expect(finalMessage).toBe('done');
    expect(log).toEqual([expect.stringMatching(/^\[otel\] warning=traces_not_exported code=HPE_\w+ error=.*Parse Error/)]);
  });

  test('that never answers does not hold up a run of 300 turns, nor its end', async () => {
    await using receiver = await startReceiver('never');
    const { tracing, log } = await startTracing(receiver.url, { clock: hastyClock });
    const steps = Array.from({ length: 299 }, (_, turn): Step => ({ answer: calls(call(`c${turn}`, 'look', { turn })) }));
    const model = new ScriptedModel([...steps, { answer: says('done') }]);
    const registry = registryOf({ look: { run: ({ id }) => `new ${id}` } });
    const { finalMessage } = await playTraced('runStream', { tracing, model, registry, options: { maxTurns: 0 } });
    expect(finalMessage).toBe('done');
    await tracing.shutdown();
    expect(log).toEqual([expect.stringContaining('code=TRACING_TIMEOUT')]);
  });

  test('is not waited for when the shutdown is called off', async () => {
    await using receiver = await startReceiver('never');
    const { tracing, log } = await startTracing(receiver.url);
    tracing.observer.onInteractionEnd(tracing.observer.onInteractionStart({}, undefined, 'go'), 1, undefined);
    await tracing.shutdown(AbortSignal.abort(new Error('killed')));
    expect(log).toEqual([expect.stringContaining('error=killed')]);
  });
});

test('headers go with every request', async () => {
  await using receiver = await startReceiver();
  const { tracing } = await startTracing(receiver.url, { headers: { authorization: 'Bearer abc', 'x-tenant': 'a' } });
  await playTraced('run', { tracing, model: new ScriptedModel([{ answer: says('hi') }]), registry: registryOf({}) });
  await tracing.shutdown();
  expect(receiver.requests.map(({ headers }) => [headers.authorization, headers['x-tenant'], headers['content-type']])).toEqual([
    ['Bearer abc', 'a', 'application/json'],
  ]);
});

test('the way leads through the proxy that it is told of', async () => {
  await using proxy = await startReceiver();
  const { tracing, log } = await startTracing('http://otel.localhost:9', { proxyEnv: { http_proxy: proxy.url } });
  await playTraced('run', { tracing, model: new ScriptedModel([{ answer: says('hi') }]), registry: registryOf({}) });
  await tracing.shutdown();
  expect(log).toEqual([]);
  expect(proxy.requests.map(({ path, headers }) => [path, headers.host])).toEqual([
    ['http://otel.localhost:9/v1/traces', 'otel.localhost:9'],
  ]);
});

async function startNoise(): Promise<Pick<Receiver, 'url' | typeof Symbol.asyncDispose>> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.resume().end('\u0000\u0001 no such protocol\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => await new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
