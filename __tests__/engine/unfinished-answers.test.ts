// Answers that end nothing: work that is only announced, calls that are written as text. Asked about once each, then taken as they are.
import { describe, expect, test } from '@jest/globals';
import { noStreaks, readAnswer } from '../../src/engine/answer.ts';
import type { FollowUp } from '../../src/engine/ports.ts';
import { type Message, type Part, textOf, textPart } from '../../src/schema/message.ts';
import { ManualClock, MemorySession } from './ports.ts';
import { type Mode, modes, setScene, tails } from './scene.ts';
import { call, calls, type Step, says } from './scripted-model.ts';

const steps = (...answers: readonly Message[]): readonly Step[] => answers.map((answer) => ({ answer }));
const leaked = '<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>';
const announced = "I'll now update a.ts.";
const thinking = (value: unknown): Part => ({
  type: 'opaque',
  origin: { provider: 'p', endpoint: 'e', model: 'm' },
  kind: 'thinking',
  value,
});

const announcementReminder = expect.stringContaining('says what you will do next');
const leakReminder = expect.stringContaining('a tool call written as text');
const emptyReminder = expect.stringContaining('neither an answer nor a tool call');

async function play(mode: Mode, answers: readonly Message[], options: Parameters<typeof setScene>[2] = {}) {
  const session = new MemorySession();
  const scene = setScene(mode, steps(...answers), { session, ...options });
  const ended = await scene.play();
  expect(scene.model.leftover).toBe(0);
  return { ...scene, ended, history: session.messages.slice(1), asked: tails(scene.model) };
}

