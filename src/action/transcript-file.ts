// Where a run's transcript lies. A name only.
import path from 'node:path';

/** In the run's private folder. */
export function transcriptFileOf(stateDir: string): string {
  return path.join(stateDir, 'transcript.jsonl');
}
