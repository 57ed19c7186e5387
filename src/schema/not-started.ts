// What stands for a process that was not started.
import { Readable, Writable } from 'node:stream';
import type { RunningProcess } from './running-process.ts';

/** Has ended already, for this reason; takes what is written and says nothing. */
export function notStarted(reason: string): RunningProcess {
  return {
    stdin: new Writable({ write: (_chunk, _encoding, done) => done() }),
    stdout: Readable.from([]),
    stderr: Readable.from([]),
    end: Promise.resolve({ kind: 'failed', reason }),
    kill: () => undefined,
  };
}
