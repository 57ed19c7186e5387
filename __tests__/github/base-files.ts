// The files of a base commit as a run of the Action gets them, in a workspace that stands on its head already.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { GuidanceFiles } from '../../src/compose/guidance.ts';
import { prepareWorkspace } from '../../src/compose/workspace.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import { never, type Place } from './git-workspace.ts';
import { plan } from './plan-and-bundle.ts';

/** By the way that a run takes: the workspace is prepared, and left as it was. */
export async function baseFilesOf(place: Place, commit: string): Promise<GuidanceFiles> {
  const head = place.git('rev-parse', 'HEAD').trim();
  const workspace = await prepareWorkspace(
    {
      plan: { ...plan, base: { branch: 'main', sha: commit }, checkoutSha: head, tools: 'read_only' },
      workDir: place.workDir,
      stateDir: mkdtempSync(join(place.root, 'state-')),
      serverUrl: 'https://github.com',
      token: 'none',
      world: { env: process.env, clock: systemClock },
    },
    never,
  );
  await workspace.restore();
  return workspace.baseFiles;
}
