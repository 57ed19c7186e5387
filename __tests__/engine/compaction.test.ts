// The outgoing view: checkpoints that are kept and saved, one compaction at a time, what it costs, and the retry when a request was too long.
import { describe, expect, test } from '@jest/globals';
import type { EngineOptions } from '../../src/engine/options.ts';
import type { Compacted, CompactionInput, Compactor } from '../../src/engine/ports.ts';
import { type Message, textOf } from '../../src/schema/message.ts';
import type { CompactionRecord } from '../../src/schema/run.ts';
import type { ProviderFault } from '../../src/schema/stream.ts';
import { FullSession, MemorySession, settled, Todos, todo } from './ports.ts';
import { inShort, type Mode, modes, setScene, story } from './scene.ts';
import { call, calls, result, type Step, says, usage, user } from './scripted-model.ts';

const record: CompactionRecord = { strategy: 's', tokensBefore: 1000, tokensAfter: 100, messagesBefore: 9, messagesAfter: 2 };
const tooLong: ProviderFault = { kind: 'context_overflow', message: 'prompt is too long', status: 400, retryable: false };
const look = (id: string): Step => ({ answer: calls(call(id, 'look')) });
const end: Step = { answer: says('ok') };
const oneEach: EngineOptions['estimateTokens'] = (messages) => messages.length;
/** A prompt for which a summary is smaller. */
const long = 'all of it '.repeat(20);
const textsOf = (messages: readonly Message[] | undefined): readonly string[] =>
  (messages ?? []).slice(1).map((message) => message.toolCallId ?? (textOf(message.content) || 'calls'));

type Answer = (input: CompactionInput) => Compacted | Promise<Compacted>;

/** Answers as it is told to, then with everything; writes down what it was asked. */
class ScriptedCompactor implements Compactor {
  readonly inputs: CompactionInput[] = [];
  readonly #answers: Answer[];

  constructor(...answers: readonly Answer[]) {
    this.#answers = [...answers];
  }

