// Which sandbox level a run gets: asked for, possible, and said when it is less. decideLevel is pure, probeSandbox looks at the machine.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { Harness9Error } from '../schema/error.ts';
import type { SandboxLevel } from '../schema/settings.ts';

/** The levels that are built. */
export type BuiltLevel = Extract<SandboxLevel, 'process' | 'readonly' | 'none'>;

/** What this machine can do. Probed, never assumed. */
export interface SandboxProbe {
  /** Absolute, and seen to set no-new-privs; null when there is none that does. */
  readonly setprivPath: string | null;
}

/** `launcher`: what the tool host's command line begins with. `notice`: what the requester should know, when the level is less than one would expect. */
export interface LevelDecision {
  readonly level: BuiltLevel;
  readonly launcher: readonly string[];
  readonly notice: string | null;
}

/** Throws `SANDBOX_UNAVAILABLE` when a level is asked for by name that cannot be had; a weaker one is never taken silently. */
export function decideLevel(requested: 'auto' | SandboxLevel, probe: SandboxProbe): LevelDecision {
  switch (requested) {
    case 'auto':
      if (probe.setprivPath !== null) return processLevel(probe.setprivPath);
      return {
        level: 'readonly',
        launcher: [],
        notice: 'setpriv is not available here: commands cannot be run, only files read and written.',
      };
    case 'process':
      if (probe.setprivPath !== null) return processLevel(probe.setprivPath);
      throw unavailable(requested, 'setpriv (util-linux) is missing or cannot set no-new-privs');
    case 'readonly':
      return { level: 'readonly', launcher: [], notice: null };
    case 'none':
      return {
        level: 'none',
        launcher: [],
        notice: 'The sandbox is none, as was asked for: commands run with all rights of whoever started harness9.',
      };
    case 'bubblewrap':
    case 'namespace':
      throw unavailable(requested, 'this level is not built yet');
  }
}

/** Where util-linux puts it; never by name (D7). */
const setprivPaths = ['/usr/bin/setpriv', '/bin/setpriv'];
const probeTimeoutMs = 5000;

/** Runs setpriv once and reads the kernel's word for it. */
export async function probeSandbox(): Promise<SandboxProbe> {
  const setprivPath = setprivPaths.find((candidate) => existsSync(candidate));
  if (setprivPath === undefined) return { setprivPath: null };
  try {
    const arguments_ = ['--no-new-privs', '--', '/bin/cat', '/proc/self/status'];
    const { stdout } = await promisify(execFile)(setprivPath, arguments_, { env: {}, timeout: probeTimeoutMs });
    return { setprivPath: /^NoNewPrivs:\s*1$/m.test(stdout) ? setprivPath : null };
  } catch {
    // Whatever is wrong with it: it does not do what we need it for.
    return { setprivPath: null };
  }
}

function processLevel(setprivPath: string): LevelDecision {
  return { level: 'process', launcher: [setprivPath, '--no-new-privs', '--'], notice: null };
}

function unavailable(level: SandboxLevel, reason: string): Harness9Error {
  return new Harness9Error({
    code: 'SANDBOX_UNAVAILABLE',
    message: `sandbox "${level}" cannot be had here: ${reason}`,
    hint: 'Let sandbox be auto, process or readonly.',
  });
}
