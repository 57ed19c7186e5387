// What may stand at the very end of a request: at most one reminder. And the circle that the model is told about before it is stopped.
import { describe, expect, test } from '@jest/globals';
import { planModeText } from '../../src/engine/plan-mode.ts';
import { Todos, todo } from './ports.ts';
import { type Mode, modes, setScene, story, tails } from './scene.ts';
import { call, calls, type Step, says } from './scripted-model.ts';

const look = (id: string, path = 'a.ts'): Step => ({ answer: calls(call(id, 'look', { path })) });
const looks = (count: number): readonly Step[] => Array.from({ length: count }, (_, at) => look(`c${at + 1}`, `${at}.ts`));
const end: Step = { answer: says('ok') };
const same = { look: { run: () => 'the same as ever' } };
const told = expect.stringContaining('look {"path":"a.ts"}');

describe.each(modes)('%s', (mode: Mode) => {
  test('[spec 5.5 WithMemoryNudge] every n-th turn the text stands at the end of the request, and nowhere else', async () => {
    const memoryNudge = { everyTurns: 2, text: 'Write down what you learnt.' };
    const { play, model } = setScene(mode, [...looks(4), end], { memoryNudge });
    expect(await play()).toMatchObject({ stopReason: 'completed', turns: 5 });
    expect(tails(model)).toEqual([[], [memoryNudge.text], [], [memoryNudge.text], []]);
    const stored = model.requests.at(-1)?.messages.slice(0, model.requests.at(-1)?.tailStart);
    expect(JSON.stringify(stored)).not.toContain(memoryNudge.text);
  });

  test.each([[undefined], [{ everyTurns: 0, text: 'never' }], [{ everyTurns: 1, text: '' }], [{ everyTurns: 1, text: ' \n' }]])(
    '[spec 5.5 WithMemoryNudge] no reminder with %j',
    async (memoryNudge) => {
      const { play, model } = setScene(mode, [...looks(2), end], { memoryNudge });
      await play();
      expect(tails(model)).toEqual([[], [], []]);
    },
  );

  test('there is at most one reminder: what the last answer lacked, then a circle, then the nudge', async () => {
    const nudge = 'remember';
    const { play, model } = setScene(mode, [look('c1'), look('c2'), { answer: says('') }, look('c3', 'b.ts'), end], {
      memoryNudge: { everyTurns: 1, text: nudge },
      maxRepeats: 2,
      tools: same,
    });
    expect(await play()).toMatchObject({ stopReason: 'completed', turns: 5 });
    expect(tails(model)).toEqual([
      [nudge],
      [nudge],
      [told],
      [expect.stringContaining('neither an answer nor a tool call')],
      [nudge],
    ]);
  });

  test('a reminder stands in one request only', async () => {
    const { play, model } = setScene(mode, [look('c1'), look('c2'), end, end], {
      maxRepeats: 2,
      tools: same,
      followUp: async ({ turn }) => (turn === 3 ? 'sure?' : undefined),
    });
    expect(await play()).toMatchObject({ stopReason: 'completed', turns: 4 });
    expect(tails(model)).toEqual([[], [], [told], []]);
  });

  test('the wrap-up stands alone, after list and mode', async () => {
    const { play, model } = setScene(mode, [look('c1'), end], {
      maxTurns: 2,
      planMode: 'plan',
      todoStore: new Todos([todo('a')]),
      memoryNudge: { everyTurns: 1, text: 'remember' },
    });
    expect(await play()).toMatchObject({ stopReason: 'max_turns' });
    expect(tails(model)).toEqual([
      [expect.stringContaining('[ ] do a'), planModeText, 'remember'],
      [expect.stringContaining('[ ] do a'), planModeText, expect.stringContaining('This run has reached the limit of 2 turns')],
    ]);
  });

  test('a paused answer stays the very last message, whatever is due', async () => {
    const { play, model } = setScene(mode, [{ answer: says('searching', 'pause') }, { answer: says(' found') }], {
      memoryNudge: { everyTurns: 1, text: 'remember' },
      planMode: 'plan',
    });
    expect(await play()).toMatchObject({ finalMessage: 'searching found' });
    expect(tails(model)).toEqual([[planModeText, 'remember'], ['searching']]);
  });

  test('G6-01 the same call with the same result: told once, then stopped with a wrap-up that names it', async () => {
    const steps = [...Array.from({ length: 5 }, (_, at) => look(`c${at}`)), { answer: says('I went in circles.') }];
    const { play, model, events } = setScene(mode, steps, { tools: same });
    const ended = await play();
    expect(ended).toMatchObject({ stopReason: 'repetition', finalMessage: 'I went in circles.', turns: 6 });
    expect(tails(model).slice(0, 4)).toEqual([[], [], [], [told]]);
    expect(tails(model)[4]).toEqual([]);
    expect(tails(model)[5]).toEqual([
      expect.stringMatching(/the limit on repeated calls \(.*look \{"path":"a\.ts"\}\).*last reply/),
    ]);
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'auto', 'auto', 'auto', 'none']);
    expect(story(events).at(-1)).toBe('6 done repetition');
  });

  test('a model that takes another course after it was told is not stopped', async () => {
    const steps = [look('c1'), look('c2'), look('c3'), ...looks(6), end];
    const { play } = setScene(mode, steps, { tools: same });
    expect(await play()).toMatchObject({ stopReason: 'completed', turns: 10 });
  });

  test('a denied call that is made again and again is a circle, too', async () => {
    const wants = (id: string): Step => ({ answer: calls(call(id, 'write_file', { path: 'x' })) });
    const { play, ran } = setScene(mode, [...['1', '2', '3', '4', '5'].map(wants), end], { planMode: 'plan' });
    expect(await play()).toMatchObject({ stopReason: 'repetition', turns: 6 });
    expect(ran).toEqual([]);
  });

  test('maxRepeats 0 lets the model repeat itself as long as the other limits do', async () => {
    const steps = [...Array.from({ length: 12 }, (_, at) => look(`c${at}`)), end];
    const { play, model } = setScene(mode, steps, { maxRepeats: 0, tools: same });
    expect(await play()).toMatchObject({ stopReason: 'completed', turns: 13 });
    expect(tails(model).flat()).toEqual([]);
  });

  test('maxRepeats is how often the same may come before the model is told', async () => {
    const steps = [...Array.from({ length: 6 }, (_, at) => look(`c${at}`)), end];
    const { play, model } = setScene(mode, steps, { maxRepeats: 5, tools: same });
    await play();
    expect(tails(model).map((texts) => texts.length)).toEqual([0, 0, 0, 0, 0, 1, 0]);
  });
});
