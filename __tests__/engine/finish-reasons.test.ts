// How the model ended its turn, and what the run makes of it: asked again within bounds, an answer, or an honest end.
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import type { EngineOptions } from '../../src/engine/options.ts';
import { type FinishReason, type Message, textOf, textPart } from '../../src/schema/message.ts';
import { echo, MemorySession, registryOf, Todos, todo } from './ports.ts';
import { call, calls, lastTextOf, result, ScriptedModel, says, user } from './scripted-model.ts';

async function run(answers: readonly Message[], options: EngineOptions = {}) {
  const model = new ScriptedModel(answers.map((answer) => ({ answer })));
  const session = new MemorySession();
  const ended = await createEngine(model, registryOf({ echo }), '/w', { session, ...options }).run('hi');
  expect(model.leftover).toBe(0);
  return { ended, model, history: session.messages.slice(1) };
}

const withReason = (message: Message, finishReason: FinishReason | undefined): Message => {
  const { finishReason: _reason, ...rest } = message;
  return finishReason === undefined ? rest : { ...rest, finishReason };
};

describe('presence of calls decides', () => {
  test.each<[FinishReason | undefined]>([['stop'], ['other'], [undefined], ['pause'], ['length']])(
    'G2-11 complete calls are run although the reason is %s',
    async (reason) => {
      const { history } = await run([withReason(calls(call('c1', 'echo')), reason), says('ok')]);
      expect(history[1]).toEqual(result('c1', 'ran c1'));
    },
  );
});

describe('length', () => {
  const cut = (id: string): Message => ({
    ...calls(call(id, 'echo', '{"path":"README.md","content":"# Ti')),
    finishReason: 'length',
  });

  test('G2-31 G3-15 a call that was cut is not run, is stored as valid JSON, and the model is told to write less at once', async () => {
    const ran: string[] = [];
    const model = new ScriptedModel([
      { answer: { ...cut('c2'), toolCalls: [call('c1', 'echo'), ...(cut('c2').toolCalls ?? [])] } },
      { answer: says('ok') },
    ]);
    const session = new MemorySession();
    const registry = registryOf({ echo: { run: ({ id }) => String(ran.push(id)) } });
    await createEngine(model, registry, '/w', { session }).run('hi');
    expect(ran).toEqual(['c1']);
    expect(session.messages[1]?.toolCalls).toEqual([call('c1', 'echo'), call('c2', 'echo', '{}')]);
    expect(session.messages[2]).toEqual(result('c1', '1'));
    expect(session.messages[3]).toMatchObject({ toolCallId: 'c2', isError: true });
    expect(textOf(session.messages[3]?.content ?? [])).toContain('smaller pieces');
  });

  test('G3-15 cut again and again ends with a clear error that says what to raise', async () => {
    const { ended, history } = await run(['a', 'b', 'c', 'd'].map(cut));
    expect(ended).toMatchObject({
      stopReason: 'error',
      turns: 4,
      error: { code: 'MODEL_OUTPUT_LIMIT', hint: expect.stringContaining('max_output_tokens') },
    });
    expect(history.filter((message) => message.toolCalls !== undefined)).toHaveLength(3);
    expect(history.at(-1)?.toolCallId).toBe('c');
  });

  test('broken arguments without a cut go to the tool as they are', async () => {
    const { history } = await run([calls(call('c1', 'echo', '{"a"')), says('ok')]);
    expect(history.slice(0, 2)).toEqual([calls(call('c1', 'echo', '{"a"')), result('c1', 'ran c1')]);
  });

  test('G6-19 a text that was cut goes on, and both parts are one message without doubling', async () => {
    const { ended, model, history } = await run([
      says('The first part ends in the middle of a sen', 'length'),
      says('in the middle of a sentence. Now all is said.'),
    ]);
    expect(ended).toMatchObject({
      stopReason: 'completed',
      finalMessage: 'The first part ends in the middle of a sentence. Now all is said.',
      turns: 2,
    });
    expect(history).toEqual([says('The first part ends in the middle of a sentence. Now all is said.')]);
    expect(model.requests[1]?.messages.slice(2)).toEqual([
      says('The first part ends in the middle of a sen', 'length'),
      user(expect.stringContaining('Go on exactly where it stopped') as unknown as string),
    ]);
    expect(model.requests[1]?.tailStart).toBe(2);
  });

  test('G6-19 after two continuations the answer stands, with a note that it was cut', async () => {
    const { ended, history } = await run([says('one ', 'length'), says('two ', 'length'), says('three', 'length')]);
    expect(ended.finalMessage).toBe("one two three\n\n(The reply was cut off by the model's output limit.)");
    expect(history).toEqual([says('one two three', 'length')]);
  });

  test('a continuation may turn to a tool', async () => {
    const { history } = await run([
      says('Let me ', 'length'),
      { ...calls(call('c1', 'echo')), content: [textPart('look')] },
      says('ok'),
    ]);
    expect(history).toEqual([
      { ...calls(call('c1', 'echo')), content: [textPart('Let me look')] },
      result('c1', 'ran c1'),
      says('ok'),
    ]);
  });
});