describe.each(modes)('%s', (mode: Mode) => {
  describe('G6-03 work that is only announced', () => {
    test('is asked about once, outgoing only; the call that then comes is run', async () => {
      const { ended, asked, ran, history } = await play(mode, [says(announced), calls(call('c1', 'write_file')), says('Done.')]);
      expect(ended).toMatchObject({ stopReason: 'completed', finalMessage: 'Done.', turns: 3 });
      expect(ran).toEqual(['c1']);
      expect(asked).toEqual([[], [announced, announcementReminder], []]);
      expect(history.map(({ content }) => textOf(content))).toEqual(['', 'write_file c1 done', 'Done.']);
    });

    test('after thirteen calls that read, too', async () => {
      const reads = Array.from({ length: 13 }, (_, index) => calls(call(`c${index}`, 'look', { path: `${index}` })));
      const { ended, asked } = await play(mode, [...reads, says('Now I have seen it all. Let me update `a.ts`:'), says('Done.')]);
      expect(ended).toMatchObject({ finalMessage: 'Done.', turns: 15 });
      expect(asked.at(-1)).toEqual([expect.anything(), announcementReminder]);
    });

    test('that repeats is the final answer as it stands', async () => {
      const { ended, history } = await play(mode, [says(announced), says('Now I will edit a.ts.')]);
      expect(ended).toMatchObject({ stopReason: 'completed', finalMessage: 'Now I will edit a.ts.', turns: 2 });
      expect(ended.error).toBeUndefined();
      expect(history).toEqual([says('Now I will edit a.ts.')]);
    });

    test('is what there is to show when nothing follows it', async () => {
      const { ended, asked, history } = await play(mode, [says(announced), says(''), says('')]);
      expect(ended).toMatchObject({ stopReason: 'completed', finalMessage: announced, turns: 3 });
      expect(asked[2]).toEqual([announced, emptyReminder]);
      expect(history).toEqual([says(announced)]);
    });

    test('may be asked about again after the model has acted', async () => {
      const { ended } = await play(mode, [says(announced), calls(call('c1', 'look')), says(announced), says('Done.')]);
      expect(ended).toMatchObject({ finalMessage: 'Done.', turns: 4 });
    });

    test('and was cut by the output limit goes on as any other text', async () => {
      const { ended, asked } = await play(mode, [says("I'll now", 'length'), says(' stop here, since all is done.')]);
      expect(ended).toMatchObject({ finalMessage: "I'll now stop here, since all is done.", turns: 2 });
      expect(asked[1]).toEqual(["I'll now", expect.stringContaining('Go on exactly where it stopped')]);
    });

    test('and was cut because the window is full is not asked about: there is no room for more', async () => {
      const { ended } = await play(mode, [says(announced, 'context_overflow')]);
      expect(ended).toMatchObject({
        turns: 1,
        finalMessage: expect.stringMatching(/^I'll now update a\.ts\.\n\n\(The reply was cut off/),
      });
    });

    test.each([
      ['an answer', 'I fixed `total()`; the tests pass.'],
      ['a question', 'Now let me ask: which of the two files do you mean?'],
      ['an outlook', 'I fixed it. Next, you could add a test for negative prices.'],
      ['a plan', 'I will do this:\n1. I will update a.ts.\n2. Then I will run the tests.'],
    ])('is not what %s is', async (_name, text) => {
      expect((await play(mode, [says(text)])).ended).toMatchObject({ finalMessage: text, turns: 1 });
    });

    test('is asked about before the follow-up is', async () => {
      const seen: string[] = [];
      const followUp: FollowUp = async ({ finalMessage }) => {
        seen.push(finalMessage);
        return undefined;
      };
      await play(mode, [says(announced), says('Done.')], { followUp });
      expect(seen).toEqual(['Done.']);
    });
  });

  describe('G6-06 a call that is written as text', () => {
    test('is not run; the model is told once, and never gets to see its markup again', async () => {
      const { ended, asked, ran, history } = await play(mode, [says(leaked), calls(call('c1', 'bash')), says('Done.')]);
      expect(ended).toMatchObject({ stopReason: 'completed', finalMessage: 'Done.', turns: 3 });
      expect(ran).toEqual(['c1']);
      expect(asked).toEqual([[], [leakReminder], []]);
      expect(JSON.stringify(history)).not.toContain('tool_call>');
    });

    test('again and again ends without an answer, and without the markup', async () => {
      const { ended, ran, history } = await play(mode, [says(leaked), says(leaked)]);
      expect(ended).toMatchObject({ stopReason: 'completed', turns: 2, error: { code: 'MODEL_EMPTY_ANSWER' } });
      expect(ended.finalMessage).toContain('ended without an answer');
      expect([ran, history]).toEqual([[], []]);
    });

    test('leaves the text around it, which is the answer after the bound', async () => {
      const { ended, asked, history } = await play(mode, [
        says(`The bug is in a.ts.\n\n${leaked}`),
        says(`It is a typo. ${leaked}`),
      ]);
      expect(asked[1]).toEqual(['The bug is in a.ts.', leakReminder]);
      expect(ended).toMatchObject({ stopReason: 'completed', finalMessage: 'It is a typo.', turns: 2 });
      expect(history).toEqual([says('It is a typo.')]);
    });

    test('after text that was shown already leaves that text as the answer', async () => {
      const { ended } = await play(mode, [says(`The bug is in a.ts. ${leaked}`), says(leaked)]);
      expect(ended).toMatchObject({ finalMessage: 'The bug is in a.ts.', turns: 2 });
      expect(ended.error).toBeUndefined();
    });

    test.each([
      ['a text', leaked],
      ['a block with a signature', { type: 'thinking', thinking: `I must look. ${leaked}`, signature: 'abc' }],
    ])('is told of when it stands in the thinking only: %s', async (_name, value) => {
      const thought: Message = { role: 'assistant', content: [thinking(value)], finishReason: 'stop' };
      const { ended, asked } = await play(mode, [thought, says('Done.')]);
      expect(asked[1]).toEqual([leakReminder]);
      expect(ended).toMatchObject({ finalMessage: 'Done.', turns: 2 });
    });

    test('is no matter in the thinking of an answer that says something', async () => {
      const answer = { ...says('Done.'), content: [thinking(leaked), textPart('Done.')] };
      expect((await play(mode, [answer])).ended).toMatchObject({ finalMessage: 'Done.', turns: 1 });
    });

    test('next to real calls is taken out of what is kept', async () => {
      const both = { ...calls(call('c1', 'look')), content: [textPart(`I look. ${leaked}`)] };
      const { ended, ran, history } = await play(mode, [both, says('Done.')]);
      expect(ended).toMatchObject({ finalMessage: 'Done.', turns: 2 });
      expect(ran).toEqual(['c1']);
      expect(history[0]).toEqual({ ...both, content: [textPart('I look.')] });
    });

    test('and was cut by the output limit is told of, not gone on with', async () => {
      const { ended, asked } = await play(mode, [says('<tool_call>\n{"name": "bash", "argu', 'length'), says('Done.')]);
      expect(asked[1]).toEqual([leakReminder]);
      expect(ended.finalMessage).toBe('Done.');
    });

    test('that became whole by a continuation is found', async () => {
      const { ended, asked } = await play(mode, [says('{"name": "bash", "argu', 'length'), says('ments": {}}'), says('Done.')]);
      expect(asked[2]).toEqual([leakReminder]);
      expect(ended).toMatchObject({ finalMessage: 'Done.', turns: 3 });
    });

    test('in a paused answer goes back as it is, and is told of when the answer has ended', async () => {
      const { ended, asked } = await play(mode, [says(`I look. ${leaked}`, 'pause'), says(' Wait.'), says('Done.')]);
      expect(asked).toEqual([[], [`I look. ${leaked}`], ['I look.\n\n Wait.', leakReminder]]);
      expect(ended.finalMessage).toBe('Done.');
    });

    test('announced as a call that never came is told of as what it is', async () => {
      const { asked } = await play(mode, [says(leaked, 'tool_calls'), says('Done.')]);
      expect(asked[1]).toEqual([leakReminder]);
    });

    test('each cause has its own reminder, and all together are bounded', async () => {
      const answers = [says(''), says(leaked), says(announced), says(leaked), says(''), says('never asked')];
      const { ended, asked } = await play(mode, answers.slice(0, 4));
      expect(asked).toEqual([[], [emptyReminder], [leakReminder], [announced, announcementReminder]]);
      expect(ended).toMatchObject({ stopReason: 'completed', finalMessage: announced, turns: 4 });
    });

    test('in a refusal is not shown', async () => {
      const { ended } = await play(mode, [says(`No. ${leaked}`, 'refusal')]);
      expect(ended.finalMessage).toBe('No.\n\nThe model declined to answer this request.');
    });

    test('in the wrap-up is taken out; when nothing else is said, our own words stand there', async () => {
      const spoken = await play(mode, [says(`Half is done. ${leaked}`)], { maxTurns: 1 });
      expect(spoken.ended).toMatchObject({ stopReason: 'max_turns', finalMessage: 'Half is done.' });
      const silent = await play(mode, [says(leaked)], { maxTurns: 1 });
      expect(silent.ended).toMatchObject({
        stopReason: 'max_turns',
        finalMessage: expect.stringMatching(/^The run stopped because/),
      });
      expect(JSON.stringify([spoken.history, silent.history])).not.toContain('tool_call>');
    });

    test.each([
      ['a fence', `The server reads this:\n\n\`\`\`\n${leaked}\n\`\`\`\n\nSo nothing is lost.`],
      ['inline code', `The model wrote \`${leaked}\` as text.`],
      ['a quote', `You wrote:\n\n> ${leaked}\n\nThat is fine.`],
      ['the bare name of the tag', 'The <tool_call> tag is read by the server now.'],
    ])('is not what an answer is that explains such markup in %s', async (_name, text) => {
      expect((await play(mode, [says(text)])).ended).toMatchObject({ finalMessage: text, turns: 1 });
    });
  });
});

test('G6-06 what a stream had said of a leaked call when it was cancelled is not the final message', async () => {
  const cancel = new AbortController();
  const session = new MemorySession();
  const hang: Step = { hang: true, afterText: `I look. ${leaked}`, onCall: () => cancel.abort() };
  const scene = setScene('runStream', [hang], { session, clock: new ManualClock() });
  expect(await scene.play('go', cancel.signal)).toMatchObject({ stopReason: 'cancelled', finalMessage: 'I look.' });
  expect(session.messages.slice(1)).toEqual([says('I look.', 'other')]);
});

test('G6-03 an announcement is an answer where there are no tools to work with', () => {
  const answer = says(announced);
  expect(readAnswer(answer, undefined, noStreaks, { tools: [], offered: [] })).toEqual({
    kind: 'final',
    message: answer,
    text: announced,
    error: undefined,
  });
});
