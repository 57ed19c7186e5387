// A run's events as lines of JSON in a file, redacted, each written as it comes. Decides nothing about the run, and never stops it.
import { messageOf } from '../schema/error.ts';
import { isRecord } from '../schema/record.ts';
import type { EngineEvent } from '../schema/run.ts';
import type { Clock, Log } from '../schema/world.ts';
import { WrittenFile } from './written-file.ts';

export interface TranscriptOptions {
  /** Must not be there yet; its folder must be. */
  readonly file: string;
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** What goes wrong with it is one line of the log and the `problem` at its end; the run goes on. */
export interface Transcript {
  /** What stands in the first line besides type, version and time. Only what is said before the first event counts. */
  header(fields: Readonly<Record<string, unknown>>): void;
  onEvent(event: EngineEvent): void;
  /** Ends it, and compares the file with what was written: to be believed when no command can run any more. */
  close(): Promise<{ readonly file: string } | { readonly problem: string }>;
}

type Redact = (text: string) => string;
type Delta = Extract<EngineEvent, { readonly type: 'action_delta' | 'thinking_delta' }>;

/** Begins the file, readable for its owner only; one that is there already, or a symbolic link, is never written to. */
export function openTranscript({ file, redact, clock, log }: TranscriptOptions): Transcript {
  const written = new WrittenFile(file, (problem) => log(`[transcript] warning=not_kept problem=${problem}`));
  const now = (): string => clock.now().toISOString();
  const write = createLineWriter(written, redact, log);
  let hasHeader = false;
  /** Deltas of one kind and turn, joined until something else comes. */
  let deltas: { readonly first: Delta; readonly at: string; text: string } | undefined;

  const header: Transcript['header'] = (fields) => {
    if (!hasHeader) write({ type: 'transcript', version: 1, startedAt: now() }, fields);
    hasHeader = true;
  };
  const writeEvent = (at: string, { type, turn, ...rest }: EngineEvent): void => write({ at, type, turn }, rest);
  const flush = (): void => {
    if (deltas !== undefined) writeEvent(deltas.at, { ...deltas.first, data: deltas.text });
    deltas = undefined;
  };
  return {
    header,
    onEvent(event) {
      header({});
      const isDelta = event.type === 'action_delta' || event.type === 'thinking_delta';
      if (isDelta && deltas?.first.type === event.type && deltas.first.turn === event.turn) {
        deltas.text += event.data;
        return;
      }
      flush();
      if (isDelta) deltas = { first: event, at: now(), text: event.data };
      else writeEvent(now(), event);
    },
    async close() {
      header({});
      flush();
      const problem = await written.close();
      return problem === undefined ? { file } : { problem };
    },
  };
}

/** Writes lines: what is ours as it is, the rest redacted. What cannot be redacted is left out, and the line says so. */
function createLineWriter(written: WrittenFile, redact: Redact, log: Log) {
  let isTold = false;
  return (own: Readonly<Record<string, unknown>>, rest: Readonly<Record<string, unknown>>): void => {
    const lineOf = (more: Readonly<Record<string, unknown>>): string => `${JSON.stringify({ ...own, ...more, ...own })}\n`;
    try {
      written.write(lineOf(cleanRecord(rest, redact)));
    } catch (error) {
      if (!isTold) log(`[transcript] warning=event_left_out error=${messageOf(error)}`);
      isTold = true;
      written.write(lineOf({ leftOut: true }));
    }
  };
}

/** Every text in `value` redacted, names of members as they are; a picture is told by its size. */
function clean(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => clean(item, redact));
  if (!isRecord(value)) return value;
  if (value.type === 'image' && typeof value.data === 'string') {
    return { type: 'image', mediaType: clean(value.mediaType, redact), bytes: Buffer.byteLength(value.data, 'base64') };
  }
  return cleanRecord(value, redact);
}

function cleanRecord(value: Readonly<Record<string, unknown>>, redact: Redact): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, clean(member, redact)]));
}
