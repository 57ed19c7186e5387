// Owns the hidden line by which a later process knows our comments again; the state of publishing lives in GitHub and not in a process. Pure.
import { type Trust, trustSchema } from '../schema/gate.ts';

/** `report`: an issue that holds the newest report of a workflow and job. `finding`: a review's comment on lines. `proposal`: changes to click. */
const kinds = ['progress', 'reply', 'pull_request', 'report', 'finding', 'proposal'] as const;
export type MarkerKind = (typeof kinds)[number];

export interface Marker {
  readonly trigger: string;
  readonly kind: MarkerKind;
  /** Of a pull request and a report: whose it is, and how far the run that wrote it was trusted. */
  readonly origin?: { readonly thread: string; readonly trust: Trust };
  /** Earlier triggers that are answered as well. */
  readonly also?: readonly string[];
  /** Of a reply: its work was not at its end, and `continue` or `approve` goes on with it. */
  readonly isOpen?: boolean;
  /** Of a reply: the base was to be merged, and is (`done`), or is not (`open`). */
  readonly merge?: 'open' | 'done';
  /** Of a report and a finding: a hash of what it says, without the figures of its run. */
  readonly says?: string;
}

const opening = '<!-- harness9:v1 ';

/** The marker's line. */
export function renderMarker({ trigger, kind, origin, also = [], isOpen, merge, says }: Marker): string {
  const words = [
    `trigger=${toWord(trigger)}`,
    `kind=${kind}`,
    ...(origin === undefined ? [] : [`thread=${toWord(origin.thread)}`, `trust=${origin.trust}`]),
    ...(also.length === 0 ? [] : [`also=${also.map(toWord).join(',')}`]),
    ...(isOpen === true ? ['open=true'] : []),
    ...(merge === undefined ? [] : [`merge=${merge}`]),
    ...(says === undefined ? [] : [`says=${toWord(says)}`]),
  ];
  return `${opening}${words.join(' ')} -->`;
}

/** The ids of triggers and threads hold letters, digits, `_`, `.` and `-` only; anything else would end the comment. */
function toWord(id: string): string {
  return id.replace(/[^\w.-]/g, '_');
}

/** A body of ours: the marker and the text below it. */
export function renderMarked(marker: Marker, text: string): string {
  return `${renderMarker(marker)}\n${text}`;
}

const line = /^<!-- harness9:v1 ((?:[a-z]+=[\w.,-]+ ){2,})-->(?:\r?\n|$)/;

/** The marker that a body begins with, or null. What we write begins with it; who wrote it has to be checked as well (G8). */
export function parseMarker(body: string): Marker | null {
  const words = line.exec(body)?.[1]?.trim().split(' ') ?? [];
  const values = new Map(words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]));
  const [trigger, thread, also, says, merge] = ['trigger', 'thread', 'also', 'says', 'merge'].map((name) => values.get(name));
  const kind = kinds.find((known) => known === values.get('kind'));
  if (trigger === undefined || kind === undefined) return null;
  const trust = trustSchema.safeParse(values.get('trust')).data;
  return {
    trigger,
    kind,
    ...(thread === undefined || trust === undefined ? {} : { origin: { thread, trust } }),
    ...(also === undefined ? {} : { also: also.split(',') }),
    ...(values.get('open') === 'true' ? { isOpen: true } : {}),
    ...(merge === 'open' || merge === 'done' ? { merge } : {}),
    ...(says === undefined ? {} : { says }),
  };
}

/** Everything that what carries the marker is about. */
export function triggersOf({ trigger, also = [] }: Marker): readonly string[] {
  return [trigger, ...also];
}

/** A body of ours as people read it. */
export function withoutMarker(body: string): string {
  return parseMarker(body) === null ? body : body.replace(line, '');
}

/** Whether a body begins with a marker of this trigger and kind, whatever else it says. */
export function hasMarker(body: string, { trigger, kind }: Pick<Marker, 'trigger' | 'kind'>): boolean {
  const found = parseMarker(body);
  return found?.kind === kind && found.trigger === toWord(trigger);
}

/** Whether a marker of any kind stands anywhere in a body, a quoted or a broken one too: then it is never a request (A5). */
export function carriesMarker(body: string): boolean {
  return body.includes(opening);
}
