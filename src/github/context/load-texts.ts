// Owns which of a thread's texts belong to the context, as they were before the request, cleaned and with their authors' roles.
import type { RunPlan } from '../../schema/gate.ts';
import type { TaskItem } from '../../schema/task.ts';
import type { Account } from '../api.ts';
import { isChosen } from '../chosen-actors.ts';
import { parseMarker, withoutMarker } from '../marker.ts';
import type { ThreadText, ThreadTexts } from '../thread-texts.ts';
import { keepNewest } from './fit-budget.ts';
import type { TextSource } from './load-html.ts';
import { sanitize } from './sanitize.ts';
import type { LoadedItem, Section, Source } from './section.ts';

/** One text, before it is cleaned. */
export interface RawText {
  readonly kind: TaskItem['kind'];
  /** Where its HTML is; null: it is no Markdown and shows no pictures. */
  readonly source: TextSource | null;
  readonly user: Account | null;
  readonly createdAt: string;
  /** Absent: never, or it is not known. */
  readonly editedAt?: string;
  readonly text: string;
  /** What its author’s mark would stand in; absent: the text itself. */
  readonly marked?: string;
  readonly notes?: readonly string[];
}

/** All comments together, and one alone; a longer one is rarely a person's. */
const maxSectionBytes = 65_536;
const maxCommentLength = 16_384;

/** The comments of an issue, a pull request or a discussion; of that one branch by branch, the one that the request stands in last. */
export async function loadComments({ texts, unread }: ThreadTexts, source: Source, signal: AbortSignal): Promise<Section> {
  const comments = texts.filter(({ kind }) => kind === 'comment');
  const { chosen, omitted } = await chooseTexts(comments, 'comments', source, signal);
  const groups = inBranches(chosen, source.plan).map((group) => group.map((text) => ({ ...text, text: text.body })));
  const { kept, dropped } = keepNewest(groups, maxSectionBytes);
  const items = await Promise.all(kept.map((group) => Promise.all(group.map((text) => toComment(text, source, signal)))));
  const missing = groups.slice(0, dropped).flat().length;
  return {
    groups: items,
    omitted: [...omitted, ...describeMissing({ dropped: missing, unread: unread.comment, all: chosen.length }, 'comments')],
  };
}

/** Elsewhere each text is alone. */
function inBranches(texts: readonly ThreadText[], { channel }: RunPlan): readonly (readonly ThreadText[])[] {
  if (channel?.kind !== 'discussion') return texts.map((text) => [text]);
  const branches = [...Map.groupBy(texts, ({ branch }) => branch)];
  const lastOf = ([branch, group]: (typeof branches)[number]) =>
    branch === channel.replyTo ? Number.POSITIVE_INFINITY : Math.max(...group.map(({ createdAt }) => Date.parse(createdAt)));
  return branches.toSorted((left, right) => lastOf(left) - lastOf(right)).map(([, group]) => group);
}

/** `dropped` of `all` have no room; `unread` more were not even read. */
export function describeMissing(
  { dropped, unread, all }: { readonly dropped: number; readonly unread: number; readonly all: number },
  name: string,
): readonly string[] {
  return dropped + unread === 0 ? [] : [`the ${dropped + unread} oldest of ${all + unread} ${name}, for their size`];
}

export interface Chosen<T> {
  readonly chosen: readonly T[];
  readonly omitted: readonly string[];
}

/** Those of `texts` that stood there as they are before the request, by people whose texts are wanted; and what of the others is to be said. */
export async function chooseTexts<T extends ThreadText>(
  texts: readonly T[],
  name: string,
  source: Source,
  signal: AbortSignal,
): Promise<Chosen<T>> {
  const { plan } = source;
  const asked = Date.parse(plan.trigger.at);
  // The same second counts as after (B5), but for what was submitted in it with the request.
  const isBefore = (time: string, text: ThreadText) =>
    isPartOfRequest(text, plan) ? Date.parse(time) <= asked : Date.parse(time) < asked;
  const earlier = texts.filter((text) => !isTrigger(text, plan) && !isOurProgress(text, plan) && isBefore(text.createdAt, text));
  const wanted = earlier.filter((text) => isWanted(text, plan));
  const unchanged = wanted.filter((text) => isBefore(text.updatedAt, text));
  const chosen = isForWriters(plan) ? await keepWriters(unchanged, source, signal) : unchanged;
  const why = [
    [wanted.length - unchanged.length, 'that were edited after the request'],
    [earlier.length - wanted.length, 'by accounts that the workflow leaves out'],
    [unchanged.length - chosen.length, 'by people who may not write here'],
  ] as const;
  return { chosen, omitted: why.flatMap(([count, clause]) => (count === 0 ? [] : [`${count} ${name} ${clause}`])) };
}

