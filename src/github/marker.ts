// Owns the hidden line by which a later process knows our comments again; the state of publishing lives in GitHub and not in a process. Pure.

const kinds = ['progress', 'reply', 'pull_request'] as const;
export type MarkerKind = (typeof kinds)[number];

export interface Marker {
  readonly trigger: string;
  readonly kind: MarkerKind;
}

const opening = '<!-- harness9:v1 ';

/** The marker's line. A trigger's id holds letters, digits, `_`, `.` and `-` only; anything else would end the comment. */
export function renderMarker({ trigger, kind }: Marker): string {
  return `${opening}trigger=${trigger.replace(/[^\w.-]/g, '_')} kind=${kind} -->`;
}

/** A body of ours: the marker and the text below it. */
export function renderMarked(marker: Marker, text: string): string {
  return `${renderMarker(marker)}\n${text}`;
}

/** The marker that a body begins with, or null. What we write begins with it; who wrote it has to be checked as well (G8). */
export function parseMarker(body: string): Marker | null {
  const match = /^<!-- harness9:v1 trigger=([\w.-]+) kind=(\w+) -->(?:\n|$)/.exec(body);
  const kind = kinds.find((known) => known === match?.[2]);
  return match?.[1] === undefined || kind === undefined ? null : { trigger: match[1], kind };
}

/** Whether a body begins with exactly this marker. */
export function hasMarker(body: string, marker: Marker): boolean {
  return body.startsWith(`${renderMarker(marker)}\n`);
}

/** Whether a marker of any kind stands anywhere in a body, a quoted or a broken one too: then it is never a request (A5). */
export function carriesMarker(body: string): boolean {
  return body.includes(opening);
}
