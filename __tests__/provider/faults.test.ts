// Every fault of a model's server that the threat model lists, over real connections, through the real SDKs and the engine, in both verbs.
import { createServer, type Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import type { EngineOptions } from '../../src/engine/options.ts';
import { createAnthropicProvider } from '../../src/provider/anthropic/anthropic-provider.ts';
import type { ProviderOptions } from '../../src/provider/connection.ts';
import { createOpenAIProvider } from '../../src/provider/openai/openai-provider.ts';
import type { EngineEvent } from '../../src/schema/run.ts';
import { FullSession, registryOf } from '../engine/ports.ts';
import { type Mode, modes, playIn } from '../engine/scene.ts';
import * as anthropic from './anthropic/recordings.ts';
import { json, type RecordedRequest, type Reply, startByteServer } from './byte-server.ts';
import * as openai from './openai/recordings.ts';

const key = 'sk-test-0123456789abcdef';
const texts = { good: 'Done.', half: 'Half an ans' };
const call = { id: 'call_1', name: 'write_file', arguments: '{"path":"a","content":"whole"}' };

/** Without an end: no `[DONE]`. */
function eventsOf(...events: readonly unknown[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

interface Bytes {
  readonly create: (options: ProviderOptions) => ReturnType<typeof createOpenAIProvider>;
  readonly good: (isStream: boolean) => Reply;
  readonly calls: (isStream: boolean) => Reply;
  /** A stream that shows some text and then begins a call, cut within its arguments. */
  readonly cut: string;
  readonly inside: (type: string, status: number) => string;
}

const cutEvents = [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: texts.half } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: call.id, name: call.name, input: {} } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"path":"a","content":"ha' } },
];

const vendors: Readonly<Record<string, Bytes>> = {
  openai: {
    create: (options) => createOpenAIProvider('m', options),
    good: (isStream) =>
      isStream
        ? { chunks: [openai.streamOf([{ content: texts.good }], 'stop')] }
        : json(openai.bodyOf({ content: texts.good }, 'stop')),
    calls: (isStream) => {
      const message = { content: 'I write.', tool_calls: [{ index: 0, id: call.id, function: call }] };
      return isStream ? { chunks: [openai.streamOf([message], 'tool_calls')] } : json(openai.bodyOf(message, 'tool_calls'));
    },
    cut: eventsOf(
      openai.chunk({ content: texts.half }),
      openai.chunk({
        tool_calls: [{ index: 0, id: call.id, function: { name: call.name, arguments: '{"path":"a","content":"ha' } }],
      }),
    ),
    inside: (type, status) => eventsOf({ error: { message: 'no', type, code: status } }),
  },
  anthropic: {
    create: (options) => createAnthropicProvider('m', 4096, options),
    good: (isStream) => {
      const block = { type: 'text', text: texts.good };
      return isStream ? { chunks: [anthropic.streamOf([[block]], 'end_turn')] } : json(anthropic.bodyOf([block], 'end_turn'));
    },
    calls: (isStream) => {
      const blocks = [
        { type: 'text', text: 'I write.' },
        { type: 'tool_use', id: call.id, name: call.name, input: JSON.parse(call.arguments) },
      ];
      if (!isStream) return json(anthropic.bodyOf(blocks, 'tool_use'));
      return {
        chunks: [
          anthropic.streamOf(
            blocks.map((block) => [block] as const),
            'tool_use',
          ),
        ],
      };
    },
    cut: anthropic.sse([anthropic.messageStart, ...cutEvents]),
    inside: (type) => `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type, message: 'no' } })}\n\n`,
  },
};

const cases = Object.keys(vendors).flatMap((vendor) => modes.map((mode) => [vendor, mode] as const));

interface Played {
  readonly vendor: string;
  readonly mode: Mode;
  readonly options?: ProviderOptions;
  readonly engine?: EngineOptions;
}

/** A run against `url`, under a clock that moves by its sleeps only. */
async function playAt(url: string, { vendor, mode, options, engine = {} }: Played) {
  const waits: number[] = [];
  let announced: number | undefined;
  const events: EngineEvent[] = [];
  const ran: unknown[] = [];
  let nowMs = Date.UTC(2026, 0, 5, 10, 0, 0);
  const startedMs = nowMs;
  // The engine sleeps for other things as well: those do not come to pass here.
  const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    if (ms !== announced) return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    announced = undefined;
    waits.push(ms);
    nowMs += ms;
  };
  const log = (line: string): void => {
    announced = Number(/retry_in_ms=(\d+)/.exec(line)?.[1] ?? announced);
  };
  const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs - startedMs, sleep };
  const registry = registryOf({
    write_file: {
      effect: 'write',
      run: ({ arguments: given }) => {
        ran.push(JSON.parse(given));
        return 'written';
      },
    },
  });
  const provider = vendors[vendor]?.create({ apiKey: key, env: {}, baseUrl: url, now: clock.now, ...options });
  if (provider === undefined) throw new Error(vendor);
  const run = createEngine(provider, registry, '/w', {
    clock,
    random: () => 0.5,
    onEvent: (event) => events.push(event),
    log,
    ...engine,
  });
  return { result: await playIn(mode, run, 'go'), waits, events, ran };
}