  async compact(input: CompactionInput): Promise<Compacted> {
    this.inputs.push(input);
    return (await this.#answers.shift()?.(input)) ?? { messages: input.messages };
  }
}

const whole = ({ messages }: CompactionInput): Compacted => ({ messages });
const fails = (): never => {
  throw new Error('cannot');
};
/** All but the system prompt becomes a summary, with a checkpoint. */
const summarise = ({ messages }: CompactionInput): Compacted => ({
  messages: [...messages.slice(0, 1), user('summary')],
  checkpoint: { summary: 'summary', coversMessages: messages.length - 1 },
  record,
});

describe.each(modes)('%s', (mode: Mode) => {
  test('[spec 5.5 WithCompactor] it is asked before every call with the stored history, window and sizes; what it makes goes out, the history stays', async () => {
    const session = new FullSession();
    const compactor = new ScriptedCompactor(whole, ({ messages }) => ({ messages: [...messages.slice(0, 1), user('short')] }));
    const { play, model } = setScene(mode, [look('c1'), end], {
      compactor,
      session,
      contextWindow: 500,
      estimateTokens: (messages, tools) => messages.length * 10 + tools.length,
    });
    await play('hello');
    expect(compactor.inputs.map(({ messages, ...rest }) => [textsOf(messages), rest])).toEqual([
      [
        ['hello'],
        {
          checkpoint: undefined,
          contextWindow: 500,
          measure: expect.any(Function),
          otherTokens: 4,
          isOverflow: false,
          mustBeFrugal: false,
        },
      ],
      [
        ['hello', 'calls', 'c1'],
        {
          checkpoint: undefined,
          contextWindow: 500,
          measure: expect.any(Function),
          otherTokens: 4,
          isOverflow: false,
          mustBeFrugal: false,
        },
      ],
    ]);
    expect(textsOf(model.requests[1]?.messages)).toEqual(['short']);
    expect(session.messages).toHaveLength(4);
  });

  test('without a compactor the whole history goes out', async () => {
    const { play, model } = setScene(mode, [look('c1'), end]);
    await play('hello');
    expect(textsOf(model.requests[1]?.messages)).toEqual(['hello', 'calls', 'c1']);
  });

  test('a checkpoint is kept, given back, saved after the messages it covers, and stands in the next run', async () => {
    const session = new FullSession();
    const compactor = new ScriptedCompactor(whole, summarise);
    const { play, model } = setScene(mode, [look('c1'), look('c2'), end, end], { compactor, session });
    await play('hello');
    const checkpoint = { summary: 'summary', coversMessages: 3 };
    expect(session.savedCheckpoints).toEqual([checkpoint]);
    expect(textsOf(model.requests[1]?.messages)).toEqual(['summary']);
    await play('again');
    expect(compactor.inputs.map((input) => input.checkpoint)).toEqual([undefined, undefined, checkpoint, checkpoint]);
    expect(textsOf(compactor.inputs.at(-1)?.messages)).toHaveLength(7);
  });

  test('the history is not repaired when it is loaded: a checkpoint counts stored messages; each request is', async () => {
    const stored = [user('old'), calls(call('t1', 'look'), call('t2', 'look')), result('t1', 'r'), says('')];
    const checkpoint = { summary: 's', coversMessages: 1 };
    const compactor = new ScriptedCompactor();
    const session = new FullSession({ messages: stored, checkpoint });
    const { play, model } = setScene(mode, [look('t1'), end], { compactor, session });
    await play('new');
    expect(compactor.inputs[0]?.messages.slice(1)).toEqual([...stored, user('new')]);
    expect(compactor.inputs[0]?.checkpoint).toEqual(checkpoint);
    expect(textsOf(model.requests[0]?.messages)).toEqual(['old', 'calls', 't1', 't2', 'new']);
    // Ids of stored calls are taken all the same.
    expect(session.messages.at(-2)?.toolCallId).toBe('t1_2');
  });

  test('a checkpoint that cannot be saved is noted and saved with the next turn', async () => {
    const session = new FullSession();
    const compactor = new ScriptedCompactor(summarise);
    const { play } = setScene(mode, [look('c1'), end], { compactor, session });
    const save = session.saveCheckpoint.bind(session);
    session.saveCheckpoint = async (checkpoint) => {
      session.saveCheckpoint = save;
      throw new Error(`no room for ${checkpoint.summary}`);
    };
    expect(await play()).toMatchObject({
      stopReason: 'completed',
      notes: ['A part of this conversation could not be saved: no room for summary'],
    });
    expect(session.savedCheckpoints).toEqual([{ summary: 'summary', coversMessages: 1 }]);
  });

  test('behind a history that could not be read no checkpoint is saved: it would count the wrong messages', async () => {
    const session = new FullSession({ messages: [user('old')] });
    session.failing = true;
    const { play } = setScene(mode, [end], {
      compactor: new ScriptedCompactor(summarise),
      session,
      onEvent: () => {
        session.failing = false;
      },
    });
    await play();
    expect(session.savedCheckpoints).toEqual([]);
    expect(session.messages.length).toBeGreaterThan(1);
  });

  test.each([
    ['cannot be read', new FullSession({ messages: [user('old')] })],
    ['is not known to the session', new MemorySession([user('old')])],
  ])('the run does without a checkpoint that %s', async (_name, session) => {
    if (session instanceof FullSession) session.getCheckpoint = () => Promise.reject(new Error('torn'));
    const compactor = new ScriptedCompactor(summarise);
    const { play } = setScene(mode, [end], { compactor, session });
    expect(await play()).toMatchObject({ stopReason: 'completed' });
    expect(compactor.inputs[0]?.checkpoint).toBeUndefined();
  });

  test.each([
    [1000, 950, false],
    [1000, 949, true],
    [1000, 1000, false],
    [1000, 1200, false],
    [20, 19, false],
    [0, 0, false],
  ])('[spec 3.3 compaction] from %d to %d tokens is told: %p', async (tokensBefore, tokensAfter, isTold) => {
    const data = { ...record, tokensBefore, tokensAfter };
    const compactor = new ScriptedCompactor(({ messages }) => ({ messages, record: data }));
    const { play, events } = setScene(mode, [end], { compactor });
    await play();
    expect(events.filter(({ type }) => type === 'compaction')).toEqual(isTold ? [{ type: 'compaction', turn: 1, data }] : []);
    if (isTold) expect(story(events)).toEqual(['1 compaction', '1 estimated', '1 done completed']);
  });

  test('a compactor that fails is a warning; everything goes out', async () => {
    const { play, model, log } = setScene(mode, [look('c1'), end], { compactor: new ScriptedCompactor(whole, fails) });
    expect(await play('hello')).toMatchObject({ stopReason: 'completed' });
    expect(textsOf(model.requests[1]?.messages)).toEqual(['hello', 'calls', 'c1']);
    expect(log.filter((line) => line.includes('compaction_failed error=cannot'))).toHaveLength(1);
  });

  test('G6-07 a view that cut a pair apart is mended before it is sent', async () => {
    const compactor = new ScriptedCompactor(whole, ({ messages }) => ({ messages: messages.slice(-1) }));
    const { play, model } = setScene(mode, [look('c1'), end], { compactor });
    await play('hello');
    expect(model.requests[1]?.messages).toEqual([]);
  });

  test('G6-09 after a compaction none is asked for before a call has succeeded; what came meanwhile goes out with it', async () => {
    const compactor = new ScriptedCompactor(whole, summarise, whole);
    const scene = setScene(mode, [look('c1'), { hang: true }, { answer: says('wrapped up') }], {
      compactor,
      timeoutMs: 100_000,
    });
    const ended = scene.play('hello');
    await settled();
    await scene.clock.advance(75_000);
    expect(await ended).toMatchObject({ stopReason: 'timeout', finalMessage: 'wrapped up' });
    expect(compactor.inputs).toHaveLength(2);
    expect(textsOf(scene.model.requests[2]?.messages)).toEqual(['summary', expect.stringContaining('time limit')]);
  });

  test('the compactor’s own calls are spent, and are no turns', async () => {
    const compactor = new ScriptedCompactor((input) => ({ ...summarise(input), usage: usage(300, 30) }));
    const { play } = setScene(mode, [{ ...look('c1'), usage: usage(10, 1) } as Step, { ...end, usage: usage(20, 2) } as Step], {
      compactor,
    });
    expect(await play()).toMatchObject({ turns: 2, usage: usage(330, 33) });
  });

  test('what the compactor spent counts for the token budget', async () => {
    const steps: readonly Step[] = [
      { answer: calls(call('c1', 'look')), usage: usage(100, 10) },
      { answer: says('ok'), usage: usage(110, 10) },
    ];
    const spending = new ScriptedCompactor((input) => ({ ...summarise(input), usage: usage(2000, 0) }));
    const limits = { maxTokensTotal: 2350, estimateTokens: oneEach };
    expect(await setScene(mode, steps, limits).play()).toMatchObject({ stopReason: 'completed' });
    const { play } = setScene(mode, steps, { ...limits, compactor: spending });
    expect(await play()).toMatchObject({ stopReason: 'budget', turns: 2, finalMessage: 'ok' });
  });

  test('a budget is not refused for what a checkpoint covers: the smaller view counts', async () => {
    const messages = Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? user('old') : says('old')));
    const session = new FullSession({ messages, checkpoint: { summary: 's', coversMessages: 98 } });
    const options = { session, maxTokensTotal: 5000, estimateTokens: (some: readonly Message[]) => some.length * 100 };
    const compactor = new ScriptedCompactor(({ messages: all }) => ({ messages: [...all.slice(0, 1), ...all.slice(-2)] }));
    expect(await setScene(mode, [end], { ...options, compactor }).play()).toMatchObject({ stopReason: 'completed', turns: 1 });
    // Without a compactor nothing applies the checkpoint, and all of it would be sent.
    const bare = new FullSession({ messages, checkpoint: { summary: 's', coversMessages: 98 } });
    expect(await setScene(mode, [], { ...options, session: bare }).play()).toMatchObject({ stopReason: 'budget', turns: 0 });
  });

