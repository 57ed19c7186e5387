// The transcript of a run: its events as lines of a file, where one is wished.
import { openTranscript } from '../observe/transcript.ts';
import { type Part, textOf } from '../schema/message.ts';
import type { EngineEvent } from '../schema/run.ts';
import type { World } from '../schema/world.ts';
import type { Outgoing } from './outgoing.ts';
import { version } from './version.ts';

/** What a run is of, for whoever reads its events. */
export interface RunHead {
  readonly model: string;
  readonly prompt: string | readonly Part[];
  /** Where it is to be seen. */
  readonly url?: string;
}

export interface RunTranscript {
  /** Before the first event; later it says nothing. */
  readonly begin: (head: RunHead) => void;
  readonly onEvent: (event: EngineEvent) => void;
  /** The file, when it is what was written; null when there is none to be handed out. */
  close(): Promise<string | null>;
}

const none: RunTranscript = { begin: () => undefined, onEvent: () => undefined, close: async () => null };

/** Begins the transcript in `file`; null: none. What goes wrong with it is a line of the log. */
export function startTranscript(
  file: string | null,
  { world, log, redactor }: Outgoing & { readonly world: Pick<World, 'clock'> },
): RunTranscript {
  if (file === null) return none;
  const transcript = openTranscript({ file, redact: redactor.outward, clock: world.clock, log });
  return {
    begin: ({ prompt, ...head }) =>
      transcript.header({ harness9: version, ...head, prompt: typeof prompt === 'string' ? prompt : textOf(prompt) }),
    onEvent: transcript.onEvent,
    close: async () => {
      const end = await transcript.close();
      return 'file' in end ? end.file : null;
    },
  };
}
