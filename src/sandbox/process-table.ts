// The machine's processes as /proc tells them, one plain value each. Kills nothing, decides nothing.
import { readdir, readFile } from 'node:fs/promises';
import { oneLine } from '../schema/one-line.ts';
import { parseProcessStat } from '../schema/process-stat.ts';

/** More than anybody is shown, so that what must be taken out of it can be seen whole. */
const maxCommandChars = 4096;

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Clock ticks since boot. */
  readonly startTicks: number;
  readonly isZombie: boolean;
  /** What it was started as, on one line; its name in brackets where that cannot be read. From a process that may say there what it likes. */
  readonly command: string;
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

/** When a process started, in clock ticks since boot; null where there is no /proc and when it has ended. */
export async function loadStartTicks(pid: number): Promise<number | null> {
  return parseProcessStat(await readOr(`/proc/${pid}/stat`))?.startTicks ?? null;
}

async function loadProcess(pid: string): Promise<ProcessEntry | undefined> {
  const [line, status, cgroup, environment, commandLine] = await Promise.all([
    readOr(`/proc/${pid}/stat`),
    readOr(`/proc/${pid}/status`),
    readOr(`/proc/${pid}/cgroup`),
    readOr(`/proc/${pid}/environ`),
    readOr(`/proc/${pid}/cmdline`),
  ]);
  const stat = parseProcessStat(line);
  if (stat === undefined) return undefined;
  const { parent, session, startTicks, isZombie } = stat;
  return {
    pid: Number(pid),
    parent,
    session,
    startTicks,
    isZombie,
    command: oneLine(commandLine, maxCommandChars) || `[${oneLine(stat.name, maxCommandChars)}]`,
    userId: Number(/^Uid:\s*(\d+)/m.exec(status)?.[1] ?? -1),
    hasNoNewPrivileges: /^NoNewPrivs:\s*1$/m.test(status),
    cgroup,
    environment: environment.split('\0').filter((variable) => variable !== ''),
  };
}

async function readOr(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
