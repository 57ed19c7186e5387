// A process that runs the whole engine on a session, with compaction, and says what it does; started by the tests that kill it.
import { readFileSync, writeSync } from 'node:fs';
import { createEngine } from '../../src/engine/engine.ts';
import { createSummarizationCompactor } from '../../src/memory/compaction/summarization.ts';
import { openJournal } from '../../src/memory/journal.ts';
import { openSqliteStore } from '../../src/memory/sqlite/sqlite-store.ts';
import type { StoredSession } from '../../src/memory/stored-session.ts';
import { registryOf } from '../engine/ports.ts';
import { prose } from './compaction/histories.ts';
import { firstRun } from './journal-start.ts';
import { StrictModel } from './strict-model.ts';
import { journalKey } from './turns.ts';

/** `base`: a file with the records that a journal goes on from; '' for none. */
const [kind = '', file = '', base = ''] = process.argv.slice(2);
const now = (): Date => new Date('2026-01-02T03:04:05.000Z');

async function openSession(): Promise<StoredSession> {
  const baseRecords = base === '' ? [] : JSON.parse(readFileSync(base, 'utf8'));
  if (kind === 'journal') return openJournal(file, { ...firstRun, baseRecords, now, key: journalKey });
  const store = await openSqliteStore(file, { now, newId: () => 's1' });
  return (await store.open('s1')) ?? (await store.create('/w'));
}

const session = await openSession();
const { length } = await session.getMessages(0);
const model = new StrictModel({ window: 6_000, turns: 60, name: `m${length}_`, task: 'the task' });
const tool = { run: (): string => prose(150) };
const engine = createEngine(model, registryOf({ read_file: tool, bash: tool }), '/w', {
  maxTurns: 0,
  contextWindow: 6_000,
  session,
  compactor: createSummarizationCompactor({ provider: model }),
  onEvent: ({ type, turn }) => {
    if (type === 'token_update' || type === 'compaction') writeSync(1, `${type} ${turn}\n`);
  },
});
const result = await engine.run(length === 0 ? 'the task' : 'go on');
writeSync(1, `${result.stopReason} ${JSON.stringify([result.notes, model.problems, model.refused])}\n`);
