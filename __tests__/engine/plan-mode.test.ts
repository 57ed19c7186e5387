// Plan modes: what is offered, what is refused, who is asked, one question after another; and what the model gets to hear.
import { describe, expect, test } from '@jest/globals';
import { createAdmission } from '../../src/engine/admission.ts';
import { Hooks } from '../../src/engine/hooks.ts';
import { decideCall, offeredTools, planModeText } from '../../src/engine/plan-mode.ts';
import type { Approve, ModelRequest } from '../../src/engine/ports.ts';
import { interruptedText } from '../../src/engine/tool-calls.ts';
import { type Message, type ToolCall, type ToolDefinition, textOf } from '../../src/schema/message.ts';
import { type ApprovalRequest, type PlanMode, planModeSchema } from '../../src/schema/plan-mode.ts';
import { FullSession, ManualClock, settled } from './ports.ts';
import { type Mode, modes, setScene, story, tails } from './scene.ts';
import { call, calls, result, type Step, says } from './scripted-model.ts';

const edits = 'in the mode auto_edit every edit is confirmed before it is made';
const commands = 'in the mode accept_edits every command is confirmed before it runs';
const nobody = ', and nobody can answer here. Go on without it, and say in your answer what is left to be done.';
const all: Step = { answer: calls(call('l1', 'look'), call('w1', 'write_file'), call('b1', 'bash')) };
const end: Step = { answer: says('ok') };

const yes: Approve = async () => ({ isAllowed: true });
const namesIn = (request: ModelRequest | undefined): readonly string[] => (request?.tools ?? []).map(({ name }) => name);
/** What the model was told about each call. */
const heard = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(({ toolCallId, content, isError }) =>
    toolCallId === undefined ? [] : [`${toolCallId}${isError === true ? '!' : ''} ${textOf(content)}`],
  );