  test('a budget counts the first task that a checkpoint covers, since it is sent in any case', async () => {
    const messages = [user('the task'.repeat(1_000)), says('old'), user('old'), says('old')];
    const session = new FullSession({ messages, checkpoint: { summary: 's', coversMessages: 4 } });
    const estimateTokens = (some: readonly Message[]) => some.reduce((sum, { content }) => sum + textOf(content).length, 0);
    const compactor = new ScriptedCompactor();
    const { play, model } = setScene(mode, [], { session, compactor, estimateTokens, maxTokensTotal: 2_600 });
    expect(await play()).toMatchObject({ stopReason: 'budget', turns: 0 });
    expect(model.requests).toEqual([]);
  });

  test('a checkpoint that covers more than there is stands for nothing, in the budget, too', async () => {
    const messages = Array.from({ length: 40 }, () => says('old'));
    const session = () => new FullSession({ messages, checkpoint: { summary: 's', coversMessages: 41 } });
    const options = {
      session: session(),
      maxTokensTotal: 2_200,
      estimateTokens: (some: readonly Message[]) => some.length * 100,
    };
    const compactor = new ScriptedCompactor();
    expect(await setScene(mode, [], { ...options, compactor }).play()).toMatchObject({ stopReason: 'budget', turns: 0 });
    expect(
      await setScene(mode, [end], { ...options, compactor, session: session(), maxTokensTotal: 20_000 }).play(),
    ).toMatchObject({ turns: 1 });
    expect(compactor.inputs.map(({ checkpoint }) => checkpoint)).toEqual([undefined]);
  });

