// Parameters that a server refuses: mended once each, remembered, and never at the cost of another one. G2-19 on both vendors' wordings.
import { describe, expect, test } from '@jest/globals';
import type { AnswerFailure } from '../../src/provider/map-error.ts';
import { type Body, createAdaptedSend, type OptionalParameter } from '../../src/provider/refused-parameters.ts';

const parameters: readonly OptionalParameter[] = [
  { name: 'stream_options' },
  { name: 'max_tokens', alias: 'max_completion_tokens', isLimit: true },
  { name: 'reasoning_effort', values: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'], words: /\bthinking\b/i },
  { name: 'output_config.effort', values: ['low', 'medium', 'high', 'max'] },
  { name: 'output_config.format' },
  { name: 'max_output', isLimit: true },
  { name: 'thinking_budget' },
  {
    name: 'cache_control',
    remove: (body) => (JSON.stringify(body).includes('cache_control') ? { ...body, system: 'unmarked' } : body),
  },
];

const whole: Body = {
  model: 'm',
  max_tokens: 32_000,
  max_output: 1,
  thinking_budget: 2,
  stream_options: { include_usage: true },
  reasoning_effort: 'xhigh',
  output_config: { effort: 'max', format: { type: 'json_schema' } },
  system: [{ text: 'x', cache_control: {} }],
  messages: [],
};

type Refusal = AnswerFailure | undefined;

function refusal(message: string, rest: Partial<AnswerFailure> & { readonly param?: string } = {}): AnswerFailure {
  const { param, ...failure } = rest;
  return {
    status: 400,
    headers: undefined,
    body: { message, ...(param === undefined ? {} : { param }) },
    text: message,
    ...failure,
  };
}

/** What is sent when each attempt is answered in turn; the rest is taken. */
function server(...answers: readonly Refusal[]) {
  const bodies: Body[] = [];
  const send = createAdaptedSend(parameters);
  const ask = (body: Body = whole) =>
    send(body, async (sent, refused) => {
      const failure = answers[bodies.push(sent) - 1];
      if (failure === undefined) return new Response();
      refused(failure);
      throw new Error(failure.text);
    });
  return { bodies, ask };
}

function differs(body: Body | undefined): Body {
  const names = new Set([...Object.keys(whole), ...Object.keys(body ?? {})]);
  const changed = [...names].filter((name) => JSON.stringify(whole[name]) !== JSON.stringify(body?.[name]));
  return Object.fromEntries(changed.map((name) => [name, body?.[name] ?? 'gone']));
}

const effortless = { output_config: { format: { type: 'json_schema' } } };

describe('one refusal', () => {
  test.each<[string, AnswerFailure, Body]>([
    ['by its field', refusal('no', { param: 'stream_options' }), { stream_options: 'gone' }],
    ['by the words', refusal('Unknown parameter: stream_options'), { stream_options: 'gone' }],
    [
      'by FastAPI',
      refusal('', {
        status: 422,
        body: { detail: [{ loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }] },
      }),
      { stream_options: 'gone' },
    ],
    [
      'by a text that is no JSON',
      refusal('', { body: undefined, text: 'unknown field `stream_options`' }),
      { stream_options: 'gone' },
    ],
    [
      'beside the fields that the server knows',
      refusal('unknown field `stream_options`, expected one of `max_tokens`, `reasoning_effort`'),
      { stream_options: 'gone' },
    ],
    ['by its other words', refusal('"llama3" does not support thinking'), { reasoning_effort: 'gone' }],
    [
      'by LiteLLM',
      refusal("openai does not support parameters: ['reasoning_effort'], for model=gpt-5. To drop these, set drop_params=True"),
      { reasoning_effort: 'gone' },
    ],
    [
      'of its value',
      refusal("'reasoning_effort' does not support 'xhigh' with this model. Supported values are: 'minimal', 'low', and 'high'."),
      { reasoning_effort: 'high' },
    ],
    ['of a path', refusal('output_config.effort: Extra inputs are not permitted'), effortless],
    [
      'of a path’s value',
      refusal("output_config.effort: Input should be 'low' or 'high'"),
      { output_config: { effort: 'high', format: { type: 'json_schema' } } },
    ],
    [
      'of what stands in many places',
      refusal('messages.0.content.0.cache_control: Extra inputs are not permitted'),
      { system: 'unmarked' },
    ],
    [
      'of a limit that does not go with another parameter',
      refusal('`max_output` must be greater than `thinking_budget`'),
      { thinking_budget: 'gone' },
    ],
    [
      'of a name',
      refusal("'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", { param: 'max_tokens' }),
      { max_tokens: 'gone', max_completion_tokens: 32_000 },
    ],
  ])('%s is mended in that one thing', async (_name, failure, change) => {
    const { bodies, ask } = server(failure);
    await ask();
    await ask();
    expect(bodies.map(differs)).toEqual([{}, change, change]);
  });

  test.each<[string, number]>([
    ['max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.', 16_384],
    ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 8192],
    ['<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]', 8192],
    ['max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20241022', 8192],
    ['`max_tokens` must be less than or equal to `4,096`', 4096],
    [
      'input length and `max_tokens` exceed context limit: 150000 + 32000 > 180000, decrease input length or `max_tokens`',
      15_000,
    ],
    [
      "This model's maximum context length is 32768 tokens. However, you requested 42000 tokens (10000 in the messages, 32000 in the completion).",
      11_384,
    ],
    [
      "'max_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 10000 input tokens (32000 > 32768 - 10000).",
      11_384,
    ],
    [
      "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 42000 tokens: 10000 tokens from the input messages and 32000 tokens for the completion.",
      11_384,
    ],
  ])('of a limit lowers it to the number named: %s', async (message, limit) => {
    const { bodies, ask } = server(refusal(message));
    await ask();
    expect(bodies.map(differs)).toEqual([{}, { max_tokens: limit }]);
  });

  test.each<[string, AnswerFailure]>([
    ['that names nothing of ours', refusal('Invalid value for temperature', { param: 'temperature' })],
    ['with another status', refusal('stream_options', { status: 500 })],
    ['of a rate', refusal('max_tokens of your rate limit: 1000', { status: 429 })],
    ['of the length', refusal('maximum context length is 8192 tokens, reduce the messages or max_tokens')],
    [
      'of the length, which the messages nearly have by themselves',
      refusal('input length and `max_tokens` exceed context limit: 199000 + 32000 > 200000'),
    ],
    ['of a longer name', refusal('Unknown parameter: my_stream_options_2')],
  ])('%s stays an error', async (_name, failure) => {
    const { bodies, ask } = server(failure);
    await expect(ask()).rejects.toThrow();
    expect(bodies).toHaveLength(1);
  });
});