describe.each(modes)('%s', (mode: Mode) => {
  describe('plan', () => {
    test('[spec 5.5 WithPlanMode] [spec 9 Plan Mode] only tools that read are offered, and the tail says what the mode is; the system prompt is the same', async () => {
      const session = new FullSession();
      const planned = setScene(mode, [{ answer: calls(call('l1', 'look')) }, { answer: says('1. edit a.ts') }], {
        planMode: 'plan',
        session,
      });
      const free = setScene(mode, [end]);
      expect(await planned.play()).toMatchObject({ stopReason: 'completed', finalMessage: '1. edit a.ts' });
      await free.play();
      expect(namesIn(planned.model.requests[0])).toEqual(['look', 'todo_write']);
      expect(namesIn(free.model.requests[0])).toEqual(['bash', 'look', 'todo_write', 'write_file']);
      expect(tails(planned.model)).toEqual([[planModeText], [planModeText]]);
      expect(tails(free.model)).toEqual([[]]);
      expect(planned.model.requests[0]?.messages[0]).toEqual(free.model.requests[0]?.messages[0]);
      expect(JSON.stringify(session.messages)).not.toContain('plan mode');
    });

    test('[spec 9 permission control] a call of anything else, by whatever name, is refused with what to do instead, and never runs', async () => {
      const session = new FullSession();
      const wanted = calls(call('w1', 'write_file'), call('b1', 'bash'), call('e1', 'Edit'), call('l1', 'look'));
      const { play, ran, events } = setScene(mode, [{ answer: wanted }, end], { planMode: 'plan', session, approve: yes });
      await play();
      expect(ran).toEqual(['l1']);
      const refused = (id: string, name: string): string =>
        `${id}! "${name}" was not run: this run is in plan mode, in which nothing is changed. Put the change into the plan instead; ` +
        'it is made after the plan is approved. Tools that may be called: look, todo_write.';
      expect(heard(session.messages)).toEqual([
        refused('w1', 'write_file'),
        refused('b1', 'bash'),
        refused('e1', 'Edit'),
        'l1 look l1 done',
      ]);
      const lines = story(events);
      expect(lines.filter((line) => line.includes('approval'))).toEqual([]);
      expect(lines.filter((line) => /w1|b1|e1/.test(line))).toEqual([
        '1 start w1',
        '1 result w1!',
        '1 start b1',
        '1 result b1!',
        '1 start e1',
        '1 result e1!',
      ]);
    });
  });

  describe('auto_edit and accept_edits', () => {
    test.each<[PlanMode, readonly string[]]>([
      ['default', ['b1', 'l1', 'w1']],
      ['auto_edit', ['b1', 'l1']],
      ['accept_edits', ['l1', 'w1']],
    ])('%s with nobody to ask runs %s', async (planMode, expected) => {
      const { play, ran } = setScene(mode, [all, end], { planMode });
      expect(await play()).toMatchObject({ stopReason: 'completed' });
      expect([...ran].sort()).toEqual(expected);
    });

    test('[spec 3.3 approval_required] [spec 9 PlanModeAutoEdit] [spec 9 interactive confirmation] a person is asked before the call begins, and a yes lets it run', async () => {
      const asked: ApprovalRequest[] = [];
      const approve: Approve = async (request) => {
        asked.push(request);
        return { isAllowed: true };
      };
      const { play, events, ran } = setScene(mode, [{ answer: calls(call('w1', 'write_file')) }, end], {
        planMode: 'auto_edit',
        approve,
      });
      await play();
      expect(asked).toEqual([{ call: call('w1', 'write_file'), reason: edits }]);
      expect(events.find(({ type }) => type === 'approval_required')).toEqual({
        type: 'approval_required',
        turn: 1,
        data: { call: call('w1', 'write_file'), reason: edits },
      });
      expect(ran).toEqual(['w1']);
      expect(story(events)).toEqual([
        '1 estimated',
        '1 approval w1',
        '1 start w1',
        '1 result w1',
        '2 estimated',
        '2 done completed',
      ]);
    });

    test('[spec 9 interactive confirmation] a no reaches the model with the feedback; the call has its two events all the same', async () => {
      const session = new FullSession();
      const answers = [{ isAllowed: false, feedback: 'not that file' }, { isAllowed: false }];
      const approve: Approve = async () => answers.shift() ?? { isAllowed: true };
      const { play, events, ran } = setScene(
        mode,
        [{ answer: calls(call('b1', 'bash'), call('b2', 'bash'), call('b3', 'bash')) }, end],
        { planMode: 'accept_edits', approve, session },
      );
      await play();
      expect(ran).toEqual(['b3']);
      expect(heard(session.messages)).toEqual([
        `b1! "bash" was not run: ${commands}, and it was denied: not that file`,
        `b2! "bash" was not run: ${commands}, and it was denied.`,
        'b3 bash b3 done',
      ]);
      expect(story(events).slice(1, 10)).toEqual([
        '1 approval b1',
        '1 start b1',
        '1 result b1!',
        '1 approval b2',
        '1 start b2',
        '1 result b2!',
        '1 approval b3',
        '1 start b3',
        '1 result b3',
      ]);
    });

    test.each<[string, Approve | undefined]>([
      ['there is nobody', undefined],
      ['asking fails', () => Promise.reject(new Error('no terminal'))],
      [
        'asking fails at once',
        () => {
          throw new Error('no terminal');
        },
      ],
      ['asking is called off', () => Promise.reject(new DOMException('closed', 'AbortError'))],
      ['the answer is none', async () => JSON.parse('null')],
    ])('when %s, the call is denied and the model is told by which rule', async (_name, approve) => {
      const session = new FullSession();
      const { play, ran, events } = setScene(mode, [{ answer: calls(call('w1', 'write_file')) }, end], {
        planMode: 'auto_edit',
        approve,
        session,
      });
      expect(await play()).toMatchObject({ stopReason: 'completed' });
      expect(ran).toEqual([]);
      expect(heard(session.messages)).toEqual([`w1! "write_file" was not run: ${edits}${nobody}`]);
      expect(story(events).slice(1, 4)).toEqual(['1 approval w1', '1 start w1', '1 result w1!']);
    });

    test('an answer that is not a plain yes is a no', async () => {
      const { play, ran } = setScene(mode, [{ answer: calls(call('w1', 'write_file')) }, end], {
        planMode: 'auto_edit',
        approve: async () => JSON.parse('{"isAllowed":"yes"}'),
      });
      await play();
      expect(ran).toEqual([]);
    });

    test.each(['""', '" "', 'null', '{}', '7'])('a no may come without words: %s', async (feedback) => {
      const session = new FullSession();
      const { play } = setScene(mode, [{ answer: calls(call('w1', 'write_file')) }, end], {
        planMode: 'auto_edit',
        approve: async () => JSON.parse(`{"isAllowed":false,"feedback":${feedback}}`),
        session,
      });
      await play();
      expect(heard(session.messages)).toEqual([`w1! "write_file" was not run: ${edits}, and it was denied.`]);
    });

    test('a name that is no tool goes around nothing: the registry may know it as an alias, so it never gets to see it', async () => {
      const session = new FullSession();
      const { play } = setScene(mode, [{ answer: calls(call('e1', 'Edit')) }, end], {
        planMode: 'auto_edit',
        approve: yes,
        session,
      });
      await play();
      expect(heard(session.messages)).toEqual([
        'e1! "Edit" was not run: there is no tool of exactly this name. Tools that may be called: bash, look, todo_write, write_file.',
      ]);
    });

    test('the waiting is not the tool’s time and takes no slot: reading goes on beside it', async () => {
      const session = new FullSession();
      const asked = Promise.withResolvers<string>();
      const steps: readonly Step[] = [{ answer: calls(call('l1', 'slow'), call('w1', 'write_file')) }, end];
      const { play, clock } = setScene(mode, steps, {
        planMode: 'auto_edit',
        toolTimeoutMs: 1000,
        maxConcurrentTools: 1,
        approve: async () => {
          asked.resolve('read while somebody was asked');
          await clock.sleep(3_600_000, new AbortController().signal);
          return { isAllowed: true };
        },
        session,
        tools: { slow: { run: () => asked.promise } },
      });
      const ended = play();
      await settled();
      await clock.advance(3_600_000);
      await ended;
      expect(heard(session.messages)).toEqual(['l1 read while somebody was asked', 'w1 write_file w1 done']);
    });

    test('an abort ends the waiting: the call is answered as interrupted, and it never began', async () => {
      const abort = new AbortController();
      const session = new FullSession();
      const { play, events, ran } = setScene(mode, [{ answer: calls(call('w1', 'write_file'), call('w2', 'write_file')) }], {
        planMode: 'auto_edit',
        approve: () => new Promise(() => {}),
        session,
      });
      const ended = play('go', abort.signal);
      await settled();
      abort.abort();
      expect(await ended).toMatchObject({ stopReason: 'cancelled', turns: 1 });
      expect(ran).toEqual([]);
      expect(session.messages.slice(2)).toEqual([result('w1', interruptedText, true), result('w2', interruptedText, true)]);
      expect(story(events)).toEqual(['1 estimated', '1 approval w1', '1 done cancelled']);
    });

    test('a time limit ends the waiting, too', async () => {
      const { play, clock } = setScene(mode, [{ answer: calls(call('w1', 'write_file')) }, { answer: says('w1 is left') }], {
        planMode: 'auto_edit',
        approve: () => new Promise(() => {}),
        timeoutMs: 100_000,
      });
      const ended = play();
      await settled();
      await clock.advance(75_000);
      expect(await ended).toMatchObject({ stopReason: 'timeout', finalMessage: 'w1 is left' });
    });
  });

  test('[spec 5.5 SetPlanMode] a new mode counts from the next run on, not for one that has begun', async () => {
    const seen: (readonly string[])[] = [];
    const scene = setScene(
      mode,
      [{ answer: calls(call('w1', 'write_file')) }, end, { answer: calls(call('w2', 'write_file')) }, end],
      {
        onEvent: (event) => {
          if (event.type === 'tool_start' && event.data.id === 'w1') scene.engine.setPlanMode('plan');
          if (event.type === 'done') seen.push([...scene.ran]);
        },
      },
    );
    await scene.play();
    await scene.play();
    expect(seen).toEqual([['w1'], ['w1']]);
    expect(scene.model.requests.map(({ tools }) => tools.length)).toEqual([4, 4, 2, 2]);
    scene.engine.setPlanMode('default');
    expect(tails(scene.model).map((texts) => texts.length)).toEqual([0, 0, 1, 1]);
  });
});

