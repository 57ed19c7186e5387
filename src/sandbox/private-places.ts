// An empty home and an empty temporary directory for what runs beside the agent, and their end.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { PrivatePlaces } from './child-environment.ts';

/** Makes both under `parent`, readable by the owner only. `remove` takes them away with everything in them. */
export async function createPrivatePlaces(parent: string): Promise<PrivatePlaces & { remove(): Promise<void> }> {
  const base = await mkdtemp(path.join(parent, 'harness9-'));
  const home = path.join(base, 'home');
  const tmpDir = path.join(base, 'tmp');
  await Promise.all([mkdir(home, { mode: 0o700 }), mkdir(tmpDir, { mode: 0o700 })]);
  return { home, tmpDir, remove: () => rm(base, { recursive: true, force: true }) };
}
