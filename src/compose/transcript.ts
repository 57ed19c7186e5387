// The transcript of a run: its events as lines of a file, where one is wished.
import { openTranscript } from '../observe/transcript.ts';
import type { EngineEvent } from '../schema/run.ts';
import type { World } from '../schema/world.ts';
import type { Outgoing } from './outgoing.ts';

export interface RunTranscript {
  readonly onEvent: (event: EngineEvent) => void;
  /** The file, when it is what was written; null when there is none to be handed out. */
  close(): Promise<string | null>;
}

const none: RunTranscript = { onEvent: () => undefined, close: async () => null };

/** Begins the transcript in `file`; null: none. What goes wrong with it is a line of the log. */
export function startTranscript(
  file: string | null,
  { world, log, redactor }: Outgoing & { readonly world: Pick<World, 'clock'> },
): RunTranscript {
  if (file === null) return none;
  const transcript = openTranscript({ file, redact: redactor.outward, clock: world.clock, log });
  return {
    onEvent: transcript.onEvent,
    close: async () => {
      const end = await transcript.close();
      if ('file' in end) return end.file;
      log(`[transcript] ${end.problem}`);
      return null;
    },
  };
}
