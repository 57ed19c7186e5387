// Owns the reading of a thread's comments as they were before the request, cleaned and with their authors' roles.
import type { RunPlan } from '../../schema/gate.ts';
import type { TaskItem } from '../../schema/task.ts';
import type { Account, RepositoryApi } from '../api.ts';
import type { WriterLookup } from '../event/load-permission.ts';
import { parseMarker, withoutMarker } from '../marker.ts';
import { loadThreadTexts, type ThreadText } from '../thread-texts.ts';
import { keepNewest } from './fit-budget.ts';
import type { TextSource } from './load-html.ts';
import type { TextImages } from './load-pictures.ts';
import { sanitize } from './sanitize.ts';

export type Thread = NonNullable<RunPlan['thread']>;

/** An item before its pictures are loaded; absent: it has none. */
export type LoadedItem = TaskItem & { readonly images?: TextImages };

export interface Section {
  readonly items: readonly LoadedItem[];
  readonly omitted: readonly string[];
}

/** What every part of the context is loaded with. */
export interface Source extends RepositoryApi {
  readonly plan: RunPlan;
  readonly isWriter: WriterLookup;
}

/** One text, before it is cleaned. */
export interface RawText {
  readonly id: number;
  readonly kind: TaskItem['kind'];
  /** Where its HTML is; null: it is no Markdown and shows no pictures. */
  readonly source: TextSource | null;
  readonly user: Account | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly text: string;
}

/** All comments together, and one alone; a longer one is rarely a person's. */
const maxSectionBytes = 65_536;
const maxCommentLength = 16_384;

/** Comments of an issue or a pull request, and on the latter reviews and review comments too. */
export async function loadComments(thread: Thread, source: Source, signal: AbortSignal): Promise<Section> {
  const texts = await loadThreadTexts(thread, source, signal);
  const comments = texts.filter(({ kind }) => kind === 'comment').map((text) => toRawText(text, thread));
  const discussion = await toSection(comments, 'comments', source, signal);
  const review = await toSection(reviewTexts(texts, thread), 'review comments', source, signal);
  return { items: [...discussion.items, ...review.items], omitted: [...discussion.omitted, ...review.omitted] };
}

/** Reviews that say something, and review comments, in the order of their time. */
function reviewTexts(texts: readonly ThreadText[], thread: Thread): readonly RawText[] {
  const written = texts.filter(({ kind, body }) => kind === 'review_comment' || (kind === 'review' && body !== ''));
  return written
    .map((text) => toRawText(text, thread))
    .toSorted((left, right) => Date.parse(left.createdAt) - Date.parse(right.createdAt));
}

function toRawText({ kind, id, user, createdAt, updatedAt, body, place }: ThreadText, { number }: Thread): RawText {
  const text = place === null ? body : `${place}\n${body}`;
  const source = { kind, id, thread: number };
  return { id, kind: kind === 'comment' ? 'comment' : 'review_comment', source, user, createdAt, updatedAt, text };
}

async function toSection(texts: readonly RawText[], name: string, source: Source, signal: AbortSignal): Promise<Section> {
  const { trigger } = source.plan;
  const asked = Date.parse(trigger.at);
  const isTrigger = (text: RawText) => trigger.target !== null && 'id' in trigger.target && trigger.target.id === text.id;
  // The same second counts as after (B5).
  const earlier = texts.filter(
    (text) => !isTrigger(text) && !isOurProgress(text, source.plan) && Date.parse(text.createdAt) < asked,
  );
  const unchanged = earlier.filter((text) => Date.parse(text.updatedAt) < asked);
  const edited = earlier.length - unchanged.length;
  const { kept, dropped } = keepNewest(unchanged, maxSectionBytes);
  return {
    items: await Promise.all(kept.map((text) => toItem(text, source, signal, maxCommentLength))),
    omitted: [
      ...(edited > 0 ? [`${edited} ${name} that were edited after the request`] : []),
      ...(dropped > 0 ? [`the ${dropped} oldest of ${unchanged.length} ${name}, for their size`] : []),
    ],
  };
}

/** What we said while an earlier run worked is no conversation. */
function isOurProgress({ user, text }: RawText, plan: RunPlan): boolean {
  return Number(user?.id) === plan.self.id && parseMarker(text)?.kind === 'progress';
}

/** The text cleaned, with its author's role by the permission API. */
export async function toItem(raw: RawText, source: Source, signal: AbortSignal, maxLength?: number): Promise<LoadedItem> {
  const role = await roleOf(raw.user, source, signal);
  const { text, notes, images: addresses } = sanitize(role === 'self' ? withoutMarker(raw.text) : raw.text, maxLength);
  const images = addresses.length === 0 || raw.source === null ? {} : { images: { addresses, source: raw.source } };
  return { kind: raw.kind, author: raw.user?.login ?? 'ghost', role, createdAt: raw.createdAt, text, notes, ...images };
}

/** An account that is gone is a `ghost` (G1-05). */
export async function roleOf(user: Account | null, { plan, isWriter }: Source, signal: AbortSignal): Promise<TaskItem['role']> {
  if (user === null || user.login === 'ghost') return 'ghost';
  if (Number(user.id) === plan.self.id) return 'self';
  return (await isWriter(user.login, signal)) ? 'writer' : 'outsider';
}
