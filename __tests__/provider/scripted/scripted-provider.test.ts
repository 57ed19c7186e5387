// The scripted model: what a script may say, and what happens at its end.
import { expect, test } from '@jest/globals';
import { createScriptedProvider } from '../../../src/provider/scripted/scripted-provider.ts';
import { collect, contextOf, hello, requestOf, usageOf, user } from '../calling.ts';

test('the n-th call gets the n-th turn, whatever the history is; beyond the script it fails and names itself', async () => {
  const provider = createScriptedProvider({ turns: [{ text: 'one' }, { text: 'two', usage: { inputTokens: 5 } }] }, 'demo');
  const first = await provider.generate(requestOf([user('a'), user('b'), user('c')]), contextOf());
  const second = await provider.generate(requestOf([user('a')]), contextOf());
  expect(first.message.content).toEqual([{ type: 'text', text: 'one' }]);
  expect(second).toEqual({
    message: {
      role: 'assistant',
      content: [{ type: 'text', text: 'two' }],
      finishReason: 'stop',
      origin: { provider: 'scripted', endpoint: 'in-process', model: 'demo' },
      usage: usageOf({ inputTokens: 5 }),
    },
    usage: usageOf({ inputTokens: 5 }),
  });
  await expect(provider.generate(hello, contextOf())).rejects.toMatchObject({
    fault: { message: 'The script "demo" has 2 turns and was asked for turn 3.', retryable: false },
  });
});

test('a fault comes after its text, and the next request gets the next turn', async () => {
  const fault = { kind: 'overloaded', message: 'busy', status: 529, retryable: true };
  const provider = createScriptedProvider({ turns: [{ fault }, { text: 'now' }] });
  expect(await collect(provider)).toEqual([{ type: 'error', error: fault }]);
  expect((await collect(provider)).at(-1)).toMatchObject({ type: 'done', message: { content: [{ text: 'now' }] } });
});

test('ids of calls differ from turn to turn; with toolChoice none there are no calls', async () => {
  const turn = { text: 'x', calls: [{ name: 'bash', arguments: { command: 'ls' } }, { name: 'bash' }] };
  const provider = createScriptedProvider({ turns: [turn, turn, turn] });
  const short = await provider.generate(requestOf([user('a')]), contextOf());
  const long = await provider.generate(requestOf([user('a'), user('b')]), contextOf());
  const none = await provider.generate(requestOf([user('a')], { toolChoice: 'none' }), contextOf());
  const ids = [...(short.message.toolCalls ?? []), ...(long.message.toolCalls ?? [])].map((call) => call.id);
  expect(new Set(ids).size).toBe(4);
  expect(short.message.toolCalls?.map((call) => call.arguments)).toEqual(['{"command":"ls"}', '{}']);
  expect(none.message.toolCalls).toBeUndefined();
});

test('a delay is waited for by the clock that was passed in', async () => {
  const waited: number[] = [];
  const provider = createScriptedProvider({ turns: [{ text: 'x', delayMs: 250 }] }, 'demo', {
    sleep: async (ms) => void waited.push(ms),
  });
  await provider.generate(hello, contextOf());
  expect(waited).toEqual([250]);
});

test.each([[null], [{}], [{ turns: [{ txt: 'typo' }] }], [{ turns: [{ calls: [{ name: 'x', arguments: 'text' }] }] }]])(
  'a script of a wrong form is refused with the place: %j',
  (script) => {
    expect(() => createScriptedProvider(script, 'demo')).toThrow(/script "demo" cannot be played/);
  },
);
