import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openEnvelope, sealEnvelope } from '../../src/memory/envelope.ts';
import { readJournal, sessionBodyOf } from '../../src/memory/journal.ts';
import { messagesOf } from '../../src/memory/session-records.ts';
import { openSqliteStore } from '../../src/memory/sqlite/sqlite-store.ts';
import type { Message } from '../../src/schema/message.ts';
import { sessionKeys } from './journal-start.ts';
import { runAndKill } from './run-and-kill.ts';
import { journalKey, turn } from './turns.ts';

const now = (): Date => new Date('2026-01-02T03:04:05.000Z');
const child = path.join(import.meta.dirname, 'writing-child.ts');

let folder = '';
let count = 0;
const newPath = (): string => path.join(folder, `${count++}`);
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kill-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Which turns were acknowledged before the process was gone, and the codes of those that failed. */
interface Told {
  readonly acknowledged: readonly number[];
  readonly failed: readonly string[];
}

interface Writing {
  readonly kind: string;
  readonly file: string;
  readonly id: string;
  readonly sizes: readonly number[];
  /** The child kills itself after this turn. */
  readonly dieAfter?: number;
  /** The child is killed from outside when it has acknowledged so many. */
  readonly killAfter?: number;
  /** No file grows beyond this. */
  readonly maxFileKb?: number;
}

async function write({ kind, file, id, sizes, dieAfter, killAfter, maxFileKb }: Writing): Promise<Told> {
  const command = [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    child,
    kind,
    file,
    id,
    sizes.join(),
    `${dieAfter ?? ''}`,
  ];
  // Without the trap the kernel would end the process at the limit.
  const limit = maxFileKb === undefined ? '' : `trap '' XFSZ; ulimit -f ${maxFileKb};`;
  const lines = await runAndKill('bash', ['-c', `${limit} exec "$@"`, 'bash', ...command], killAfter);
  const numbered = lines.map((line) => line.split(' '));
  return {
    acknowledged: numbered.filter(([code]) => code === 'ok').map(([, index]) => Number(index)),
    failed: numbered.flatMap(([code = '']) => (code === 'ok' ? [] : [code])),
  };
}

const read: Readonly<Record<string, (file: string, id: string) => Promise<readonly Message[]>>> = {
  journal: async (file) => messagesOf((await readJournal(file, journalKey))?.records ?? []),
  sqlite: async (file, id) => {
    const store = await openSqliteStore(file, { now, newId: () => 'other' });
    try {
      return (await (await store.open(id))?.getMessages(0)) ?? [];
    } finally {
      store.close();
    }
  },
};

const turns = (id: string, sizes: readonly number[], indexes: readonly number[]): readonly Message[] =>
  indexes.flatMap((index) => turn(id, index, sizes[index] ?? 0));

describe.each(Object.entries(read))('a process that writes a session (%s)', (kind, contentOf) => {
  test.each([0, 1, 2, 5])('and is killed after turn %i leaves exactly the turns that were acknowledged', async (dieAfter) => {
    const [file, sizes] = [newPath(), [10, 10_000, 10, 100_000, 10, 10, 10]];
    const { acknowledged } = await write({ kind, file, id: 's1', sizes, dieAfter });
    expect(acknowledged).toEqual(Array.from({ length: dieAfter + 1 }, (_, index) => index));
    expect(await contentOf(file, 's1')).toEqual(turns('s1', sizes, acknowledged));
  });

  test('and is killed at any moment leaves whole turns, and all that were acknowledged', async () => {
    for (let killAfter = 1; killAfter <= 6; killAfter += 1) {
      const [file, sizes] = [newPath(), Array.from({ length: 200 }, () => 200_000)];
      const { acknowledged } = await write({ kind, file, id: 's1', sizes, killAfter });
      const left = await contentOf(file, 's1');
      expect(left.length).toBeLessThan(3 * sizes.length);
      const whole = Array.from({ length: Math.max(acknowledged.length, Math.ceil(left.length / 3)) }, (_, index) => index);
      expect(left).toEqual(turns('s1', sizes, whole));
    }
  });

  test('on a disk that takes no more says so, keeps nothing of that turn, and goes on with what has room', async () => {
    const [file, sizes] = [newPath(), [10, 10, 2_000_000, 10, 2_000_000, 10]];
    const { acknowledged, failed } = await write({ kind, file, id: 's1', sizes, maxFileKb: 400 });
    expect({ acknowledged, failed: failed.length }).toEqual({ acknowledged: [0, 1, 3, 5], failed: 2 });
    expect([['JOURNAL_WRITE'], ['SESSION_STORE_FULL'], ['SESSION_STORE_UNREADABLE']]).toContainEqual([...new Set(failed)]);
    expect(await contentOf(file, 's1')).toEqual(turns('s1', sizes, acknowledged));
  });
});

test('what a killed run leaves becomes a session file, encrypted or not', async () => {
  const [file, sizes] = [newPath(), [10, 10_000, 10]];
  const { acknowledged } = await write({ kind: 'journal', file, id: 's1', sizes, dieAfter: 1 });
  const content = await readJournal(file, journalKey);
  if (content === null) throw new Error('the journal is lost');
  for (const key of Object.values(sessionKeys())) {
    const { bytes } = sealEnvelope(sessionBodyOf(content, now().toISOString()), key);
    const opened = openEnvelope(bytes, { key, threadKey: 'issue-1', repositoryId: 42, planTrust: 'trusted' });
    expect(opened.kind === 'opened' && messagesOf(opened.envelope.records)).toEqual(turns('s1', sizes, acknowledged));
  }
});

describe('processes that write to one SQLite file at the same time', () => {
  const sizes = Array.from({ length: 40 }, (_, index) => index * 100);

  test('begin it together and leave each session whole', async () => {
    const file = newPath();
    const ids = ['a', 'b', 'c', 'd'];
    const told = await Promise.all(ids.map((id) => write({ kind: 'sqlite', file, id, sizes })));
    expect(told.map(({ failed }) => failed)).toEqual(ids.map(() => []));
    for (const id of ids) expect(await read.sqlite?.(file, id)).toEqual(turns(id, sizes, [...sizes.keys()]));
  });

  test('and to one session in it leave the turns of each whole and in order', async () => {
    const file = newPath();
    await write({ kind: 'sqlite', file, id: 's1', sizes: [0] });
    const told = await Promise.all([1, 2].map(() => write({ kind: 'sqlite', file, id: 's1', sizes })));
    expect(told.map(({ failed }) => failed)).toEqual([[], []]);
    const messages = (await read.sqlite?.(file, 's1')) ?? [];
    expect(messages).toHaveLength(3 * (1 + 2 * sizes.length));
    const found = Array.from({ length: messages.length / 3 }, (_, index) =>
      JSON.stringify(messages.slice(3 * index, 3 * index + 3)),
    );
    const written = [0, ...sizes.keys(), ...sizes.keys()].map((index) => JSON.stringify(turn('s1', index, index * 100)));
    expect(found.toSorted()).toEqual(written.toSorted());
  });
});
