// Owns the reading of a thread's comments as they were before the request, cleaned and with their authors' roles.
import type { RunPlan } from '../../schema/gate.ts';
import type { TaskItem } from '../../schema/task.ts';
import type { GitHubApi } from '../api.ts';
import type { WriterLookup } from '../event/load-permission.ts';
import { keepNewest } from './fit-budget.ts';
import { sanitize } from './sanitize.ts';

export interface Account {
  readonly login: string;
  readonly id: number | bigint;
}

export interface Section {
  readonly items: readonly TaskItem[];
  readonly omitted: readonly string[];
}

/** What every part of the context is loaded with. */
export interface Source {
  readonly api: GitHubApi;
  readonly plan: RunPlan;
  readonly isWriter: WriterLookup;
}

/** One text, before it is cleaned. */
export interface RawText {
  readonly id: number;
  readonly kind: TaskItem['kind'];
  readonly user: Account | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly text: string;
}

/** All comments together, and one alone; a longer one is rarely a person's. */
const maxSectionBytes = 65_536;
const maxCommentLength = 16_384;

/** Comments of an issue or a pull request, and on the latter reviews and review comments too. */
export async function loadComments(source: Source, signal: AbortSignal): Promise<Section> {
  const { api, plan } = source;
  const { owner, name: repo } = plan.repository;
  const number = plan.thread?.number ?? 0;
  const issue = { owner, repo, issue_number: number };
  const comments: RawText[] = [];
  for await (const page of api.pages('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', issue, signal)) {
    comments.push(...page.map((item) => toText('comment', item, item.body ?? '')));
  }
  const discussion = await toSection(comments, 'comments', source, signal);
  if (plan.thread?.kind !== 'pull_request') return discussion;
  const review = await toSection(await loadReviewTexts(source, signal), 'review comments', source, signal);
  return { items: [...discussion.items, ...review.items], omitted: [...discussion.omitted, ...review.omitted] };
}

async function loadReviewTexts({ api, plan }: Source, signal: AbortSignal): Promise<readonly RawText[]> {
  const { owner, name: repo } = plan.repository;
  const pull = { owner, repo, pull_number: plan.thread?.number ?? 0 };
  const texts: RawText[] = [];
  for await (const page of api.pages('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews', pull, signal)) {
    const written = page.filter((review) => review.body !== '');
    texts.push(...written.map((review) => toText('review_comment', { ...review, created_at: review.submitted_at }, review.body)));
  }
  for await (const page of api.pages('GET /repos/{owner}/{repo}/pulls/{pull_number}/comments', pull, signal)) {
    texts.push(...page.map((item) => toText('review_comment', item, `${item.path}:${item.line ?? '(outdated)'}\n${item.body}`)));
  }
  return texts.toSorted((left, right) => Date.parse(left.createdAt) - Date.parse(right.createdAt));
}

interface Written {
  readonly id: number | bigint;
  readonly user?: Account | null;
  readonly created_at?: string | undefined;
  readonly updated_at?: string;
}

function toText(kind: TaskItem['kind'], item: Written, text: string): RawText {
  const createdAt = item.created_at ?? '';
  return { id: Number(item.id), kind, user: item.user ?? null, createdAt, updatedAt: item.updated_at ?? createdAt, text };
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
  return Number(user?.id) === plan.self.id && /^<!-- harness9:v1 [^>]*kind=progress/.test(text);
}

/** The text cleaned, with its author's role by the permission API. */
export async function toItem(raw: RawText, source: Source, signal: AbortSignal, maxLength?: number): Promise<TaskItem> {
  const { text, notes } = sanitize(raw.text, maxLength);
  const role = await roleOf(raw.user, source, signal);
  return { kind: raw.kind, author: raw.user?.login ?? 'ghost', role, createdAt: raw.createdAt, text, notes };
}

/** An account that is gone is a `ghost` (G1-05). */
export async function roleOf(user: Account | null, { plan, isWriter }: Source, signal: AbortSignal): Promise<TaskItem['role']> {
  if (user === null || user.login === 'ghost') return 'ghost';
  if (Number(user.id) === plan.self.id) return 'self';
  return (await isWriter(user.login, signal)) ? 'writer' : 'outsider';
}
