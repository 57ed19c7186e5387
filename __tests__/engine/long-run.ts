// One run that meets everything (list, approvals, hooks, rules, work beside it, continuations, a checkpoint, a follow-up), and what must hold of it whatever happens.
import { expect } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import type { EngineOptions } from '../../src/engine/options.ts';
import type { Compacted, CompactionInput, EndedWork } from '../../src/engine/ports.ts';
import type { PostToolUse, PostToolUseAnswer, PreToolUse, PreToolUseAnswer, StopAnswer } from '../../src/schema/hook.ts';
import { type Message, messageSchema } from '../../src/schema/message.ts';
import type { PermissionDecision } from '../../src/schema/permission.ts';
import { type EngineEvent, type RunResult, runResultSchema } from '../../src/schema/run.ts';
import { FullSession, RecordingObserver, registryOf, Todos, todo } from './ports.ts';
import { type Mode, playIn } from './scene.ts';
import { call, calls, ScriptedModel, type Step, says, usage } from './scripted-model.ts';

const used = (answer: Message): Step => ({ answer, usage: usage(10, 5) });

const script: readonly Step[] = [
  used(calls(call('t1', 'todo_write', { todos: [todo('1')] }), call('l1', 'look'), call('w1', 'write_file'))),
  used(says('half', 'length')),
  used(says(' and the rest. One item is done.')),
  used(calls(call('b1', 'bash', { at: 1 }), call('b2', 'bash', { at: 2 }), call('l2', 'look', { at: 2 }))),
  used(calls(call('t2', 'todo_write', { todos: [todo('1', 'completed')] }))),
  used(says("I'll now update a.ts.")),
  used(says('All of it is done.')),
  used(says('Yes, I am sure.')),
];

const soon = async (): Promise<void> => {
  for (let step = 0; step < 4; step += 1) await null;
};
const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Every part is an object of its own, so that a test can break any function of it. */
export function createLongRun() {
  const session = new FullSession();
  const todoStore = new Todos();
  const observer = new RecordingObserver();
  const events: EngineEvent[] = [];
  const model = new ScriptedModel(script);
  const ended: EndedWork[] = [];
  const tool = (effect: 'read' | 'write' | 'execute', wait: () => Promise<void>) => ({
    effect,
    run: async () => {
      await wait();
      if (effect === 'execute') ended.push({ text: 'It has been done beside.', note: 'done beside' });
      return 'ok';
    },
  });
  const registry = registryOf({
    look: tool('read', soon),
    bash: tool('execute', later),
    write_file: tool('write', soon),
    todo_write: todoStore.tool,
  });
  let asked = 0;
  const options = {
    session,
    todoStore,
    observer,
    planMode: 'auto_edit' as const,
    timeoutMs: 600_000,
    onEvent: (event: EngineEvent): unknown => events.push(event),
    log: (_line: string): unknown => undefined,
    estimateTokens: (messages: readonly Message[]): number => messages.length,
    promptBuilder: { build: (): string => 'you are a test' },
    approve: async () => {
      await soon();
      return { isAllowed: true };
    },
    followUp: async () => {
      asked += 1;
      return asked === 1 ? 'are you sure?' : undefined;
    },
    permissions: {
      check: async (): Promise<PermissionDecision> => {
        await null;
        return { kind: 'none' };
      },
    },
    hooks: [
      {
        name: 'busy',
        preToolUse: async ({ call: { name } }: PreToolUse): Promise<PreToolUseAnswer | undefined> => {
          await null;
          return name === 'look' ? { arguments: { at: 9 } } : undefined;
        },
        postToolUse: async ({ result }: PostToolUse): Promise<PostToolUseAnswer | undefined> => {
          await null;
          return { isError: result.isError };
        },
        turnComplete: async (): Promise<void> => {
          await null;
        },
        stop: async (): Promise<StopAnswer | undefined> => undefined,
      },
    ] as const,
    background: {
      takeEnded: (): readonly EndedWork[] => ended.splice(0),
      waitForAll: async (): Promise<void> => {
        await null;
      },
      stop: async (): Promise<void> => {
        await null;
      },
    },
    compactor: {
      compact: async ({ messages }: CompactionInput): Promise<Compacted> => {
        await null;
        return messages.length === 9 ? { messages, checkpoint: { summary: 'so far', coversMessages: 1 } } : { messages };
      },
    },
  } satisfies EngineOptions;
  const play = async (mode: Mode, signal?: AbortSignal): Promise<RunResult> =>
    await playIn(mode, createEngine(model, registry, '/w', options), 'go', signal);
  return { session, todoStore, observer, events, model, registry, options, play };
}

