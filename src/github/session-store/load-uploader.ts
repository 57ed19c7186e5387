// Loads the official artifact client when something is uploaded, so that a run's start does not pay for it.
import type { ArtifactUploader } from './artifact-store.ts';

/** The client of `@actions/artifact`; it reads the runner's environment itself. */
export async function loadArtifactUploader(): Promise<ArtifactUploader> {
  const { DefaultArtifactClient } = await import('@actions/artifact');
  return new DefaultArtifactClient();
}