  test('measure and otherTokens are corrected by the last report, the tail included', async () => {
    const measured: number[] = [];
    const note = (input: CompactionInput): Compacted => {
      measured.push(input.measure([user('x')]), input.otherTokens);
      return { messages: input.messages };
    };
    const estimateTokens = (messages: readonly Message[], tools: readonly unknown[]): number =>
      messages.length * 10 + tools.length;
    const { play } = setScene(mode, [{ answer: calls(call('c1', 'look')), usage: usage(68, 1) }, end], {
      compactor: new ScriptedCompactor(note, note),
      todoStore: new Todos([todo('a')]),
      estimateTokens,
    });
    await play();
    // System prompt, prompt and list are 30, the tools 4: the report of 68 says that all is twice as much.
    expect(measured).toEqual([10, 14, 20, 28]);
  });
});

describe.each(modes)('a compactor is told when no call of its own fits any more, %s', (mode: Mode) => {
  const frugalIn = async (options: EngineOptions): Promise<readonly boolean[]> => {
    const compactor = new ScriptedCompactor(whole, whole, whole);
    const estimateTokens = () => 10;
    await setScene(mode, [look('c1'), look('c2'), end], { compactor, estimateTokens, ...options }).play('hello');
    return compactor.inputs.map(({ mustBeFrugal }) => mustBeFrugal);
  };

  test('in the last call of a run', async () => {
    expect(await frugalIn({ maxTurns: 3 })).toEqual([false, false, true]);
    expect(await frugalIn({ maxTurns: 0 })).toEqual([false, false, false]);
  });

  test('when the budget has room for the next call and the wrap-up, and for nothing else', async () => {
    const [first] = await frugalIn({ maxTokensTotal: 1_600 });
    expect(first).toBe(true);
    expect((await frugalIn({ maxTokensTotal: 100_000 }))[0]).toBe(false);
  });
});

