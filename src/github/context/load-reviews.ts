// Owns what reviewers said: reviews, and the threads in the diff with their place, hunk and state; the thread of the request stands apart.
import type { RunPlan } from '../../schema/gate.ts';
import type { TaskItem } from '../../schema/task.ts';
import type { ReviewPlace, ThreadText, ThreadTexts } from '../thread-texts.ts';
import { keepNewest } from './fit-budget.ts';
import { escapeInvisible, quotePath } from './invisible.ts';
import { unknown } from './load-body.ts';
import { chooseTexts, describeMissing, isPartOfRequest, toComment } from './load-texts.ts';
import { loadReviewStates, type ReviewStates } from './review-states.ts';
import type { Frame, LoadedItem, Section, Source, Thread } from './section.ts';

export interface Reviews {
  /** Reviews and threads, by the time of their newest text. */
  readonly others: Section;
  /** The place that the request is about, and what was said there before. */
  readonly target: Section;
}

/** All of them, the request's thread not counted, and that one. */
const maxSectionBytes = 65_536;
const maxTargetBytes = 32_768;

/** `frame`: the pull request's author, who answers for the lines of a hunk. */
export async function loadReviews(
  { texts, unread }: ThreadTexts,
  { thread, frame }: { readonly thread: Thread; readonly frame: Frame },
  source: Source,
  signal: AbortSignal,
): Promise<Reviews> {
  const written = texts.filter(({ kind, body }) => kind === 'review_comment' || (kind === 'review' && body !== ''));
  const told = await loadReviewStates(thread, written, source, signal);
  const known = written.map((text) => withEditTime(text, told));
  const { chosen, omitted } = await chooseTexts(known, 'review comments', source, signal);
  const roots = Map.groupBy(chosen, (text) => text.place?.root ?? `review ${text.id}`);
  const targets = rootsOfRequest(texts, source.plan);
  const groups = [...roots].filter(([root]) => !targets.has(root)).map(([, group]) => group);
  const meant = [...roots].filter(([root]) => targets.has(root)).map(([, group]) => group);
  const ordered = groups.toSorted((left, right) => newestOf(left) - newestOf(right));
  const { kept, dropped } = keepNewest(ordered.map(withText), maxSectionBytes);
  const say = { unread: unread.review + unread.review_comment, all: ordered.length, dropped };
  const render = (group: readonly ThreadText[]) => toGroup(group, { frame, told }, source, signal);
  return {
    others: {
      groups: await Promise.all(kept.map(render)),
      omitted: [...omitted, ...describeMissing(say, 'reviews and review threads'), ...describeStates(chosen, told)],
    },
    target: await loadTarget(meant, { frame, told }, source, signal),
  };
}

function withText(group: readonly ThreadText[]) {
  return group.map((text) => ({ ...text, text: text.body }));
}

function newestOf(group: readonly ThreadText[]): number {
  return Math.max(...group.map(({ createdAt }) => Date.parse(createdAt)));
}

function describeStates(texts: readonly ThreadText[], { threads }: ReviewStates): readonly string[] {
  const isAsked = threads === unknown && texts.some(({ place }) => place !== null);
  return isAsked ? ['which review threads are resolved, as GitHub did not say'] : [];
}

/** The review thread in which the request was made, or those that it was submitted with. */
function rootsOfRequest(texts: readonly ThreadText[], plan: RunPlan): ReadonlySet<number | string> {
  const { channel, trigger } = plan;
  if (channel?.kind === 'review_thread') return new Set([channel.commentId]);
  const asked = trigger.target?.kind === 'review_comment' ? trigger.target.id : null;
  const meant = texts.filter((text) => (text.kind === 'review_comment' && text.id === asked) || isPartOfRequest(text, plan));
  return new Set(meant.flatMap(({ place }) => place?.root ?? []));
}

interface Told {
  readonly frame: Frame;
  readonly told: ReviewStates;
}

/** A review is its text alone; a thread is its place and then its texts. */
async function toGroup(group: readonly ThreadText[], { frame, told }: Told, source: Source, signal: AbortSignal) {
  const items = await Promise.all(group.map((text) => toComment(text, source, signal)));
  const place = group[0]?.place ?? null;
  if (place !== null) return [renderPlace(place, told, frame), ...items];
  const doubt = told.edits === unknown ? ['whether it was edited after the request could not be verified'] : [];
  return items.map((item): LoadedItem => ({ ...item, notes: [...item.notes, ...doubt] }));
}

/** Of a hunk its last lines: the comment stands below the last one. */
const maxHunkLines = 16;
const maxHunkLength = 4_096;

function renderPlace(place: ReviewPlace, { threads }: ReviewStates, frame: Frame): LoadedItem {
  const lines = place.hunk.split('\n');
  const shown = [...(lines.length > maxHunkLines ? [lines[0] ?? ''] : []), ...lines.slice(-maxHunkLines)].join('\n');
  const known = threads === unknown ? undefined : threads.get(place.root);
  const state = known ?? (place.line === null ? ['outdated'] : []);
  return { ...frame, kind: 'review_thread', text: renderHunk(place, shown), notes: state };
}

function renderHunk({ path, line, startLine }: ReviewPlace, hunk: string): string {
  const range = startLine === null ? `${line}` : `${startLine}-${line}`;
  return escapeInvisible(`${quotePath(path)}:${line === null ? '(outdated)' : range}\n${hunk.slice(-maxHunkLength)}`);
}

/** Where in the diff the request was made and what was said there before, or the threads that it was submitted with. */
async function loadTarget(
  threads: readonly (readonly ThreadText[])[],
  told: Told,
  source: Source,
  signal: AbortSignal,
): Promise<Section> {
  const place = renderTarget(source.plan);
  if (place === null) {
    const { kept, dropped } = keepNewest(threads.map(withText), maxTargetBytes);
    const groups = await Promise.all(kept.map((group) => toGroup(group, told, source, signal)));
    return {
      groups,
      omitted: describeMissing({ dropped, unread: 0, all: threads.length }, 'threads of the request’s own review'),
    };
  }
  const earlier = threads.flatMap(withText);
  const { kept, dropped } = keepNewest(
    earlier.map((text) => [text]),
    maxTargetBytes,
  );
  const items = await Promise.all(kept.flat().map((text) => toComment(text, source, signal)));
  const say = { dropped, unread: 0, all: earlier.length };
  return { groups: [[place, ...items]], omitted: describeMissing(say, 'comments of the request’s own thread') };
}

function renderTarget({ trigger, requester, trust }: RunPlan): TaskItem | null {
  if (trigger.location === undefined) return null;
  const { path, line, diffHunk } = trigger.location;
  return {
    kind: 'reply_target',
    author: requester.login,
    role: trust === 'untrusted' ? 'outsider' : 'writer',
    createdAt: trigger.at,
    text: escapeInvisible(`${quotePath(path)}:${line ?? '(outdated)'}\n${diffHunk}`),
    notes: [],
  };
}

function withEditTime(text: ThreadText, { edits, commentEdits }: ReviewStates): ThreadText {
  const known = text.kind === 'review_comment' ? commentEdits : edits;
  const editedAt = known === unknown ? undefined : known.get(text.id);
  return editedAt === undefined ? text : { ...text, updatedAt: editedAt ?? text.createdAt };
}
