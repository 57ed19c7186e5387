// The reported failures of Chat Completions servers (G2), each on raw bytes over real HTTP, through the engine with real tools, whole and streamed.
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createEngine } from '../../../src/engine/engine.ts';
import { createOpenAIProvider } from '../../../src/provider/openai/openai-provider.ts';
import type { Message } from '../../../src/schema/message.ts';
import type { EngineEvent, RunResult } from '../../../src/schema/run.ts';
import { createRegistry } from '../../../src/tools/registry.ts';
import { defineTool, success } from '../../../src/tools/tool.ts';
import { MemorySession } from '../../engine/ports.ts';
import { type Mode, modes, playIn } from '../../engine/scene.ts';
import { inPieces, type RecordedRequest, type Reply, startByteServer } from '../byte-server.ts';
import { impatientClock } from '../calling.ts';
import { sse } from './recordings.ts';
import { readRequest } from './strict-request.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a server says in one answer: chunks of a stream, and the message that they come to. */
interface Said {
  readonly deltas: readonly Json[];
  readonly message: Json;
  readonly finish: string | null;
}

const done = said({ content: 'All done.' }, 'stop');

/** One delta, or several that come to the same. */
function said(message: Json, finish: string | null, deltas: readonly Json[] = [message]): Said {
  return { message, finish, deltas };
}

function callOf(id: string, name: string, args: unknown): Json {
  return { id, type: 'function', function: { name, arguments: args } };
}

function reads(...paths: readonly string[]): readonly Json[] {
  return paths.map((path, index) => ({ index, ...callOf(path, 'read_file', JSON.stringify({ path })) }));
}

/** The bytes, in the form that the request asks for. */
function replyWith({ deltas, message, finish }: Said): (request: RecordedRequest) => Reply {
  return ({ body }) => {
    const choice = { index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish };
    if (Object(body).stream !== true) return { type: 'application/json', chunks: [JSON.stringify({ choices: [choice] })] };
    const chunks = [...deltas, {}].map((delta, at) => ({
      choices: [{ index: 0, delta, finish_reason: at < deltas.length ? null : finish }],
    }));
    return { chunks: [sse(chunks)] };
  };
}

interface Play {
  readonly result: RunResult;
  /** What ran, with its arguments; how each call was answered. */
  readonly ran: readonly string[];
  readonly answers: readonly string[];
  /** The text as it was streamed. */
  readonly shown: string;
  readonly requests: readonly RecordedRequest[];
}

/** Tools with real schemas; one whose command is "broken" throws. */
function registryThatTells(ran: string[]) {
  const registry = createRegistry();
  const register = (name: string, schema: z.ZodObject) =>
    registry.register(
      defineTool({
        name,
        description: 'A tool.',
        place: 'host',
        effect: 'read',
        schema,
        run: async (args) => {
          ran.push(`${name} ${JSON.stringify(args)}`);
          if (JSON.stringify(args).includes('broken')) throw new Error('the disk is gone');
          return success(`${name} done`);
        },
      }),
    );
  register('read_file', z.object({ path: z.string() }));
  register('bash', z.object({ command: z.string() }));
  register('use_skill', z.object({ name: z.string().optional() }));
  return registry;
}

type Turn = Said | Reply | ((request: RecordedRequest) => Reply);

/** A run of these turns, each request of which a strict server would take. */
async function play(mode: Mode, turns: readonly Turn[], session = new MemorySession()): Promise<Play> {
  await using server = await startByteServer(turns.map((turn) => ('deltas' in turn ? replyWith(turn) : turn)));
  const ran: string[] = [];
  const registry = registryThatTells(ran);
  const answers: string[] = [];
  let shown = '';
  const onEvent = (event: EngineEvent): void => {
    if (event.type === 'tool_result') answers.push(JSON.stringify(event.data.result));
    if (event.type === 'action_delta') shown += event.data;
    if (event.type === 'reset') shown = '';
  };
  const provider = createOpenAIProvider('m', { apiKey: 'sk-test-0123456789', env: {}, baseUrl: `${server.url}/v1` });
  const engine = createEngine(provider, registry, '/w', { onEvent, clock: impatientClock, session, maxTurns: 10 });
  const result = await playIn(mode, engine, 'go');
  for (const { body } of server.requests) expect(readRequest(body)).toEqual(body);
  return { result, ran, answers, shown, requests: server.requests };
}