describe('pause', () => {
  test('the history goes back with the paused answer as its last message, and both are one', async () => {
    const todoStore = new Todos([todo('a')]);
    const { ended, model, history } = await run([says('searching', 'pause'), says(' and found')], { todoStore });
    expect(model.requests.map(lastTextOf)).toEqual([expect.stringContaining('[ ] do a'), 'searching']);
    expect(ended.finalMessage).toBe('searching and found');
    expect(history).toEqual([says('searching and found')]);
  });

  test('is bounded', async () => {
    const { ended } = await run(Array.from({ length: 6 }, (_, index) => says(`${index}`, 'pause')));
    expect(ended).toMatchObject({ stopReason: 'completed', finalMessage: '012345', turns: 6 });
  });
});

describe('refusal', () => {
  test.each<[FinishReason, string, string]>([
    ['refusal', 'MODEL_REFUSED', 'The model declined to answer this request.'],
    ['content_filter', 'MODEL_CONTENT_FILTER', "The provider's content filter stopped the model's answer."],
  ])('%s is said openly, with what the model did say', async (reason, code, message) => {
    const silent = await run([says('', reason)]);
    expect(silent.ended).toMatchObject({ stopReason: 'completed', finalMessage: message, error: { code, message } });
    expect(silent.history).toEqual([]);
    const spoken = await run([says('I cannot', reason)], { followUp: async () => 'try again' });
    expect(spoken.ended.finalMessage).toBe(`I cannot\n\n${message}`);
    expect(spoken.history).toEqual([says('I cannot', reason)]);
  });
});

test('G3-22 what the provider says on a refusal is said to people', async () => {
  const { ended } = await run([{ ...says('', 'refusal'), finishDetail: 'It touches malware.' }]);
  const message = 'The model declined to answer this request. The provider says: It touches malware.';
  expect(ended).toMatchObject({ finalMessage: message, error: { code: 'MODEL_REFUSED', message } });
});

test('G3-22 calls in a refused answer are not run and not stored', async () => {
  const { ended, history } = await run([{ ...calls(call('c1', 'echo')), content: [textPart('No.')], finishReason: 'refusal' }]);
  expect(ended).toMatchObject({ turns: 1, error: { code: 'MODEL_REFUSED' } });
  expect(history).toEqual([says('No.', 'refusal')]);
});

test('G3-22 an answer that the full window cut is used and says so', async () => {
  const { ended } = await run([says('The first half', 'context_overflow')]);
  expect(ended.finalMessage).toBe("The first half\n\n(The reply was cut off because the model's context window is full.)");
});

describe('nothing', () => {
  const thinking: Message = {
    role: 'assistant',
    content: [{ type: 'opaque', origin: { provider: 'p', endpoint: 'e', model: 'm' }, kind: 'thinking', value: 'hm' }],
    finishReason: 'stop',
  };

  test.each([
    ['no content', says('')],
    ['thinking only', thinking],
    ['a placeholder', says('(empty content)')],
    ['blanks', says(' \n')],
  ])('G6-05 %s is asked about once, outgoing only', async (_name, empty) => {
    const { ended, model, history } = await run([empty, says('here it is')]);
    expect(ended).toMatchObject({ stopReason: 'completed', finalMessage: 'here it is', turns: 2 });
    expect(lastTextOf(model.requests[1])).toContain('neither an answer nor a tool call');
    expect(history).toEqual([says('here it is')]);
  });

  test('G6-05 twice nothing is an honest end', async () => {
    const { ended, history } = await run([says(''), thinking]);
    expect(ended).toMatchObject({ stopReason: 'completed', turns: 2, error: { code: 'MODEL_EMPTY_ANSWER' } });
    expect(ended.finalMessage).toContain('ended without an answer');
    expect(history).toEqual([]);
  });

  test('a model that acts in between may be nudged again', async () => {
    const { ended } = await run([says(''), calls(call('c1', 'echo')), says(''), says('ok')]);
    expect(ended).toMatchObject({ finalMessage: 'ok', turns: 4 });
  });

  test('G2-14 an announced call that never came is asked for once; the call that then comes is run', async () => {
    const { model, history } = await run([says('Let me look', 'tool_calls'), calls(call('c1', 'echo')), says('ok')]);
    expect(model.requests[1]?.messages.slice(2).map((message) => textOf(message.content))).toEqual([
      'Let me look',
      expect.stringContaining('none arrived'),
    ]);
    expect(history).toEqual([calls(call('c1', 'echo')), result('c1', 'ran c1'), says('ok')]);
  });

  test('G2-14 if no call comes, the text that there is is the answer', async () => {
    const text = await run([says('the answer', 'tool_calls'), says('the better answer', 'tool_calls')]);
    expect(text.ended).toMatchObject({ stopReason: 'completed', finalMessage: 'the better answer' });
    const fallback = await run([says('the answer', 'tool_calls'), says('')]);
    expect(fallback.ended).toMatchObject({ stopReason: 'completed', finalMessage: 'the answer' });
    expect(fallback.history).toEqual([says('the answer', 'tool_calls')]);
  });
});