describe.each(modes)('a request that is too long, %s', (mode: Mode) => {
  const options = (...answers: readonly Answer[]) => ({
    compactor: new ScriptedCompactor(...answers),
  });
  const overflow = {
    code: 'PROVIDER_CONTEXT_OVERFLOW',
    message: 'prompt is too long',
    hint: 'Begin anew without the earlier conversation, use a model with a larger context window, or ask for less at once.',
  };

  test.each<[string, Step]>([
    ['a refusal', { fault: tooLong }],
    ['an answer that found no room', { answer: says('', 'context_overflow'), usage: usage(10, 0) }],
    [
      'a call that found no room for its arguments',
      { answer: { ...calls(call('c9', 'write_file', '{"pa')), finishReason: 'context_overflow' } },
    ],
  ])('G2-20 %s leads to one compaction and one retry, the next turn', async (_name, refusal) => {
    const session = new FullSession();
    const parts = options(whole, whole, summarise);
    const { play, model, events } = setScene(mode, [look('c1'), refusal, end], { ...parts, session });
    expect(await play('hello')).toMatchObject({ stopReason: 'completed', finalMessage: 'ok', turns: 3 });
    expect(parts.compactor.inputs.map(({ isOverflow }) => isOverflow)).toEqual([false, false, true]);
    expect(model.requests.map(({ messages }) => textsOf(messages))).toEqual([['hello'], ['hello', 'calls', 'c1'], ['summary']]);
    expect(session.messages).toEqual([user('hello'), calls(call('c1', 'look')), result('c1', 'look c1 done'), says('ok')]);
    expect(session.savedCheckpoints).toEqual([{ summary: 'summary', coversMessages: 3 }]);
    expect(story(events).filter((line) => !line.includes('actual'))).toEqual([
      '1 estimated',
      '1 start c1',
      '1 result c1',
      '2 estimated',
      '2 compaction',
      '3 estimated',
      '3 done completed',
    ]);
  });

  test('a second one in a row ends the run with what to do; after a success the next one is handled again', async () => {
    // It could be made smaller still; once is what a request gets.
    const twice = options(whole, summarise, ({ messages }) => ({ messages: messages.slice(0, 1) }));
    const failed = setScene(mode, [{ fault: tooLong }, { fault: tooLong }], twice);
    expect(await failed.play(long)).toMatchObject({ stopReason: 'error', turns: 2, error: overflow });
    expect(failed.model.leftover).toBe(0);
    const apart = options(whole, summarise, whole, summarise);
    const steps: readonly Step[] = [{ fault: tooLong }, look('c1'), { fault: tooLong }, end];
    expect(await setScene(mode, steps, apart).play(long)).toMatchObject({ stopReason: 'completed', turns: 4 });
    expect(apart.compactor.inputs.map(({ isOverflow }) => isOverflow)).toEqual([false, true, false, true]);
  });

  test('G6-09 a compaction that was not tried yet is followed by another one only after a refusal', async () => {
    const parts = options(summarise, ({ messages }) => ({ messages: messages.slice(0, 1) }), whole);
    const { play, model } = setScene(mode, [{ fault: tooLong }, look('c1'), end], parts);
    expect(await play(long)).toMatchObject({ stopReason: 'completed', turns: 3 });
    expect(parts.compactor.inputs.map(({ isOverflow, checkpoint }) => [isOverflow, checkpoint?.summary])).toEqual([
      [false, undefined],
      [true, 'summary'],
      [false, 'summary'],
    ]);
    expect(model.requests.map(({ messages }) => textsOf(messages))).toEqual([['summary'], [], [long, 'calls', 'c1']]);
  });

  test('without a compactor it ends at once', async () => {
    const { play, model, events } = setScene(mode, [{ fault: tooLong }]);
    expect(await play()).toMatchObject({ stopReason: 'error', turns: 1, error: overflow });
    expect(model.requests).toHaveLength(1);
    expect(story(events)).toEqual(['1 estimated', '1 error error']);
  });

  test.each<[string, (input: CompactionInput) => Compacted]>([
    ['returns nothing smaller', whole],
    ['fails', fails],
  ])('when the compactor %s, the same request is not sent again', async (_name, answer) => {
    const { play, model } = setScene(mode, [{ fault: tooLong }], options(whole, answer));
    expect(await play()).toMatchObject({ stopReason: 'error', turns: 1, error: overflow });
    expect(model.requests).toHaveLength(1);
  });

  test('limits are looked at in between: the retry is a model call of its own', async () => {
    const { play, model } = setScene(mode, [look('c1'), { fault: tooLong }, { answer: says('c1 is done') }], {
      ...options(whole, whole, summarise),
      maxTurns: 3,
    });
    expect(await play()).toMatchObject({ stopReason: 'max_turns', finalMessage: 'c1 is done', turns: 3 });
    expect(textsOf(model.requests[2]?.messages)).toEqual(['summary', expect.stringContaining('limit of 3 turns')]);
  });

  test('a wrap-up that is too long gives way to a message of ours, with the cause', async () => {
    const parts = options(whole, whole);
    const { play } = setScene(mode, [look('c1'), { fault: tooLong }], { ...parts, maxTurns: 2 });
    expect(await play()).toMatchObject({ stopReason: 'max_turns', turns: 2, error: overflow });
    expect(parts.compactor.inputs).toHaveLength(2);
  });

  test('what the model said before it found no room is used', async () => {
    const { play } = setScene(mode, [{ answer: says('The first half', 'context_overflow') }], options());
    expect((await play()).finalMessage).toContain('The first half');
  });

  describe('the budget', () => {
    const messages = Array.from({ length: 20 }, () => user('old'));
    // One request of all 22 messages fits, with answers and a wrap-up of the same size and the words that ask for it, to the token.
    const budget = { maxTokensTotal: 22 * 200 + 1600, estimateTokens: (some: readonly Message[]) => some.length * 100 };
    const play = (onRefusal: Answer) => {
      const session = new FullSession({ messages });
      return setScene(mode, [{ fault: tooLong }, end], { ...options(whole, onRefusal), ...budget, session }).play();
    };

    test('a refused request costs nothing', async () => {
      expect(await play(({ messages: all }) => ({ messages: all.slice(0, -2) }))).toMatchObject({
        stopReason: 'completed',
        turns: 2,
      });
    });

    test('the retry counts with its smaller size', async () => {
      const ended = await play((input) => ({ ...summarise(input), usage: usage(1000, 0) }));
      expect(ended).toMatchObject({ stopReason: 'completed', turns: 2, usage: usage(1000, 0) });
    });
  });

  test.each([
    [0, [0, 1000, 1000, 1000]],
    [1500, [1500, 1000, 1000, 1000]],
    [700, [700, 700, 700, 700]],
  ])('what was refused is learnt: with a window of %d it is not tried again in this run', async (contextWindow, expected) => {
    const parts = options(whole, summarise, whole, whole);
    const steps: readonly Step[] = [{ fault: tooLong }, look('c1'), look('c2'), end];
    const estimateTokens: EngineOptions['estimateTokens'] = (messages) => messages.length * 200;
    const session = new FullSession({ messages: [user('old'), says('old'), user('old')] });
    const { play } = setScene(mode, steps, { ...parts, contextWindow, estimateTokens, session });
    expect(await play()).toMatchObject({ stopReason: 'completed' });
    expect(parts.compactor.inputs.map((input) => input.contextWindow)).toEqual(expected);
  });

  test.each([
    ['with a record of its own sizes', summarise, 's'],
    ['without one', (input: CompactionInput) => ({ ...summarise(input), record: undefined }), 'shortened'],
  ])('what is told of it is against what was refused, by a compactor %s', async (_name, answer, strategy) => {
    const session = new FullSession({ messages: [user('old'), says('old'), user('old')] });
    const estimateTokens: EngineOptions['estimateTokens'] = (messages) => messages.length * 200;
    const { play, events } = setScene(mode, [{ fault: tooLong }, end], { ...options(whole, answer), session, estimateTokens });
    await play();
    const data = { strategy, tokensBefore: 1000, tokensAfter: 400, messagesBefore: 5, messagesAfter: 2 };
    expect(events.filter(({ type }) => type === 'compaction')).toEqual([{ type: 'compaction', turn: 1, data }]);
  });

  test('the retry is told the window whose half was answered before', async () => {
    const parts = options(whole, whole, summarise, whole);
    const sizes: EngineOptions['estimateTokens'] = (messages) =>
      messages.reduce((sum, message) => sum + (message.toolCallId === undefined ? 100 : 3_000), 0);
    const { play } = setScene(mode, [look('c1'), { fault: tooLong }, end], { ...parts, estimateTokens: sizes });
    expect(await play(long)).toMatchObject({ stopReason: 'completed' });
    expect(parts.compactor.inputs.map((input) => input.contextWindow)).toEqual([0, 0, 413]);
  });

  test('a throttled call is not compacted', async () => {
    const parts = options(whole);
    const fault: ProviderFault = { kind: 'rate_limit', message: 'Too many tokens', retryable: false };
    expect(await setScene(mode, [{ fault }], parts).play()).toMatchObject({ error: { code: 'PROVIDER_RATE_LIMIT' } });
    expect(parts.compactor.inputs.map(({ isOverflow }) => isOverflow)).toEqual([false]);
  });

  test('who cancels while the compactor works gets a cancelled run, not an error', async () => {
    const abort = new AbortController();
    const parts = options(whole, () => {
      abort.abort();
      return new Promise<Compacted>(() => {});
    });
    const { play } = setScene(mode, [{ fault: tooLong }], parts);
    expect(await play('hello', abort.signal)).toMatchObject({ stopReason: 'cancelled', turns: 1 });
  });
});

test('what a stream had shown of a refused call is taken back before the retry', async () => {
  const { play, events } = setScene('runStream', [{ fault: tooLong, afterText: 'I begin' }, end], {
    compactor: new ScriptedCompactor(whole, summarise),
  });
  expect(await play(long)).toMatchObject({ finalMessage: 'ok' });
  expect(events.map(inShort)).toEqual([
    '1 estimated',
    '1 action_delta I begin',
    '1 compaction',
    '1 reset',
    '2 estimated',
    '2 action_delta ok',
    '2 done completed',
  ]);
});