describe('createAdmission', () => {
  const ask = (approve: Approve, signal = new AbortController().signal) => {
    const asked: string[] = [];
    const tools: readonly ToolDefinition[] = [{ name: 'w', description: '', inputSchema: {}, place: 'host', effect: 'write' }];
    const [log, note] = [() => {}, () => {}];
    const admit = createAdmission({
      turn: 1,
      hooks: new Hooks({ hooks: [], canonical: (same) => same, clock: new ManualClock(), log, note }),
      permissions: undefined,
      planMode: 'auto_edit',
      tools,
      approve,
      context: { signal, run: {} },
      onAsk: ({ call: { id } }) => asked.push(id),
      onDenied: () => undefined,
      log,
    });
    return { admit: async (toolCall: ToolCall) => (await admit(toolCall)).denial, asked };
  };

  test('a person gets one question after another, however many calls wait, in their order', async () => {
    const answers: ((isAllowed: boolean) => void)[] = [];
    const { admit, asked } = ask(() => new Promise((resolve) => answers.push((isAllowed) => resolve({ isAllowed }))));
    const denials = Promise.all(['1', '2', '3'].map((id) => admit(call(id, 'w'))));
    for (const [at, isAllowed] of [true, false, true].entries()) {
      await settled();
      expect([asked.length, answers.length]).toEqual([at + 1, at + 1]);
      answers[at]?.(isAllowed);
    }
    expect(await denials).toEqual([undefined, expect.stringContaining('denied'), undefined]);
    expect(asked).toEqual(['1', '2', '3']);
  });

  test('after an abort nobody is asked any more', async () => {
    const abort = new AbortController();
    const { admit, asked } = ask(() => new Promise(() => {}), abort.signal);
    const waiting = Promise.all([admit(call('1', 'w')), admit(call('2', 'w'))]);
    await settled();
    abort.abort();
    await waiting;
    expect(asked).toEqual(['1']);
  });
});