test('several refusals are mended one after the other, each in its own way', async () => {
  const { bodies, ask } = server(
    refusal('Unknown parameter', { param: 'max_tokens' }),
    refusal('max_completion_tokens: at most 4096'),
    refusal("reasoning_effort: supported values are 'low'"),
    refusal('reasoning_effort is not supported'),
    refusal('output_config: Extra inputs are not permitted'),
    refusal('output_config: Extra inputs are not permitted'),
  );
  await ask();
  const { max_tokens: _limit, reasoning_effort: _effort, output_config: _config, ...rest } = whole;
  expect(bodies.at(-1)).toEqual({ ...rest, max_completion_tokens: 4096 });
  expect(bodies).toHaveLength(7);
});

test('a second refusal of the same is an error, and no loop', async () => {
  const again = refusal('Unknown parameter', { param: 'max_tokens' });
  const both = refusal('Unknown parameter', { param: 'max_completion_tokens' });
  const { bodies, ask } = server(again, both, both);
  await expect(ask()).rejects.toThrow();
  expect(bodies).toHaveLength(2);
});

test('requests that are refused together are all mended', async () => {
  const failure = refusal('Unknown parameter: stream_options');
  const { bodies, ask } = server(failure, failure, failure);
  await Promise.all([ask(), ask(), ask()]);
  expect(bodies.map((body) => 'stream_options' in body)).toEqual([true, true, true, false, false, false]);
});

test('a refusal that comes late does not undo what others have learnt meanwhile', async () => {
  const named = refusal("reasoning_effort: supported values are 'low'");
  const { promise: isLate, resolve: answerLate } = Promise.withResolvers<void>();
  const send = createAdaptedSend(parameters);
  const late: unknown[] = [];
  const slow = send(whole, async (sent, refused) => {
    late.push(sent.reasoning_effort);
    if (late.length > 1) return new Response();
    await isLate;
    refused(named);
    throw new Error('late');
  });
  const answers = [named, refusal('reasoning_effort is not supported')];
  await send(whole, async (_, refused) => {
    const failure = answers.shift();
    if (failure === undefined) return new Response();
    refused(failure);
    throw new Error('refused');
  });
  answerLate();
  await slow;
  expect(late).toEqual(['xhigh', undefined]);
});

test('what follows a renamed parameter keeps its bytes', async () => {
  const { bodies, ask } = server(refusal('no', { param: 'max_tokens' }));
  await ask();
  const [before, after] = bodies.map((body) => JSON.stringify(body));
  expect(after).toBe(before?.replace('max_tokens', 'max_completion_tokens'));
});

test('every refusal ends, whatever it says', async () => {
  for (const { name } of [...parameters, { name: 'max_completion_tokens' }]) {
    const { bodies, ask } = server(...Array.from({ length: 50 }, (_, index) => refusal(`${name} at most ${31_000 - index}`)));
    await expect(ask()).rejects.toThrow();
    expect(bodies.length).toBeLessThan(5);
  }
});
