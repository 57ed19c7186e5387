// Owns what our own texts on a thread say: which triggers are taken up or answered, and how many runs that were. By author and marker, nothing else (G8).
import type { ThreadFacts } from '../../schema/gate.ts';
import { parseMarker, triggersOf } from '../marker.ts';
import type { ThreadText } from '../thread-texts.ts';

const dayMs = 86_400_000;

/** The triggers of our replies, those they name beside their own included, the triggers that a run is at work on, and its last sign of life. */
export function sortOwn(
  texts: readonly ThreadText[],
  selfId: number,
): Pick<ThreadFacts, 'answered' | 'announced' | 'progressAt'> {
  const own = texts.filter(({ user }) => Number(user?.id) === selfId);
  const answered = new Set<string>();
  const announced = new Map<string, string>();
  for (const { body, updatedAt } of own) {
    const marker = parseMarker(body);
    if (marker === null) continue;
    const names = triggersOf(marker);
    if (marker.kind === 'reply') for (const name of names) answered.add(name);
    if (marker.kind === 'progress') for (const name of names) announced.set(name, updatedAt);
  }
  const open = [...announced].filter(([id]) => !answered.has(id));
  const signs = open.map(([, at]) => at).sort();
  return { answered: [...answered], announced: open.map(([id]) => id), progressAt: signs.at(-1) ?? null };
}

/** Whether the newest of our replies that leaves work open was to merge the base, and no later one did. */
export function hasOpenMerge(texts: readonly ThreadText[], selfId: number): boolean {
  const replies = texts
    .filter(({ user }) => Number(user?.id) === selfId)
    .map(({ body, createdAt }) => ({ marker: parseMarker(body), at: Date.parse(createdAt) }))
    .filter(({ marker }) => marker?.kind === 'reply' && (marker.isOpen === true || marker.merge !== undefined));
  // Of two in the same second the later one in the list.
  const newest = replies
    .toReversed()
    .reduce<(typeof replies)[number] | null>((best, each) => (best === null || each.at > best.at ? each : best), null);
  return newest?.marker?.merge === 'open';
}

/** Accepted triggers that we answered in the day before `observedAt`: a run's progress and reply carry the same trigger and count once. */
export function countRuns(texts: readonly ThreadText[], selfId: number, observedAt: string): number {
  const since = Date.parse(observedAt) - dayMs;
  const ours = texts.filter(({ user, createdAt }) => Number(user?.id) === selfId && Date.parse(createdAt) >= since);
  return new Set(ours.flatMap(({ body }) => parseMarker(body)?.trigger ?? [])).size;
}
