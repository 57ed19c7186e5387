// What every session store promises, as one suite that each implementation runs.
import { describe, expect, test } from '@jest/globals';
import type { StoredSession } from '../../src/memory/stored-session.ts';
import type { Message } from '../../src/schema/message.ts';
import { textPart } from '../../src/schema/message.ts';
import type { Checkpoint } from '../../src/schema/session.ts';
import type { TodoItem } from '../../src/schema/todo.ts';
import { createRandom, type Random } from '../tools/random.ts';
import { randomMessage, randomText } from './random-messages.ts';

/** A new session. `reopen`: the way it goes until the next process has it; from then on only that one is written to. */
export interface SessionCase extends AsyncDisposable {
  readonly session: StoredSession;
  readonly reopen: () => Promise<StoredSession>;
}

const user = (text: string): Message => ({ role: 'user', content: [textPart(text)] });
const assistant = (text: string): Message => ({ role: 'assistant', content: [textPart(text)] });
const todo = (id: string, status: TodoItem['status'] = 'pending'): TodoItem => ({ id, content: `do ${id}`, status });
const covering = (coversMessages: number, summary = `the first ${coversMessages}`): Checkpoint => ({ summary, coversMessages });

/** All that a session holds. */
interface Content {
  readonly messages: readonly Message[];
  readonly todos: readonly TodoItem[];
  readonly checkpoint: Checkpoint | undefined;
  readonly plan: string | undefined;
}

async function contentOf(session: StoredSession): Promise<Content> {
  const [messages, todos] = [await session.getMessages(0), await session.getTodos()];
  return { messages, todos, checkpoint: await session.getCheckpoint(), plan: await session.getPlan() };
}

const empty: Content = { messages: [], todos: [], checkpoint: undefined, plan: undefined };

export function describeSession(name: string, create: () => Promise<SessionCase>): void {
  /** The content is so at once, and so again for the next process; returns what that has. */
  async function expectContent(case_: SessionCase, expected: Partial<Content>, session = case_.session): Promise<StoredSession> {
    expect(await contentOf(session)).toStrictEqual({ ...empty, ...expected });
    const reopened = await case_.reopen();
    expect(reopened.id).toBe(case_.session.id);
    expect(await contentOf(reopened)).toStrictEqual({ ...empty, ...expected });
    return reopened;
  }

  describe(`${name} keeps the promises of a session`, () => {
    test('a new one is empty', async () => {
      await using case_ = await create();
      expect(await case_.session.popMessage()).toBeUndefined();
      await expectContent(case_, empty);
    });

    test('messages come back in order, all of them or the last n', async () => {
      await using case_ = await create();
      await case_.session.addMessages([user('1'), assistant('2')]);
      await case_.session.addMessages([]);
      await case_.session.addMessages([user('3')]);
      const all = [user('1'), assistant('2'), user('3')];
      const reopened = await expectContent(case_, { messages: all });
      for (const session of [case_.session, reopened]) {
        for (const limit of [1, 2, 3, 4, 1000]) expect(await session.getMessages(limit)).toEqual(all.slice(-limit));
      }
    });

    test('additions that are not waited for keep the order of their calls, and none is torn apart', async () => {
      await using case_ = await create();
      const batches = Array.from({ length: 40 }, (_, index) => [user(`${index} a`), assistant(`${index} b`), user(`${index} c`)]);
      await Promise.all(batches.map((batch) => case_.session.addMessages(batch)));
      await expectContent(case_, { messages: batches.flat() });
    });

    test('what is asked for after a change that is not waited for has the change in it', async () => {
      await using case_ = await create();
      const { session } = case_;
      const [, messages, popped, , todos] = await Promise.all([
        session.addMessages([user('1'), user('2')]),
        session.getMessages(0),
        session.popMessage(),
        session.saveTodos([todo('a')]),
        session.getTodos(),
      ]);
      expect({ messages, popped, todos }).toEqual({ messages: [user('1'), user('2')], popped: user('2'), todos: [todo('a')] });
    });

    test('messages with every kind of part come back as they went in, to the byte [spec 3.2 ToolCall.Arguments]', async () => {
      await using case_ = await create();
      const random = createRandom(1);
      const messages = Array.from({ length: 300 }, () => randomMessage(random));
      await case_.session.addMessages(messages);
      const reopened = await expectContent(case_, { messages });
      const opaque = (all: readonly Message[]): string => JSON.stringify(all.flatMap(({ content }) => content));
      expect(opaque(await reopened.getMessages(0))).toBe(opaque(messages));
    });

    test('the system prompt is never stored [spec 4.1 system prompt not stored]', async () => {
      await using case_ = await create();
      const system: Message = { role: 'system', content: [textPart('rules')] };
      await case_.session.addMessages([system]);
      await case_.session.addMessages([system, user('1'), system]);
      await expectContent(case_, { messages: [user('1')] });
    });

    test('the newest message can be taken out, until none is left', async () => {
      await using case_ = await create();
      const { session } = case_;
      await session.addMessages([user('1'), assistant('2')]);
      expect(await session.popMessage()).toStrictEqual(assistant('2'));
      const reopened = await expectContent(case_, { messages: [user('1')] });
      expect(await reopened.popMessage()).toStrictEqual(user('1'));
      expect(await reopened.popMessage()).toBeUndefined();
      await reopened.addMessages([user('again')]);
      expect(await reopened.getMessages(0)).toEqual([user('again')]);
    });

    test('with a message that a checkpoint covers goes the checkpoint, and no older one comes back', async () => {
      await using case_ = await create();
      const { session } = case_;
      const messages = ['1', '2', '3', '4'].map(user);
      await session.addMessages(messages);
      await session.saveCheckpoint(covering(1));
      await session.saveCheckpoint(covering(3));
      await session.popMessage();
      const reopened = await expectContent(case_, { messages: messages.slice(0, 3), checkpoint: covering(3) });
      await reopened.popMessage();
      await expectContent(case_, { messages: messages.slice(0, 2) }, reopened);
    });

    test('the checkpoint is the last one saved, and covers the same messages when more follow', async () => {
      await using case_ = await create();
      const { session } = case_;
      await session.addMessages([user('1'), assistant('2')]);
      await session.saveCheckpoint(covering(2));
      await session.saveCheckpoint(covering(1, 'less\n"and" later'));
      await session.addMessages([user('3')]);
      await expectContent(case_, {
        messages: [user('1'), assistant('2'), user('3')],
        checkpoint: covering(1, 'less\n"and" later'),
      });
    });

    test('a checkpoint stands for nothing that was not there yet', async () => {
      await using case_ = await create();
      const { session } = case_;
      await session.saveCheckpoint(covering(5, 'of nothing'));
      expect(await session.getCheckpoint()).toEqual(covering(0, 'of nothing'));
      await session.addMessages([user('1'), assistant('2')]);
      await session.saveCheckpoint(covering(7, 'of both'));
      await session.addMessages([user('3')]);
      await expectContent(case_, { messages: [user('1'), assistant('2'), user('3')], checkpoint: covering(2, 'of both') });
    });

    test('a cleared one is empty, keeps its id and goes on', async () => {
      await using case_ = await create();
      const { session } = case_;
      await session.addMessages([user('1')]);
      await session.saveCheckpoint(covering(1));
      await session.saveTodos([todo('a')]);
      await session.savePlan('first this');
      await session.clear();
      const reopened = await expectContent(case_, empty);
      await reopened.addMessages([user('2')]);
      expect(await contentOf(reopened)).toEqual({ ...empty, messages: [user('2')] });
    });

    test('a to-do list replaces the one before [spec 9 todo persistence] [spec 5.5 WithTodoStore]', async () => {
      await using case_ = await create();
      const { session } = case_;
      await session.saveTodos([todo('a'), todo('b')]);
      await session.saveTodos([todo('b', 'in_progress'), todo('a', 'completed'), todo('c', 'cancelled')]);
      const reopened = await expectContent(case_, {
        todos: [todo('b', 'in_progress'), todo('a', 'completed'), todo('c', 'cancelled')],
      });
      await reopened.saveTodos([]);
      expect(await reopened.getTodos()).toEqual([]);
    });

    test('a plan replaces the one before, and is gone when it is taken away', async () => {
      await using case_ = await create();
      const { session } = case_;
      await session.savePlan('one');
      await session.savePlan('# Two\n\n1. 先读代码\n');
      const reopened = await expectContent(case_, { plan: '# Two\n\n1. 先读代码\n' });
      await reopened.savePlan(undefined);
      await expectContent(case_, empty, reopened);
    });

    test('whatever is done in whatever order, it holds what a list in memory would', async () => {
      for (let seed = 0; seed < 12; seed += 1) {
        await using case_ = await create();
        await expectLikeAList(case_, createRandom(seed));
      }
    });
  });
}

