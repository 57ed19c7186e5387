// A form that the last message must have: told once, checked at every end that is the model's own, mended in one round at most.
import { describe, expect, test } from '@jest/globals';
import type { OutputSchema } from '../../src/engine/ports.ts';
import { textOf } from '../../src/schema/message.ts';
import { parseJson } from '../../src/schema/parse-json.ts';
import { isRecord } from '../../src/schema/record.ts';
import type { RunResult } from '../../src/schema/run.ts';
import type { ProviderFault } from '../../src/schema/stream.ts';
import { MemorySession, RecordingObserver, settled } from './ports.ts';
import { type Mode, modes, setScene, story } from './scene.ts';
import { call, calls, lastTextOf, type Step, says, user } from './scripted-model.ts';

const schema = { type: 'object', required: ['ok'] };
const outputSchema: OutputSchema = {
  schema,
  check: (text) => {
    const value = parseJson(text);
    return isRecord(value) && 'ok' in value
      ? { value }
      : { problems: ['at the top: must have "ok"', `seen ${text.slice(0, 20)}`] };
  },
};
const look = (id: string): Step => ({ answer: calls(call(id, 'look', { id })) });
const good = '{"ok":true}';
const fits: Step = { answer: says(good) };
const prose: Step = { answer: says('All is well.') };
const fault: ProviderFault = { kind: 'auth', message: 'key refused', status: 401, retryable: false };
const mismatch = { code: 'OUTPUT_SCHEMA_MISMATCH', message: expect.stringContaining('must have "ok"; seen All is well') };

