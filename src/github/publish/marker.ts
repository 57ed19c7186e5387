// The hidden line by which a later process knows our comments again; the state of publishing lives in GitHub and not in a process. Pure.

export type MarkerKind = 'progress' | 'reply' | 'pull_request';

export interface Marker {
  readonly trigger: string;
  readonly kind: MarkerKind;
}

/** The marker's line. A trigger's id holds letters, digits, `_`, `.` and `-` only; anything else would end the comment. */
export function renderMarker({ trigger, kind }: Marker): string {
  return `<!-- harness9:v1 trigger=${trigger.replace(/[^\w.-]/g, '_')} kind=${kind} -->`;
}

/** Whether a body begins with exactly this marker. Who wrote it has to be checked as well (G8). */
export function hasMarker(body: string, marker: Marker): boolean {
  return body.startsWith(`${renderMarker(marker)}\n`);
}
