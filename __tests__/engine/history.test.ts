// What a run keeps in its session when the store is slow, or what it reported cannot be stored.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openJournal, readJournal } from '../../src/memory/journal.ts';
import { messagesOf } from '../../src/memory/session-records.ts';
import { openSqliteStore } from '../../src/memory/sqlite/sqlite-store.ts';
import type { Message, Usage } from '../../src/schema/message.ts';
import { firstRun } from '../memory/journal-start.ts';
import { FullSession, settled } from './ports.ts';
import { modes, setScene } from './scene.ts';
import { call, calls, says, user } from './scripted-model.ts';

/** Writes what it is given after `waits` more looks at the clock of the test. */
class SlowSession extends FullSession {
  readonly waiting: (() => void)[] = [];
  slow = true;

  override async addMessages(messages: readonly Message[]): Promise<void> {
    if (this.slow) await new Promise<void>((resolve) => this.waiting.push(resolve));
    await super.addMessages(messages);
  }
}

describe.each(modes)('a store that is slower than a run waits, %s', (mode) => {
  const late = 'A part of this conversation could not be saved: The time of 10000 ms is over.';

  test('that succeeds in the end has every message once, in order', async () => {
    const session = new SlowSession();
    const { play, clock } = setScene(mode, [{ answer: calls(call('c1', 'look')) }, { answer: says('ok') }], { session });
    const ended = play('hello');
    await settled();
    await clock.advance(10_000);
    // The first turn was taken without it; its messages wait for the write that is under way.
    session.slow = false;
    session.waiting[0]?.();
    await settled();
    const result = await ended;
    expect(result).toMatchObject({ stopReason: 'completed', notes: [late] });
    expect(session.messages.map(({ toolCallId, content }) => toolCallId ?? content)).toHaveLength(4);
    expect(session.messages[0]).toEqual(user('hello'));
    expect(session.messages.at(-1)).toMatchObject({ role: 'assistant', content: says('ok').content });
    expect(session.waiting).toHaveLength(1);
  });

  test('that fails late is given all of it again', async () => {
    const session = new SlowSession();
    let reject = (): void => {};
    const add = session.addMessages.bind(session);
    session.addMessages = () =>
      new Promise((_resolve, fail) => {
        reject = () => fail(new Error('disk full'));
      });
    const { play, clock } = setScene(mode, [{ answer: calls(call('c1', 'look')) }, { answer: says('ok') }], { session });
    const ended = play('hello');
    await settled();
    session.addMessages = add;
    session.slow = false;
    reject();
    await settled();
    await clock.advance(10_000);
    expect(await ended).toMatchObject({ notes: ['A part of this conversation could not be saved: disk full'] });
    expect(session.messages).toHaveLength(4);
  });
});

describe('an answer whose usage is no number', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'history-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const usage: Usage = {
    inputTokens: Number.NaN,
    outputTokens: Number.POSITIVE_INFINITY,
    cacheReadTokens: -1,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  const now = (): Date => new Date('2026-01-02T03:04:05.000Z');

  test('can be read again from a journal and from SQLite', async () => {
    const key = new Uint8Array(32).fill(7);
    const journal = await openJournal(path.join(folder, 'j'), { ...firstRun, now, key });
    await setScene('run', [{ answer: says('kept'), usage }], { session: journal }).play('hello');
    const records = (await readJournal(path.join(folder, 'j'), key))?.records ?? [];
    const store = await openSqliteStore(path.join(folder, 's.db'), { now, newId: () => 's' });
    const session = await store.create('/w');
    await setScene('run', [{ answer: says('kept'), usage }], { session }).play('hello');
    const kept = { ...says('kept'), usage: { ...usage, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 } };
    expect([messagesOf(records), await session.getMessages(0)]).toEqual([
      [user('hello'), kept],
      [user('hello'), kept],
    ]);
    store.close();
  });

  test('ends no run by its budget', async () => {
    const { play } = setScene(
      'run',
      [
        { answer: calls(call('c1', 'look')), usage },
        { answer: says('ok'), usage },
      ],
      {
        maxTokensTotal: 100_000,
      },
    );
    expect(await play()).toMatchObject({ stopReason: 'completed', usage: { inputTokens: 0, outputTokens: 0 } });
  });
});