describe.each(modes)('%s', (mode: Mode) => {
  const endOf = (steps: readonly Step[], options: Parameters<typeof setScene>[2] = {}): Promise<RunResult> =>
    setScene(mode, steps, { outputSchema, ...options }).play();

  test('an answer that fits is the value of the result, and the text stays what the model wrote', async () => {
    const { play, model, log } = setScene(mode, [look('c1'), fits], { outputSchema });
    expect(await play()).toMatchObject({ stopReason: 'completed', finalMessage: good, structuredOutput: { ok: true }, turns: 2 });
    expect(model.leftover).toBe(0);
    expect(log.filter((line) => line.includes('turn='))).toHaveLength(2);
  });

  test.each<[unknown]>([[null], [false], [0], [''], [[]]])('a value may be %j', async (value) => {
    const any: OutputSchema = { schema: {}, check: () => ({ value }) };
    const result = await endOf([prose], { outputSchema: any });
    expect(result).toHaveProperty('structuredOutput', value);
    expect(result.error).toBeUndefined();
  });

  test('the model is told once, in the system prompt, and each request carries the schema; both are the same bytes in every request', async () => {
    const { play, model } = setScene(mode, [look('c1'), prose, fits], {
      outputSchema,
      promptBuilder: { build: () => 'You work.' },
    });
    await play();
    const systems = model.requests.map(({ messages }) => JSON.stringify(messages[0]));
    expect(new Set(systems).size).toBe(1);
    const told = textOf(model.requests[0]?.messages[0]?.content ?? []);
    expect(told).toMatch(/^You work\.\n\n# Your last message\n/);
    expect(told.endsWith(`\n${JSON.stringify(schema)}`)).toBe(true);
    expect(model.requests.map((request) => request.outputSchema)).toEqual([schema, schema, schema]);
  });

  test('an answer that does not fit gets one round, which names the problems, may call nothing, and is in the history', async () => {
    const session = new MemorySession();
    const observer = new RecordingObserver();
    const { play, model, events } = setScene(mode, [prose, fits], { outputSchema, session, observer });
    expect(await play()).toMatchObject({ stopReason: 'completed', finalMessage: good, structuredOutput: { ok: true }, turns: 2 });
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'none']);
    expect(model.requests[1]?.tools).toEqual(model.requests[0]?.tools);
    expect(lastTextOf(model.requests[1])).toMatch(/\n- at the top: must have "ok"\n- seen All is well\.\n/);
    // What was sent before is sent again, then what is new.
    const [first, second] = model.requests;
    expect(second?.messages.slice(0, first?.messages.length)).toEqual(first?.messages);
    expect(second?.tailStart).toBe(second?.messages.length);
    expect(session.messages.map(({ role, isFromRun = false }) => [role, isFromRun])).toEqual([
      ['user', false],
      ['assistant', false],
      ['user', true],
      ['assistant', false],
    ]);
    expect(story(events).filter((line) => /done|error/.test(line))).toEqual(['2 done completed']);
    expect(observer.calls.filter((line) => line.startsWith('turn'))).toHaveLength(4);
  });

  test('one that does not fit after that either ends the run with the first problems, and its text is still the message', async () => {
    const { play, model } = setScene(mode, [{ answer: says('Done.') }, prose], { outputSchema });
    const result = await play();
    expect(result).toMatchObject({ stopReason: 'completed', finalMessage: 'All is well.', turns: 2, error: mismatch });
    expect(result).not.toHaveProperty('structuredOutput');
    expect(result.error?.hint).toBeDefined();
    expect(model.leftover).toBe(0);
  });

  test('many problems are cut to the first, a long one to a line', async () => {
    const problems = Array.from({ length: 30 }, (_, at) => `problem ${at} ${'x'.repeat(1000)}\nmore`);
    const result = await endOf([prose, prose], { outputSchema: { schema, check: () => ({ problems }) } });
    expect(result.error?.message).toMatch(/problem 0 .*problem 4 .*and 25 more\.$/);
    expect(result.error?.message).not.toContain('problem 5');
    expect(result.error?.message.length).toBeLessThan(2000);
  });

  test.each<[string, Step]>([
    ['says nothing', { answer: says('') }],
    ['only calls a tool, which is not run', { answer: calls(call('c9', 'bash')) }],
    ['writes a call as text', { answer: says('<tool_call>{"name":"bash","arguments":{}}</tool_call>') }],
    ['refuses', { answer: says('I will not.', 'refusal') }],
    ['is stopped by a filter', { answer: says('{"ok', 'content_filter') }],
    ['fails', { fault }],
  ])('where the round %s the answer before it stands', async (_, step) => {
    const { play, ran, model } = setScene(mode, [prose, step], { outputSchema });
    const result = await play();
    expect(result).toMatchObject({ stopReason: 'completed', finalMessage: 'All is well.', error: mismatch });
    expect(result.notes ?? []).toEqual('fault' in step ? [expect.stringContaining('key refused')] : []);
    expect(ran).toEqual([]);
    expect(model.leftover).toBe(0);
  });

  test('who cancels in the round cancels the run, and nothing that was said is lost', async () => {
    const controller = new AbortController();
    const scene = setScene(mode, [prose, { hang: true, onCall: () => controller.abort(new Error('enough')) }], { outputSchema });
    expect(await scene.play('go', controller.signal)).toMatchObject({ stopReason: 'cancelled', finalMessage: 'All is well.' });
  });

  test('the round is the very last thing: background, to-do list, hooks and follow-up have had their say', async () => {
    const asked: string[] = [];
    const said = new Map<string, string | undefined>([
      ['hook', 'The tests fail.'],
      ['follow-up', 'One thing more.'],
    ]);
    const once = (who: string, about: string): string | undefined => {
      asked.push(`${who} ${about}`);
      const message = said.get(who);
      said.delete(who);
      return message;
    };
    const { play, model } = setScene(mode, [{ answer: says('one') }, { answer: says('two') }, { answer: says('three') }, fits], {
      outputSchema,
      hooks: [
        {
          name: 'h',
          stop: async ({ finalMessage }) => {
            const message = once('hook', finalMessage);
            return message === undefined ? undefined : { message };
          },
        },
      ],
      followUp: async ({ finalMessage }) => once('follow-up', finalMessage),
    });
    expect(await play()).toMatchObject({ finalMessage: good, structuredOutput: { ok: true }, turns: 4 });
    expect(asked).toEqual(['hook one', 'hook two', 'follow-up two', 'hook three', 'follow-up three']);
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'auto', 'none']);
  });

  test('an error of the answer itself (a refusal, nothing said) is the error, and there is no round', async () => {
    const ends: readonly (readonly [string, readonly Step[]])[] = [
      ['MODEL_REFUSED', [{ answer: says('No.', 'refusal') }]],
      ['MODEL_EMPTY_ANSWER', [{ answer: says('') }, { answer: says('') }]],
      ['PROVIDER_AUTH', [{ fault }]],
    ];
    for (const [code, steps] of ends) {
      const { play, model } = setScene(mode, steps, { outputSchema });
      const result = await play();
      expect([result.error?.code, result.notes, model.requests.length]).toEqual([code, undefined, steps.length]);
    }
  });

  test('an answer in pieces is checked as a whole', async () => {
    expect(await endOf([{ answer: says('{"ok":', 'length') }, { answer: says('true}') }])).toMatchObject({
      finalMessage: good,
      structuredOutput: { ok: true },
    });
  });

  test('markup of a call in a string of the JSON is data, and is not taken out', async () => {
    const quoting = JSON.stringify({ ok: 'it wrote <function=bash>ls</function> as text' });
    expect(await endOf([{ answer: says(quoting) }])).toMatchObject({
      finalMessage: quoting,
      structuredOutput: { ok: expect.any(String) },
    });
  });

  test('in plan mode there is no form: nothing is told, sent or checked, from the next run on there is', async () => {
    const { engine, model } = setScene(mode, [prose, fits], { outputSchema, planMode: 'plan' });
    const plan = await engine.run('plan it');
    expect(plan).toMatchObject({ stopReason: 'completed', finalMessage: 'All is well.' });
    expect(plan).not.toHaveProperty('error');
    expect(model.requests[0]).not.toHaveProperty('outputSchema');
    expect(JSON.stringify(model.requests[0])).not.toContain('Your last message\\nA program');
    engine.setPlanMode('default');
    expect(await engine.run('do it')).toHaveProperty('structuredOutput', { ok: true });
  });

  test('without the option nothing is asked or checked', async () => {
    const { play, model } = setScene(mode, [prose]);
    const result = await play();
    expect(result).not.toHaveProperty('structuredOutput');
    expect(model.requests[0]).not.toHaveProperty('outputSchema');
  });

  test('a check that throws is a check that found nothing', async () => {
    const check = (): never => {
      throw new Error('out of order');
    };
    const result = await endOf([fits, fits], { outputSchema: { schema, check } });
    expect(result.error?.message).toContain('could not be checked: out of order');
  });
});