/** Does forty random things to a session and to a plain object; both must be the same after each, and after each new process. */
async function expectLikeAList(case_: SessionCase, random: Random): Promise<void> {
  let { session } = case_;
  let model = empty;
  for (let step = 0; step < 40; step += 1) {
    if (random.below(8) === 0) session = await case_.reopen();
    model = (await actions[random.below(10)]?.(session, model, random)) ?? model;
    expect([step, await contentOf(session)]).toStrictEqual([step, model]);
  }
}

type Act = (session: StoredSession, model: Content, random: Random) => Promise<Content>;

const add: Act = async (session, model, random) => {
  const messages = Array.from({ length: random.below(4) }, () => randomMessage(random));
  await session.addMessages(messages);
  return { ...model, messages: [...model.messages, ...messages] };
};

const pop: Act = async (session, model) => {
  expect(await session.popMessage()).toStrictEqual(model.messages.at(-1));
  const messages = model.messages.slice(0, -1);
  const isKept = (model.checkpoint?.coversMessages ?? 0) <= messages.length;
  return { ...model, messages, checkpoint: isKept ? model.checkpoint : undefined };
};

const actions: readonly Act[] = [
  ...[add, add, add, pop, pop],
  async (session, model, random) => {
    const checkpoint = covering(random.below(model.messages.length + 1), randomText(random).toWellFormed());
    await session.saveCheckpoint(checkpoint);
    return { ...model, checkpoint };
  },
  async (session, model, random) => {
    const todos = Array.from({ length: random.below(3) }, (_, index) => ({ ...todo(`${index}`), content: randomText(random) }));
    await session.saveTodos(todos);
    return { ...model, todos };
  },
  async (session, model, random) => {
    const plan = randomText(random).toWellFormed();
    await session.savePlan(plan);
    return { ...model, plan };
  },
  async (session, model) => {
    await session.savePlan(undefined);
    return { ...model, plan: undefined };
  },
  async (session, model, random) => {
    if (random.below(3) > 0) return model;
    await session.clear();
    return empty;
  },
];
