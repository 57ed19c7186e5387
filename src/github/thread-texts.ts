// Owns the reading of what people wrote on a thread below its first post; the gate and the task read the same. Judges nothing.
import type { RunPlan } from '../schema/gate.ts';
import type { Account, RepositoryApi } from './api.ts';

export interface ThreadText {
  readonly kind: 'comment' | 'review' | 'review_comment';
  readonly id: number;
  /** null: the account is gone (G1-05). */
  readonly user: Account | null;
  /** ISO times; empty for a review that was not submitted. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly body: string;
  /** For a review comment: `src/cart.ts:12`. */
  readonly place: string | null;
}

/** Comments, and on a pull request its reviews and review comments too, each kind in its order. Rejects where GitHub does not answer. */
export async function loadThreadTexts(
  thread: Pick<NonNullable<RunPlan['thread']>, 'kind' | 'number'>,
  { api, repository }: RepositoryApi,
  signal: AbortSignal,
): Promise<readonly ThreadText[]> {
  const texts: ThreadText[] = [];
  const issue = { ...repository, issue_number: thread.number };
  for await (const page of api.pages('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', issue, signal)) {
    texts.push(...page.map((comment) => toText('comment', comment)));
  }
  if (thread.kind === 'issue') return texts;
  const pull = { ...repository, pull_number: thread.number };
  for await (const page of api.pages('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews', pull, signal)) {
    texts.push(...page.map((review) => toText('review', { ...review, created_at: review.submitted_at })));
  }
  for await (const page of api.pages('GET /repos/{owner}/{repo}/pulls/{pull_number}/comments', pull, signal)) {
    texts.push(...page.map((item) => toText('review_comment', item, `${item.path}:${item.line ?? '(outdated)'}`)));
  }
  return texts;
}

/** What the three answers have in common. */
interface Answered {
  readonly id: number | bigint;
  readonly user?: Account | null;
  readonly body?: string | null | undefined;
  readonly created_at?: string | undefined;
  readonly updated_at?: string | undefined;
}

function toText(kind: ThreadText['kind'], item: Answered, place: string | null = null): ThreadText {
  const createdAt = item.created_at ?? '';
  const updatedAt = item.updated_at ?? createdAt;
  return { kind, id: Number(item.id), user: item.user ?? null, createdAt, updatedAt, body: item.body ?? '', place };
}
