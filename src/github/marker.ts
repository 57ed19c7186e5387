// Owns the hidden line by which a later process knows our comments again; the state of publishing lives in GitHub and not in a process. Pure.
import { type Trust, trustSchema } from '../schema/gate.ts';

const kinds = ['progress', 'reply', 'pull_request'] as const;
export type MarkerKind = (typeof kinds)[number];

export interface Marker {
  readonly trigger: string;
  readonly kind: MarkerKind;
  /** Of a pull request: whose it is, and how far the runs that wrote it were trusted. */
  readonly origin?: { readonly thread: string; readonly trust: Trust };
}

const opening = '<!-- harness9:v1 ';

/** The marker's line. */
export function renderMarker({ trigger, kind, origin }: Marker): string {
  const more = origin === undefined ? '' : ` thread=${toWord(origin.thread)} trust=${origin.trust}`;
  return `${opening}trigger=${toWord(trigger)} kind=${kind}${more} -->`;
}

/** The ids of triggers and threads hold letters, digits, `_`, `.` and `-` only; anything else would end the comment. */
function toWord(id: string): string {
  return id.replace(/[^\w.-]/g, '_');
}

/** A body of ours: the marker and the text below it. */
export function renderMarked(marker: Marker, text: string): string {
  return `${renderMarker(marker)}\n${text}`;
}

const line = /^<!-- harness9:v1 trigger=([\w.-]+) kind=(\w+)(?: thread=([\w.-]+) trust=(\w+))? -->(?:\r?\n|$)/;

/** The marker that a body begins with, or null. What we write begins with it; who wrote it has to be checked as well (G8). */
export function parseMarker(body: string): Marker | null {
  const [, trigger, name, thread, word] = line.exec(body) ?? [];
  const kind = kinds.find((known) => known === name);
  if (trigger === undefined || kind === undefined) return null;
  const trust = trustSchema.safeParse(word).data;
  return { trigger, kind, ...(thread === undefined || trust === undefined ? {} : { origin: { thread, trust } }) };
}

/** A body of ours as people read it. */
export function withoutMarker(body: string): string {
  return parseMarker(body) === null ? body : body.replace(line, '');
}

/** Whether a body begins with exactly this marker. */
export function hasMarker(body: string, marker: Marker): boolean {
  return body.startsWith(`${renderMarker(marker)}\n`);
}

/** Whether a marker of any kind stands anywhere in a body, a quoted or a broken one too: then it is never a request (A5). */
export function carriesMarker(body: string): boolean {
  return body.includes(opening);
}
