// A thread whose runs follow each other: each restores the session file of the one before, journals, and seals the next file.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { openEnvelope, sealEnvelope } from '../../src/memory/envelope.ts';
import { journalStart } from '../../src/memory/history.ts';
import { openJournal, readJournal, sessionBodyOf } from '../../src/memory/journal.ts';
import type { SessionKey } from '../../src/memory/session-key.ts';
import type { StoredSession } from '../../src/memory/stored-session.ts';
import type { RestoredSession } from '../../src/schema/session.ts';
import { provenance } from './journal-start.ts';

export interface Thread {
  /** The session of the next run, as the file left it. */
  readonly begin: () => Promise<StoredSession>;
  /** Makes the session file of the run that was begun last; its bytes. */
  readonly end: () => Promise<Uint8Array>;
  /** Another thread that goes on from the same file. */
  readonly fork: (folder: string) => Thread;
}

const now = (): Date => new Date('2026-01-02T03:04:05.000Z');
const journalKey = new Uint8Array(32).fill(7);

/** `maxBytes`: the cap of the file; the product's own where it is left out. */
export function startThread(folder: string, key: SessionKey, maxBytes?: number): Thread {
  return threadFrom({ kind: 'fresh', notice: null }, folder, key, maxBytes);
}

function threadFrom(start: RestoredSession, folder: string, key: SessionKey, maxBytes: number | undefined): Thread {
  const run = { newId: 's1', threadKey: 'issue-1', trust: 'trusted', provenance } as const;
  let restored = start;
  let count = 0;
  let file = '';
  return {
    begin: async () => {
      count += 1;
      await mkdir(folder, { recursive: true });
      file = path.join(folder, `run-${count}.jsonl`);
      return openJournal(file, { ...journalStart(restored, run), now, key: journalKey });
    },
    end: async () => {
      const content = await readJournal(file, journalKey);
      if (content === null) throw new Error(`${file} holds nothing`);
      const { bytes } = sealEnvelope(sessionBodyOf(content, now().toISOString()), key, maxBytes);
      const opened = openEnvelope(bytes, { key, threadKey: run.threadKey, repositoryId: 42, planTrust: 'trusted' });
      if (opened.kind === 'refused') throw new Error(opened.reason);
      restored = { ...opened, kind: 'restored' };
      return bytes;
    },
    fork: (other) => threadFrom(restored, other, key, maxBytes),
  };
}