describe('decideCall', () => {
  const tool = (effect: ToolDefinition['effect']): ToolDefinition => ({
    name: effect,
    description: '',
    inputSchema: {},
    place: 'host',
    effect,
  });
  const tools = [tool('read'), tool('write'), tool('execute')];

  test('every mode decides about every effect; what is offered is never refused outright', () => {
    const table = planModeSchema.options.map((mode) => [
      mode,
      ...['read', 'write', 'execute', 'other'].map((name) => decideCall(mode, call('c', name), tools).kind),
    ]);
    expect(table).toEqual([
      ['default', 'allow', 'allow', 'allow', 'allow'],
      ['plan', 'allow', 'deny', 'deny', 'deny'],
      ['auto_edit', 'allow', 'ask', 'allow', 'deny'],
      ['accept_edits', 'allow', 'allow', 'ask', 'deny'],
    ]);
    const untold: ToolDefinition[] = JSON.parse('[{"name":"other"},{"name":"read","effect":"reads"}]');
    for (const name of ['other', 'read']) {
      const kinds = planModeSchema.options.map((mode) => decideCall(mode, call('c', name), untold).kind);
      expect(kinds).toEqual(['allow', 'deny', 'ask', 'ask']);
    }
    for (const mode of planModeSchema.options) {
      for (const { name } of offeredTools(tools, mode)) expect(decideCall(mode, call('c', name), tools).kind).not.toBe('deny');
    }
  });
});
