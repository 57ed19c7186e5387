import { describe, expect, test } from '@jest/globals';
import { findProcesses } from '../../src/sandbox/kill-sweep.ts';
import type { ProcessEntry } from '../../src/sandbox/process-table.ts';

const process_ = (entry: Partial<ProcessEntry> & { pid: number; parent: number }): ProcessEntry => ({
  session: entry.pid,
  startTicks: 100,
  isZombie: false,
  command: 'p',
  userId: 1000,
  hasNoNewPrivileges: false,
  cgroup: '0::/job\n',
  environment: [],
  ...entry,
});
const target = { marker: 'm', sessions: [20], self: 10, startedAtTicks: 50 };
const world = [process_({ pid: 1, parent: 0 }), process_({ pid: 5, parent: 1 }), process_({ pid: 10, parent: 5 })];
const found = (...more: readonly ProcessEntry[]) => findProcesses([...world, ...more], target).map(({ pid }) => pid);

describe('findProcesses', () => {
  test('finds by marker, by session and by descent, and leaves zombies, ancestors and strangers alone', () => {
    expect(
      found(
        process_({ pid: 20, parent: 10 }),
        process_({ pid: 21, parent: 1, session: 20 }),
        process_({ pid: 30, parent: 1, environment: ['A=1', 'HARNESS9_TOOL_HOST=m'] }),
        process_({ pid: 31, parent: 30 }),
        process_({ pid: 33, parent: 1, environment: ['HARNESS9_TOOL_HOST=m/beside'] }),
        process_({ pid: 32, parent: 31, isZombie: true }),
        process_({ pid: 40, parent: 1, environment: ['HARNESS9_TOOL_HOST=other'] }),
        process_({ pid: 41, parent: 10 }),
        process_({ pid: 42, parent: 1, environment: ['HARNESS9_TOOL_HOST=m/besides', 'X=HARNESS9_TOOL_HOST=m'] }),
      ),
    ).toEqual([20, 21, 30, 31, 33]);
  });

  test('an orphan that cleared its environment is known by no-new-privs', () => {
    const hidden = { parent: 1, hasNoNewPrivileges: true };
    expect(
      found(
        process_({ ...hidden, pid: 50 }),
        process_({ ...hidden, pid: 51, parent: 5 }),
        process_({ ...hidden, pid: 52, startTicks: 49 }),
        process_({ ...hidden, pid: 53, userId: 0 }),
        process_({ ...hidden, pid: 54, cgroup: '0::/other\n' }),
        process_({ ...hidden, pid: 55, environment: ['HARNESS9_TOOL_HOST=other'] }),
        process_({ pid: 60, parent: 1 }),
        process_({ ...hidden, pid: 61, parent: 60 }),
        process_({ ...hidden, pid: 62, parent: 10 }),
      ),
    ).toEqual([50, 51]);
  });

  test('ourselves and our ancestors are spared even with the marker', () => {
    const marked = [...world].map((entry) => ({ ...entry, environment: ['HARNESS9_TOOL_HOST=m'] }));
    expect(findProcesses(marked, target)).toEqual([]);
  });
});
