// Owns the shape of a part of the context, and what every part is loaded with. Loads nothing.
import type { RunPlan } from '../../schema/gate.ts';
import type { TaskItem } from '../../schema/task.ts';
import { GitHubApiError, type RepositoryApi } from '../api.ts';
import type { WriterLookup } from '../event/load-permission.ts';
import type { TextImages } from './load-pictures.ts';

export type Thread = NonNullable<RunPlan['thread']>;

/** An item before its pictures are loaded; absent: it has none. */
export type LoadedItem = TaskItem & { readonly images?: TextImages };

/** Items that are shown together or not at all, such as a review thread; the oldest group first. */
export interface Section {
  readonly groups: readonly (readonly LoadedItem[])[];
  readonly omitted: readonly string[];
}

export const empty: Section = { groups: [], omitted: [] };

/** What every part of the context is loaded with. */
export interface Source extends RepositoryApi {
  readonly plan: RunPlan;
  readonly isWriter: WriterLookup;
}

/** Who answers for an item, and when it was written. */
export type Frame = Omit<TaskItem, 'kind' | 'text' | 'notes'>;

/** A part that the task can do without: where GitHub refuses it, that is said. */
export async function orSay(section: Promise<Section>, what: string): Promise<Section> {
  try {
    return await section;
  } catch (error) {
    return refused(what, whyRefused(error));
  }
}

/** The part that is missing. `why`: a clause. */
export function refused(what: string, why: string): Section {
  return { groups: [], omitted: [`${what} (${why})`] };
}

/** Why a read came to nothing, as a clause. Throws what is no answer of GitHub's. */
export function whyRefused(error: unknown): string {
  if (!(error instanceof GitHubApiError)) throw error;
  if (error.isMissingPermission) return 'the job’s token may not read them';
  if (error.isRateLimit) return 'GitHub’s rate limit is used up';
  // 0: there was none.
  return error.status === 0 ? 'GitHub did not answer' : `GitHub answered ${error.status}`;
}
