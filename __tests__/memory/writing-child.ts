// A process that writes turns into a session and says which were acknowledged; started by the tests that kill it.
import { writeSync } from 'node:fs';
import { openJournal } from '../../src/memory/journal.ts';
import { openSqliteStore } from '../../src/memory/sqlite/sqlite-store.ts';
import type { StoredSession } from '../../src/memory/stored-session.ts';
import { Harness9Error } from '../../src/schema/error.ts';
import { firstRun } from './journal-start.ts';
import { journalKey, turn } from './turns.ts';

const [kind = '', file = '', id = '', sizes = '', dieAfter = ''] = process.argv.slice(2);
const now = (): Date => new Date('2026-01-02T03:04:05.000Z');

async function openSession(): Promise<StoredSession> {
  if (kind === 'journal') return openJournal(file, { ...firstRun, sessionId: id, now, key: journalKey });
  const store = await openSqliteStore(file, { now, newId: () => id });
  return (await store.open(id)) ?? (await store.create('/w'));
}

const session = await openSession();
for (const [index, size] of sizes.split(',').entries()) {
  try {
    await session.addMessages(turn(id, index, Number(size)));
    writeSync(1, `ok ${index}\n`);
  } catch (error) {
    writeSync(1, `${error instanceof Harness9Error ? error.code : error} ${index}\n`);
  }
  if (`${index}` === dieAfter) process.kill(process.pid, 'SIGKILL');
}
