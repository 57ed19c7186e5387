// The machine's processes as /proc tells them, one plain value each. Kills nothing, decides nothing.
import { readdir, readFile } from 'node:fs/promises';

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Clock ticks since boot. */
  readonly startTicks: number;
  readonly isZombie: boolean;
  readonly name: string;
  readonly userId: number;
  readonly hasNoNewPrivileges: boolean;
  readonly cgroup: string;
  /** `NAME=value` each; empty when it is not ours to read. */
  readonly environment: readonly string[];
}

/** Every process that could be read; empty where there is no /proc. One that ends meanwhile is left out. */
export async function loadProcessTable(): Promise<readonly ProcessEntry[]> {
  const names = await readdir('/proc').catch(() => []);
  const entries = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(loadProcess));
  return entries.filter((entry) => entry !== undefined);
}

async function loadProcess(pid: string): Promise<ProcessEntry | undefined> {
  const [stat, status, cgroup, environment] = await Promise.all([
    readOr(`/proc/${pid}/stat`),
    readOr(`/proc/${pid}/status`),
    readOr(`/proc/${pid}/cgroup`),
    readOr(`/proc/${pid}/environ`),
  ]);
  // The name stands in parentheses and may hold some itself: the fields begin after the last one.
  const nameEnd = stat.lastIndexOf(')');
  if (nameEnd === -1) return undefined;
  const [state, parent, , session, ...rest] = stat.slice(nameEnd + 2).split(' ');
  return {
    pid: Number(pid),
    parent: Number(parent),
    session: Number(session),
    // Field 22 of proc_pid_stat(5); `rest` begins with field 7.
    startTicks: Number(rest[15]),
    isZombie: state === 'Z' || state === 'X',
    name: stat.slice(stat.indexOf('(') + 1, nameEnd).replace(/[^\w.-]/g, '?'),
    userId: Number(/^Uid:\s*(\d+)/m.exec(status)?.[1] ?? -1),
    hasNoNewPrivileges: /^NoNewPrivs:\s*1$/m.test(status),
    cgroup,
    environment: environment.split('\0').filter((variable) => variable !== ''),
  };
}

async function readOr(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
