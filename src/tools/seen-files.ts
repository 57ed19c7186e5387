// What the tools last showed or wrote of each file, so that somebody else's change of it is noticed. Holds digests, no content.
import { createHash } from 'node:crypto';

/** By real path. A page counts as the file: who read one knows from which state of the file it is. */
export interface SeenFiles {
  /** `bytes` are what is known of the file from now on. */
  note(file: string, bytes: Uint8Array): void;
  /** Whether the file was seen, and with other bytes than these. */
  isStale(file: string, bytes: Uint8Array): boolean;
}

/** A record of nothing yet. */
export function createSeenFiles(): SeenFiles {
  const digests = new Map<string, string>();
  return {
    note: (file, bytes) => {
      digests.set(file, digestOf(bytes));
    },
    isStale: (file, bytes) => digests.has(file) && digests.get(file) !== digestOf(bytes),
  };
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}
