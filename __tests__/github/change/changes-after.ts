// Measures a workspace around what a test's agent does to it.
import { collectChanges } from '../../../src/github/change/collect-changes.ts';
import { takeManifest } from '../../../src/github/change/manifest.ts';
import type { ChangeLimits } from '../../../src/github/change/tally.ts';
import { baseOf, never, type Place, runGit } from '../git-workspace.ts';

export const limits: ChangeLimits = { maxPatchFiles: 100, maxPatchBytes: 1024 * 1024, maxDeletions: 100 };

/** Takes the manifest, lets the agent work, and collects. */
export async function changesAfter(place: Place, work: () => void, more: Partial<ChangeLimits> = {}) {
  const base = await baseOf(place);
  const commit = place.git('rev-parse', 'HEAD').trim();
  const before = await takeManifest(
    { workDir: place.workDir, commit, git: runGit, base, clock: { now: () => new Date() } },
    never,
  );
  work();
  return collectChanges({ before, workDir: place.workDir, base, limits: { ...limits, ...more } }, never);
}