/**
 * Nothing by people who may not write here where the plan says so, and none in a trusted run: what the gate did not see then (a text of a
 * linked issue, one that came up where newer ones were deleted, one whose author lost the right) must not be read with a trusted run's means.
 */
export function isForWriters({ context, trust }: RunPlan): boolean {
  return context === 'writers' || trust === 'trusted';
}

/** Before the budget, so that the texts of others take no room. */
async function keepWriters<T extends ThreadText>(
  texts: readonly T[],
  source: Source,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const roles = await Promise.all(texts.map(({ user, body }) => roleOf({ user, marked: body }, source, signal)));
  return texts.filter((_text, index) => isOfWriter(roles[index] ?? 'ghost'));
}

/** Whose texts a run for writers is shown. */
export function isOfWriter(role: TaskItem['role']): boolean {
  return role === 'writer' || role === 'self' || role === 'account';
}

/** The request is the instruction. */
function isTrigger({ kind, id }: ThreadText, { trigger: { target } }: RunPlan): boolean {
  if (target === null) return false;
  if (target.kind === 'review_comment') return kind === 'review_comment' && target.id === id;
  return target.kind === 'issue_comment' && kind === 'comment' && target.id === id;
}

/** A comment in the diff that was submitted with the review whose text is the request. */
export function isPartOfRequest({ place }: ThreadText, { trigger }: RunPlan): boolean {
  return place !== null && place.review !== null && trigger.id === `pull_request_review-${place.review}`;
}

/** What we said while an earlier run worked is no conversation. */
function isOurProgress(text: ThreadText, plan: RunPlan): boolean {
  return isOurs(text, plan) && parseMarker(text.body)?.kind === 'progress';
}

function isOurs({ user }: ThreadText, plan: RunPlan): boolean {
  return Number(user?.id) === plan.self.id;
}

/** What this agent said belongs to every conversation with it, be its account a bot's. */
function isWanted(text: ThreadText, plan: RunPlan): boolean {
  return isChosen(text.user?.login ?? 'ghost', plan.actors) || (isOurs(text, plan) && parseMarker(text.body) !== null);
}

/** One of the texts below the first post. */
export async function toComment(text: ThreadText, source: Source, signal: AbortSignal): Promise<LoadedItem> {
  const { kind, user, createdAt, updatedAt, body, remark } = text;
  const raw = { kind, source: placeOf(text, source.plan), user, createdAt, text: body };
  const edited = updatedAt === createdAt ? {} : { editedAt: updatedAt };
  return toItem({ ...raw, ...edited, notes: remark === null ? [] : [remark] }, source, signal, maxCommentLength);
}

function placeOf({ kind, id, nodeId }: ThreadText, { thread }: RunPlan): TextSource | null {
  if (nodeId !== null) return { kind: 'node', id: nodeId };
  return thread === null ? null : { kind, id, thread: thread.number };
}

/** The text cleaned, with its author's role by the permission API. */
export async function toItem(raw: RawText, source: Source, signal: AbortSignal, maxLength?: number): Promise<LoadedItem> {
  const role = await roleOf({ user: raw.user, marked: raw.marked ?? raw.text }, source, signal);
  const { text, notes, images: addresses } = sanitize(role === 'self' ? withoutMarker(raw.text) : raw.text, maxLength);
  const images = addresses.length === 0 || raw.source === null ? {} : { images: { addresses, source: raw.source } };
  const { kind, user, createdAt, editedAt } = raw;
  const written = { createdAt, ...(editedAt === undefined ? {} : { editedAt }) };
  return { kind, author: user?.login ?? 'ghost', role, ...written, text, notes: [...(raw.notes ?? []), ...notes], ...images };
}

/** An account that is gone is a `ghost` (G1-05). */
async function roleOf(
  { user, marked }: { readonly user: Account | null; readonly marked: string },
  { plan, isWriter }: Source,
  signal: AbortSignal,
): Promise<TaskItem['role']> {
  if (user === null || user.login === 'ghost') return 'ghost';
  const isOurs = Number(user.id) === plan.self.id;
  if (isOurs && parseMarker(marked) !== null) return 'self';
  // A person whose token we have is who he is; the Actions bot is every job here.
  if (isOurs && user.login.endsWith('[bot]')) return 'account';
  return (await isWriter(user.login, signal)) ? 'writer' : 'outsider';
}
