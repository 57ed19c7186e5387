// Owns the first post of a thread, which is left out where it was edited after the request (B5).
import { z } from 'zod';
import { GitHubApiError } from '../api.ts';
import { type RawText, toItem } from './load-texts.ts';
import { empty, type Section, type Source } from './section.ts';

const editSchema = z.object({
  repository: z.object({ issueOrPullRequest: z.object({ lastEditedAt: z.string().nullish() }) }),
});
const editQuery = `query ThreadEdit($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) { ... on Issue { lastEditedAt } ... on PullRequest { lastEditedAt } }
  }
}`;

/** Instead of what was asked: GitHub does not say. */
export const unknown = 'unknown' as const;

/** When a text was edited last, an ISO time; null: never; or `unknown`. */
export type EditTime = string | null;

/** `loadEdited` is asked only where there is something to show. */
export async function loadBody(
  raw: RawText,
  loadEdited: () => Promise<EditTime>,
  source: Source,
  signal: AbortSignal,
): Promise<Section> {
  const { trigger, event } = source.plan;
  const isRequest = trigger.kind === 'mention' && (trigger.target?.kind === 'issue' || event.kind === 'discussion');
  if (isRequest || raw.text === '') return empty;
  const editedAt = await loadEdited();
  if (isEditedAfter(editedAt, trigger.at)) return { groups: [], omitted: ['the body, which was edited after the request'] };
  const edited = editedAt === null || editedAt === unknown ? {} : { editedAt };
  const item = await toItem({ ...raw, ...edited }, source, signal);
  const doubt = editedAt === unknown ? ['whether it was edited after the request could not be verified'] : [];
  return { groups: [[{ ...item, notes: [...item.notes, ...doubt] }]], omitted: [] };
}

/** The same second counts as after; what is not known does not. */
export function isEditedAfter(editedAt: EditTime, at: string): boolean {
  return editedAt !== null && editedAt !== unknown && !(Date.parse(editedAt) < Date.parse(at));
}

/** REST does not tell when a body was edited. */
export async function loadEditTime(number: number, { api, repository }: Source, signal: AbortSignal): Promise<EditTime> {
  const { owner, repo: name } = repository;
  try {
    const read = editSchema.safeParse(await api.graphql(editQuery, { owner, name, number }, signal));
    return read.success ? (read.data.repository.issueOrPullRequest.lastEditedAt ?? null) : unknown;
  } catch (error) {
    if (error instanceof GitHubApiError) return unknown;
    throw error;
  }
}