export type LongRun = ReturnType<typeof createLongRun>;

/** What is wrong with a run that has ended; an empty list when nothing is. `except`: what was broken on purpose and cannot tell. */
export function faultsOf(
  run: LongRun,
  result: RunResult | undefined,
  except: 'events' | 'observer' | undefined,
): readonly string[] {
  return [
    ...(result === undefined || runResultSchema.safeParse(result).success ? [] : [`result: ${JSON.stringify(result)}`]),
    ...(except === 'events' ? [] : eventFaults(run.events, result)),
    ...historyFaults(run.session.messages),
    ...(except === 'observer' ? [] : observerFaults(run.observer.calls)),
  ];
}

function eventFaults(events: readonly EngineEvent[], result: RunResult | undefined): readonly string[] {
  const ends = events.filter((event) => event.type === 'done' || event.type === 'error');
  const [end] = ends;
  if (end === undefined || ends.length > 1 || events.at(-1) !== end) return [`${ends.length} ends`];
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === 'tool_start') open.add(event.data.id);
    if (event.type === 'tool_result' && !open.delete(event.data.result.toolCallId)) open.add('a result without its start');
  }
  return [
    ...(result === undefined || end.data === result ? [] : ['another result than the event says']),
    ...((end.type === 'error') === (end.data.stopReason === 'error') ? [] : [`${end.type} ${end.data.stopReason}`]),
    ...(open.size === 0 ? [] : [`open: ${[...open].join()}`]),
    ...(events.every(({ turn }, at) => at === 0 || turn >= (events[at - 1]?.turn ?? 0)) ? [] : ['turns that go back']),
  ];
}

/** Every message is one, every call is answered once, in order, and nothing else stands between. */
function historyFaults(messages: readonly Message[]): readonly string[] {
  const faults: string[] = [];
  let open: readonly string[] = [];
  for (const message of messages) {
    if (!messageSchema.safeParse(message).success || message.role === 'system')
      faults.push(`no message: ${JSON.stringify(message)}`);
    if (message.toolCallId === undefined) {
      if (open.length > 0) faults.push(`unanswered: ${open.join()}`);
      open = (message.toolCalls ?? []).map(({ id }) => id);
    } else {
      if (open[0] !== message.toolCallId) faults.push(`answered: ${message.toolCallId}`);
      open = open.slice(1);
    }
  }
  return open.length === 0 ? faults : [...faults, `unanswered at the end: ${open.join()}`];
}

function observerFaults(lines: readonly string[]): readonly string[] {
  const kinds = lines.map((line) => line.replace(/^(start|end|turn \d+ over|turn \d+).*$/, '$1'));
  const turns = kinds.slice(1, -1);
  const isPaired = turns.every((kind, at) => (at % 2 === 0 ? turns[at + 1] === `${kind} over` : true)) && turns.length % 2 === 0;
  return kinds[0] === 'start' && kinds.at(-1) === 'end' && isPaired ? [] : [`observer: ${kinds.join()}`];
}

/** The run as it goes when nothing is in its way. */
export async function expectWhole(mode: Mode): Promise<number> {
  const run = createLongRun();
  const result = await run.play(mode);
  expect(faultsOf(run, result, undefined)).toEqual([]);
  expect(JSON.stringify(run.session.messages)).toContain('It has been done beside.');
  expect(result.notes).toBeUndefined();
  expect([result.stopReason, result.finalMessage, result.turns, run.model.leftover]).toEqual([
    'completed',
    'Yes, I am sure.',
    8,
    0,
  ]);
  return run.events.length;
}
