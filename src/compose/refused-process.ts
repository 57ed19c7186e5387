// What stands for a process that a run may not start.
import { Readable, Writable } from 'node:stream';
import type { StartProcess } from '../schema/running-process.ts';

/** Starts nothing: every process ends at once, for this reason. */
export function refuseProcesses(reason: string): StartProcess {
  return () => ({
    stdin: new Writable({ write: (_chunk, _encoding, done) => done() }),
    stdout: Readable.from([]),
    stderr: Readable.from([]),
    end: Promise.resolve({ kind: 'failed', reason }),
    kill: () => undefined,
  });
}