type Script = (bytes: Bytes, isStream: boolean) => Reply;

/** The same against a server that plays a script; its last reply is repeated. */
async function play(script: readonly Script[], played: Played) {
  const bytes = vendors[played.vendor];
  if (bytes === undefined) throw new Error(played.vendor);
  const replies = script.map((one) => (request: RecordedRequest) => one(bytes, request.text.includes('"stream":true')));
  await using server = await startByteServer(replies);
  const outcome = await playAt(server.url, played);
  return { ...outcome, requests: server.requests };
}

const good: Script = (bytes, isStream) => bytes.good(isStream);
const no =
  (status: number, headers: Readonly<Record<string, string>> = {}): Script =>
  () => ({ ...json({ error: { message: 'no' } }, status), headers });

/** A server of bare TCP that does one thing to every connection. */
async function startTcp(onConnection: (socket: Socket) => void) {
  const server = createServer(onConnection);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

describe.each(cases)('%s, %s', (vendor, mode) => {
  const played: Played = { vendor, mode };
  const given = { error: { code: 'PROVIDER_TRANSPORT' }, stopReason: 'error' };

  test('nobody listens: tried six times, then told with host, model and cause', async () => {
    const { port, close } = await startTcp(() => {});
    await close();
    const { result, waits } = await playAt(`http://127.0.0.1:${port}/v1`, played);
    expect(result).toMatchObject(given);
    expect(result.error?.message).toMatch(
      new RegExp(`127\\.0\\.0\\.1:${port} \\(model m\\) could not be reached: .*ECONNREFUSED.*given up after 6 attempts`),
    );
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000]);
  });

  test('TLS is reset: tried six times', async () => {
    const { port, close } = await startTcp((socket) => socket.on('error', () => {}).once('data', () => socket.resetAndDestroy()));
    const { result, waits } = await playAt(`https://127.0.0.1:${port}/v1`, played);
    await close();
    expect(result).toMatchObject(given);
    expect(waits).toHaveLength(5);
  });

  test.each(['ENOTFOUND', 'EAI_AGAIN'])('a name that is not known (%s): tried six times', async (code) => {
    const cause = Object.assign(new Error(`getaddrinfo ${code} models.invalid`), { code });
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
    const { result, waits } = await playAt('https://models.invalid/v1', { ...played, options: { fetch } });
    expect(result).toMatchObject(given);
    expect(result.error?.message).toContain(code);
    expect(waits).toHaveLength(5);
  });

  test('a certificate that does not fit is not tried again', async () => {
    const cause = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
    expect(await playAt('https://models.invalid/v1', { ...played, options: { fetch } })).toMatchObject({
      result: given,
      waits: [],
    });
  });

  test('a server that hangs before its answer, and one that hangs within it, run into their time', async () => {
    const hang: Script = () => ({ chunks: [], end: 'hang' });
    const silent: Script = (bytes, isStream) => ({
      ...(isStream ? {} : { type: 'application/json' }),
      chunks: [isStream ? bytes.cut : '{'],
      end: 'hang',
    });
    for (const script of [hang, silent]) {
      const { result, requests } = await play([script, script, good], {
        ...played,
        options: { idleTimeoutMs: 60, totalTimeoutMs: mode === 'run' ? 120 : 15_000 },
      });
      expect([result.stopReason, result.finalMessage]).toEqual(['completed', texts.good]);
      // On a busy machine the good one, too, may take longer than that.
      expect(requests.length).toBeGreaterThanOrEqual(3);
    }
    const { result } = await play([hang], { ...played, options: { idleTimeoutMs: 20, totalTimeoutMs: 20 } });
    expect(result.error).toMatchObject({
      code: 'PROVIDER_TIMEOUT',
      message: expect.stringMatching(/0\.02 s .*given up after 6/),
    });
  });

  test('a stream that never ends runs into the total time', async () => {
    const endless: Script = (bytes, isStream) => ({
      chunks: isStream ? Array.from({ length: 400 }, () => bytes.cut) : [],
      end: 'hang',
    });
    const { result } = await play([endless, good], { ...played, options: { idleTimeoutMs: 10_000, totalTimeoutMs: 300 } });
    expect(result).toMatchObject({ stopReason: 'completed', finalMessage: texts.good });
  });

  test('G2-29 429 with Retry-After 2, and with a date: waited for', async () => {
    const date = new Date(Date.UTC(2026, 0, 5, 10, 0, 3)).toUTCString();
    const { result, waits } = await play(
      [no(429, { 'retry-after': '2' }), no(429, { 'retry-after': date, date: 'Mon, 05 Jan 2026 10:00:00 GMT' }), good],
      played,
    );
    expect([result.stopReason, waits]).toEqual(['completed', [2500, 3500]]);
  });

  test('G2-29 429 with Retry-After 600: told at once, with the time', async () => {
    const { result, waits, requests } = await play([no(429, { 'retry-after': '600' }), good], played);
    expect(result.error).toMatchObject({
      code: 'PROVIDER_RATE_LIMIT',
      message: expect.stringContaining('for 600 s until 2026-01-05 10:10:00 UTC'),
    });
    expect([waits, requests.length]).toEqual([[], 1]);
  });

  test('G2-29 429 with garbage, a negative number, or nothing: our own growing waits, no busy loop', async () => {
    for (const value of ['soon', '-5', '0x10', undefined]) {
      const { waits, requests, result } = await play([no(429, value === undefined ? {} : { 'retry-after': value })], played);
      expect([waits, requests.length]).toEqual([[500, 1000, 2000, 4000, 8000], 6]);
      expect(result.error?.message).toMatch(/status 429.*: (x: )?no \(given up after 6 attempts\)/);
    }
  });

  test('500 twice, then an answer; 500 for ever', async () => {
    expect(await play([no(500), no(500), good], played)).toMatchObject({
      result: { stopReason: 'completed', turns: 1 },
      waits: [500, 1000],
    });
    const { requests, result } = await play([no(500)], played);
    expect([requests.length, result.error?.code]).toEqual([6, 'PROVIDER_OVERLOADED']);
  });

  test.each([401, 402, 403, 404])('%s is asked once; what is told names the input, and never the key', async (status) => {
    const { requests, result, waits } = await play([() => json({ error: { message: `no: ${key}` } }, status)], played);
    expect([requests.length, waits, result.stopReason]).toEqual([1, [], 'error']);
    expect(JSON.stringify(result)).not.toContain(key.slice(3, 13));
    expect(result.error?.hint).toMatch(status === 402 ? /add credit/ : /api_key|base_url/);
  });

  test('G2-37 a page: 502, 503 and 504 are tried again, 200 and 404 are not; the host is named, and no more of the address', async () => {
    const page =
      (status: number): Script =>
      () => ({ status, type: 'text/html', chunks: ['<!DOCTYPE html><html><h1>nginx</h1>'] });
    for (const status of [502, 503, 504])
      expect(await play([page(status), good], played)).toMatchObject({ result: { stopReason: 'completed' } });
    for (const status of [200, 404]) {
      const { result, requests } = await play([page(status), good], played);
      expect(requests).toHaveLength(1);
      expect(result.error?.message).toMatch(
        new RegExp(`127\\.0\\.0\\.1:\\d+ \\(model m\\): endpoint returned HTML \\(status ${status}\\) - check base URL$`),
      );
    }
  });

  test('G2-10 an answer without anything in it, one that is cut, and one that is no JSON are tried again', async () => {
    const bodies = ['', '{}', '{"id":"x","choices":[]}', '{"choices":[{"mess', 'OK'];
    for (const body of bodies) {
      const { result, requests } = await play([() => ({ type: 'application/json', chunks: [body] }), good], played);
      expect([body, result.stopReason, requests.length]).toEqual([body, 'completed', 2]);
    }
    const torn: Script = () => ({ type: 'application/json', chunks: ['{"choices":[{"mess'], end: 'reset' });
    expect(await play([torn, good], played)).toMatchObject({ result: { stopReason: 'completed' } });
  });

  test('G2-24 an answer that breaks off within a call: nothing of it is run, and the next one is whole', async () => {
    const ends = [{}, { end: 'reset' }] as const;
    for (const end of ends) {
      const cut: Script = (bytes, isStream) => ({
        chunks: [isStream ? bytes.cut : '{"choices'],
        ...end,
        ...(isStream ? {} : { type: 'application/json' }),
      });
      const { result, ran, events, requests } = await play([cut, (bytes, isStream) => bytes.calls(isStream), good], played);
      expect([result.stopReason, result.finalMessage, requests.length]).toEqual(['completed', texts.good, 3]);
      expect(ran).toEqual([JSON.parse(call.arguments)]);
      expect(JSON.stringify(requests.map(({ body }) => body))).not.toContain('Half');
      if (mode === 'run') continue;
      const shown = events
        .filter(({ type }) => type === 'action_delta' || type === 'reset')
        .map((event) => ('data' in event ? event.data : event.type));
      expect(shown.join('')).toBe(`${texts.half}resetI write.${texts.good}`);
      // One of the two says at an answer's begin what it took; what is estimated is no report.
      expect(result.usage.inputTokens > 0).toBe(vendor === 'anthropic');
    }
  });

  test('G2-24 an answer that breaks off every time is told as cut off, with what it said', async () => {
    const cut: Script = (bytes, isStream) => ({
      chunks: [isStream ? bytes.cut : '{"choices'],
      end: 'reset',
      ...(isStream ? {} : { type: 'application/json' }),
    });
    const { result, requests, ran } = await play([cut], played);
    expect(result).toMatchObject({ stopReason: 'error', error: { code: 'PROVIDER_TRANSPORT' } });
    expect([requests.length, ran]).toEqual([6, []]);
    if (mode === 'runStream') expect(result.finalMessage).toBe(texts.half);
  });

  test.each([
    ['overloaded_error', 529, true],
    ['rate_limit_error', 429, true],
    ['api_error', 500, true],
    ['invalid_request_error', 400, false],
    ['authentication_error', 401, false],
  ])('G2-10 G3-10 %s inside an answer that began well: tried again: %s %s', async (type, status, isRetried) => {
    for (const before of ['', 'some']) {
      const inside: Script = (bytes, isStream) => {
        if (!isStream)
          return json({ type: 'error', error: { type, message: 'no', ...(vendor === 'openai' ? { code: status } : {}) } });
        return { chunks: [before === '' ? bytes.inside(type, status) : bytes.cut + bytes.inside(type, status)] };
      };
      const { result, requests } = await play([inside, good], played);
      expect([type, result.stopReason, requests.length]).toEqual([type, isRetried ? 'completed' : 'error', isRetried ? 2 : 1]);
    }
  });

  test('G3-12 529 without end after nine good turns: bounded, told plainly, and the conversation is kept', async () => {
    const session = new FullSession();
    const turns = Array.from({ length: 9 }, (): Script => (bytes, isStream) => bytes.calls(isStream));
    const { result, requests, waits, ran } = await play([...turns, no(529)], { ...played, engine: { session, maxRepeats: 0 } });
    expect(result).toMatchObject({ stopReason: 'error', error: { code: 'PROVIDER_OVERLOADED' }, turns: 10 });
    expect([requests.length, ran.length]).toEqual([15, 9]);
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000]);
    expect((await session.getMessages()).filter(({ toolCallId }) => toolCallId !== undefined)).toHaveLength(9);
  });

  test('a wait beyond the end of the run is not begun', async () => {
    const { result, waits } = await play([no(503, { 'retry-after': '110' }), good], {
      ...played,
      engine: { timeoutMs: 140_000, wrapUpReserveMs: 60_000 },
    });
    expect(result.error?.message).toContain('for 110 s until 2026-01-05 10:01:50 UTC, and 105 s');
    expect(waits).toEqual([]);
  });
});