describe.each(modes)('%s', (mode) => {
  test.each(['', '  \n'])('G2-01 arguments that are %j are no arguments, and what is required is named', async (args) => {
    const calls = [
      { index: 0, ...callOf('c1', 'use_skill', args) },
      { index: 1, ...callOf('c2', 'bash', args) },
    ];
    const { ran, answers, result } = await play(mode, [said({ tool_calls: calls }, 'tool_calls'), done]);
    expect(ran).toEqual(['use_skill {}']);
    expect(answers.find((answer) => answer.includes('"c2"'))).toMatch(/command.*"isError":true/);
    expect(result.finalMessage).toBe('All done.');
  });

  test.each([{ name: 'bash', arguments: null }, { name: 'bash' }])('G2-02 arguments that are not there: %j', async (called) => {
    const { answers, ran } = await play(mode, [
      said({ tool_calls: [{ index: 0, id: 'c1', function: called }] }, 'tool_calls'),
      done,
    ]);
    expect(ran).toEqual([]);
    expect(answers.join()).toMatch(/command.*"isError":true/);
  });

  test('G2-04 arguments that are an object run, and go back as text', async () => {
    const calls = [{ index: 0, ...callOf('c1', 'read_file', { path: 'a.txt' }) }];
    const { ran, requests } = await play(mode, [said({ tool_calls: calls }, 'tool_calls'), done]);
    expect(ran).toEqual(['read_file {"path":"a.txt"}']);
    expect(JSON.stringify(requests[1]?.body)).toContain('"arguments":"{\\"path\\":\\"a.txt\\"}"');
  });

  test.each<[string, readonly (readonly Json[])[]]>([
    [
      'G2-05 all of index 0',
      [[{ index: 0, ...callOf('a', 'read_file', '{"path":"a"}') }], [{ index: 0, ...callOf('b', 'read_file', '{"path":"b"}') }]],
    ],
    ['G2-05 all of index 0 in one chunk', [reads('a', 'b').map((call) => ({ ...call, index: 0 }))]],
    [
      'G2-06 without an index, and fragments without an id',
      [
        [callOf('a', 'read_file', '{"pa')],
        [{ function: { arguments: 'th":"a"}' } }],
        [callOf('b', 'read_file', '')],
        [{ function: { arguments: '{"path":"b"}' } }],
      ],
    ],
    [
      'G2-06 with an index from the second fragment on',
      [
        [callOf('a', 'read_file', '{"pa')],
        [{ index: 0, function: { arguments: 'th":"a"}' } }],
        [{ index: 1, ...callOf('b', 'read_file', '{"path":"b"}') }],
      ],
    ],
    [
      'G2-07 interleaved, with ids on the first fragments only',
      [
        [{ index: 0, ...callOf('a', 'read_file', '{"pa') }],
        [{ index: 1, ...callOf('b', 'read_file', '{"pa') }],
        [{ index: 0, function: { name: null, arguments: 'th":"a"}' } }],
        [{ index: 1, function: { name: null, arguments: 'th":"b"}' } }],
      ],
    ],
  ])('%s: both calls run, each with its own arguments', async (_name, chunks) => {
    const deltas = chunks.map((calls) => ({ tool_calls: calls }));
    const { ran, requests } = await play(mode, [said({ tool_calls: reads('a', 'b') }, 'tool_calls', deltas), done]);
    expect(ran).toEqual(['read_file {"path":"a"}', 'read_file {"path":"b"}']);
    const [, , answer] = z
      .array(z.looseObject({ tool_calls: z.array(z.looseObject({ id: z.string() })).optional() }))
      .parse(Object(requests[1]?.body).messages);
    expect(answer?.tool_calls?.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  test.each(['stop', 'other', 'function_call', null])('G2-11 calls run although the reason is %s', async (reason) => {
    const turn = said({ content: 'let me look', tool_calls: reads('a', 'b', 'c') }, reason);
    const { ran, result } = await play(mode, [turn, done]);
    expect(ran).toHaveLength(3);
    expect(result).toMatchObject({ stopReason: 'completed', finalMessage: 'All done.', turns: 2 });
  });

  test.each([{}, { content: 'Reading.' }])('G2-13 the call and its reason share a chunk, with %j', async (more) => {
    const choice = { index: 0, delta: { ...more, tool_calls: reads('a') }, finish_reason: 'tool_calls' };
    const stream: Turn = ({ body }) =>
      Object(body).stream === true
        ? { chunks: [sse([{ choices: [choice] }])] }
        : replyWith(said({ ...more, tool_calls: reads('a') }, 'tool_calls'))({ body, path: '', headers: {}, text: '' });
    const { ran, requests } = await play(mode, [stream, done]);
    expect(ran).toEqual(['read_file {"path":"a"}']);
    expect(JSON.stringify(requests[1]?.body).includes('Reading.')).toBe('content' in more);
  });

  test.each<[string, Json, string]>([
    ['an empty list', { content: 'I will.', tool_calls: [] }, 'I will.'],
    ['no name', { tool_calls: [{ index: 0, id: 'a', function: { arguments: '{"path":"a"}' } }] }, 'no'],
  ])(
    'G2-14 calls that were announced and did not come (%s): asked once more, then an honest end',
    async (_name, message, words) => {
      const turn = said(message, 'tool_calls');
      const { ran, result, requests } = await play(mode, [turn, turn]);
      expect([ran, requests.length]).toEqual([[], 2]);
      if (words === 'no') expect(result.error?.code).toBe('MODEL_EMPTY_ANSWER');
      else expect(result.finalMessage).toBe(words);
      expect((await play(mode, [turn, done])).result.finalMessage).toBe('All done.');
    },
  );

  test('G2-15 chunks without a choice: filters first, usage last', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 4 };
    const stream = sse([
      { choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
      { choices: [{ index: 0, delta: { content: 'Whole.' }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage },
    ]);
    const whole = JSON.stringify({
      choices: [{ index: 0, message: { content: 'Whole.' }, finish_reason: 'stop' }],
      usage,
      prompt_filter_results: [],
    });
    const reply: Turn = ({ body }) =>
      Object(body).stream === true ? { chunks: [stream] } : { type: 'application/json', chunks: [whole] };
    const { result } = await play(mode, [reply]);
    expect(result).toMatchObject({ finalMessage: 'Whole.', usage: { inputTokens: 10, outputTokens: 4 } });
  });

  test.each(['reasoning_content', 'reasoning'])('G2-17 %s must come back in the step after a call', async (field) => {
    const refusing: Turn = (request) => {
      const answer = Object(request.body).messages.find((message: Json) => message.role === 'assistant');
      const isThere = answer?.[field] === 'r1';
      return isThere
        ? replyWith(done)(request)
        : { status: 400, type: 'application/json', chunks: [`{"error":{"message":"Missing ${field}"}}`] };
    };
    const { result } = await play(mode, [said({ content: null, [field]: 'r1', tool_calls: reads('a') }, 'tool_calls'), refusing]);
    expect(result.finalMessage).toBe('All done.');
  });

  test('G2-25 a finish without [DONE] is whole, [DONE] without a finish too; neither is cut off (G2-24)', async () => {
    const text = 'data: {"choices":[{"index":0,"delta":{"content":"Whole."},"finish_reason":null}]}\n\n';
    const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
    for (const stream of [text + end, `${text}data: [DONE]\n\n`]) {
      expect((await play(mode, [{ chunks: [stream] }])).result.finalMessage).toBe('Whole.');
    }
    const { result } = await play(mode, [{ chunks: [text] }, done]);
    expect(result.finalMessage).toBe('All done.');
  });

  test('G2-26 comments and empty events are nothing', async () => {
    const noise = ': OPENROUTER PROCESSING\n\n: ping - 12:00\n\nevent: ping\n\ndata:\n\n';
    const reply: Turn = (request) => {
      const { chunks, ...rest } = replyWith(said({ tool_calls: reads('a') }, 'tool_calls'))(request);
      return {
        ...rest,
        chunks: chunks.map((chunk) =>
          rest.type === undefined ? noise + String(chunk).replaceAll('\n\n', `\n\n${noise}`) : chunk,
        ),
      };
    };
    const { ran, result } = await play(mode, [reply, done]);
    expect([ran, result.finalMessage]).toEqual([['read_file {"path":"a"}'], 'All done.']);
  });

  test.each<[string, (text: string) => readonly (string | Uint8Array)[]]>([
    ['byte by byte', (text) => inPieces(text, 1)],
    ['with CRLF', (text) => inPieces(text.replaceAll('\n', '\r\n'), 1)],
    ['without a space', (text) => [text.replaceAll('data: ', 'data:')]],
    ['over two lines', (text) => [text.replaceAll('"delta":', '\ndata: "delta":')]],
    ['without the last blank line', (text) => [text.replace('data: [DONE]\n\n', '').trimEnd()]],
  ])('G2-27 the same text %s', async (_name, form) => {
    const reply: Turn = (request) => {
      const { chunks, ...rest } = replyWith(said({ content: '日本🌍' }, 'stop'))(request);
      return { ...rest, chunks: rest.type === undefined ? form(chunks.join('')) : chunks };
    };
    const { result, shown } = await play(mode, [reply]);
    expect(result.finalMessage).toBe('日本🌍');
    if (mode === 'runStream') expect(shown).toBe('日本🌍');
  });

  test('G2-31 a call that the limit cut is not run, goes back valid, and the model is told', async () => {
    const cut = { index: 0, ...callOf('c1', 'bash', '{"command":"echo # Ti') };
    const { ran, answers, requests } = await play(mode, [said({ tool_calls: [cut] }, 'length'), done]);
    expect(ran).toEqual([]);
    expect(requests[1]?.text).toMatch(/"arguments":"\{\}".*smaller pieces/);
    expect(answers.join()).not.toContain('bash done');
  });

  test('G2-34 a history that begins in the middle, and one that lacks a result, are sent whole', async () => {
    const observation = (toolCallId: string): Message => ({ role: 'user', content: [{ type: 'text', text: 'old' }], toolCallId });
    const toolCalls = ['a', 'b'].map((id) => ({ id, name: 'read_file', arguments: '{"path":"x"}' }));
    const session = new MemorySession([observation('gone'), { role: 'assistant', content: [], toolCalls }, observation('b')]);
    const { requests, result } = await play(mode, [done], session);
    expect(result.finalMessage).toBe('All done.');
    const roles = Object(requests[0]?.body).messages.map((message: Json) => message.tool_call_id ?? message.role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'a', 'b', 'user']);
  });

  test('G2-35 every call gets one result: a tool that throws, one that there is not', async () => {
    const calls = [
      { index: 0, ...callOf('ok', 'read_file', '{"path":"a"}') },
      { index: 1, ...callOf('throws', 'bash', '{"command":"broken"}') },
      { index: 2, ...callOf('unknown', 'no_such_tool', '{}') },
    ];
    const { requests, result } = await play(mode, [said({ tool_calls: calls }, 'tool_calls'), done]);
    expect(result.finalMessage).toBe('All done.');
    const results = Object(requests[1]?.body).messages.filter((message: Json) => message.role === 'tool');
    expect(results.map((message: Json) => message.tool_call_id)).toEqual(['ok', 'throws', 'unknown']);
    expect(results.map((message: Json) => String(message.content))).toEqual([
      'read_file done',
      expect.stringContaining('the disk is gone'),
      expect.stringContaining('no tool named "no_such_tool"'),
    ]);
  });

  test.each(['', '  '])('G2-38 an answer with only calls, whose text is %j, goes back with null', async (content) => {
    const { requests } = await play(mode, [said({ content, tool_calls: reads('a') }, 'tool_calls'), done]);
    const answer = Object(requests[1]?.body).messages.find((message: Json) => message.role === 'assistant');
    expect(answer).toHaveProperty('content', null);
  });
});

describe('G2-24 a stream that breaks off behind its beginning is never an answer, whatever the server writes behind it', () => {
  const text = 'data: {"choices":[{"index":0,"delta":{"content":"So far"},"finish_reason":null}]}\n\n';
  const half =
    'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\\"path\\":\\"ne"}}]}}]}\n\n';
  const named =
    'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"use_skill","arguments":""}}]}}]}\n\n';
  const end = 'data: [DONE]\n\n';

  test.each([
    ['llama.cpp’s field', `${text}error: {"code":500,"message":"oops","type":"server_error"}\n\n${end}`],
    ['vLLM’s object', `${text}data: {"object":"error","message":"oops","type":"InternalServerError","code":500}\n\n${end}`],
    ['an error object', `${text}data: {"error":{"message":"oops","code":502}}\n\n${end}`],
    ['OpenRouter’s reason', `${text}data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}\n\n${end}`],
    ['half a call and [DONE]', `${text}${half}${end}`],
    ['the name of a call and [DONE]', `${text}${named}${end}`],
    ['half a call', `${text}${half}`],
    ['[DONE] alone', end],
    ['nothing', ''],
  ])('%s', async (_name, stream) => {
    const { result, ran, shown } = await play('runStream', [{ chunks: [stream] }, done]);
    expect(result).toMatchObject({ stopReason: 'completed', finalMessage: 'All done.', turns: 1 });
    expect([ran, shown]).toEqual([[], 'All done.']);
  });
});