describe.each(modes)('at a limit, %s', (mode: Mode) => {
  test('the wrap-up is asked for the form as well, and is checked', async () => {
    const { play, model } = setScene(mode, [look('c1'), fits], { outputSchema, maxTurns: 2 });
    const result = await play();
    expect(result).toMatchObject({ stopReason: 'max_turns', finalMessage: good, structuredOutput: { ok: true }, turns: 2 });
    expect(result.error).toBeUndefined();
    expect(lastTextOf(model.requests[1])).toMatch(/limit of 2 turns.*JSON value/);
    expect(model.requests[1]?.outputSchema).toEqual(schema);
  });

  test('a wrap-up that does not fit leaves no round, and says so', async () => {
    const { play, model } = setScene(mode, [look('c1'), prose], { outputSchema, maxTurns: 2 });
    expect(await play()).toMatchObject({ stopReason: 'max_turns', finalMessage: 'All is well.', turns: 2, error: mismatch });
    expect(model.leftover).toBe(0);
  });

  test('a wrap-up without words has no form to be checked', async () => {
    const { play } = setScene(mode, [look('c1'), { answer: says('') }], { outputSchema, maxTurns: 2 });
    const result = await play();
    expect(result).toMatchObject({ stopReason: 'max_turns', finalMessage: expect.stringContaining('limit of 2 turns') });
    expect(result.error).toBeUndefined();
  });

  test('a form that was cut before the wrap-up is not glued to the whole one; a text is', async () => {
    const steps: readonly Step[] = [{ answer: says('{"ok":"a lo', 'length') }];
    const whole = setScene(mode, [...steps, fits], { outputSchema, maxTurns: 2 });
    expect(await whole.play()).toMatchObject({ finalMessage: good, structuredOutput: { ok: true } });
    const lost = setScene(mode, [...steps, prose], { outputSchema, maxTurns: 2 });
    expect((await lost.play()).finalMessage).toBe('{"ok":"a lo\n\nAll is well.');
  });

  test('the round is made in the wrap-up’s place: of the last turn, and of the time that is kept back', async () => {
    const last = setScene(mode, [look('c1'), prose, fits], { outputSchema, maxTurns: 3 });
    expect(await last.play()).toMatchObject({ stopReason: 'completed', structuredOutput: { ok: true }, turns: 3 });

    const slow = setScene(mode, [prose, { hang: true }], { outputSchema, timeoutMs: 100_000 });
    const ended = slow.play();
    await settled();
    await slow.clock.advance(75_000);
    expect(slow.model.contexts[1]?.signal.aborted).toBe(false);
    await slow.clock.advance(25_000);
    expect(await ended).toMatchObject({ stopReason: 'completed', finalMessage: 'All is well.', error: mismatch });
  });

  test('where not even a wrap-up would fit there is no round', async () => {
    const usage = { inputTokens: 2000, outputTokens: 900, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
    const scene = setScene(mode, [{ answer: says('All is well.'), usage }], { outputSchema, maxTokensTotal: 3000 });
    expect(await scene.play()).toMatchObject({
      stopReason: 'completed',
      finalMessage: 'All is well.',
      error: mismatch,
      turns: 1,
    });
    expect(scene.model.requests).toHaveLength(1);
  });
});

test('a resumed conversation goes on behind a mended answer', async () => {
  const session = new MemorySession();
  const { engine, model } = setScene('run', [prose, fits, fits], { outputSchema, session });
  await engine.run('one');
  await engine.run('two');
  expect(model.requests[2]?.messages.slice(1).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
  ]);
  expect(model.requests[2]?.messages.at(-1)).toEqual(user('two'));
});
