// Owns the task: everything the agent is told of a thread, as data with author and role, as it stood before the request.
import type { RunPlan } from '../../schema/gate.ts';
import type { Task, TaskPicture } from '../../schema/task.ts';
import type { Log } from '../../schema/world.ts';
import { type GitHubApi, repositoryOf } from '../api.ts';
import { createWriterLookup, type WriterLookup } from '../event/load-permission.ts';
import type { AttachmentHosts } from './attachment-hosts.ts';
import { loadPictures, type TextImages } from './load-pictures.ts';
import { isForWriters, isOfWriter } from './load-texts.ts';
import { type LoadedThread, loadThread } from './load-thread.ts';
import { sanitize } from './sanitize.ts';
import type { LoadedItem } from './section.ts';

export interface TaskPorts {
  readonly api: GitHubApi;
  /** Who may write, as this run has asked already. */
  readonly isWriter?: WriterLookup | undefined;
  /** For pictures and logs; it sends no token. */
  readonly fetch: typeof globalThis.fetch;
  readonly hosts: AttachmentHosts;
  readonly log: Log;
}

/**
 * The task of a plan. The request itself is the instruction and no item. Texts by others than writers are left out where the plan says
 * so; everything left out is said in `omitted`. Rejects where GitHub does not answer.
 */
export async function loadTask(plan: RunPlan, ports: TaskPorts, signal: AbortSignal): Promise<Task> {
  const repository = repositoryOf(plan);
  const access = { api: ports.api, repository };
  const source = { ...access, plan, fetch: ports.fetch, isWriter: ports.isWriter ?? createWriterLookup(access) };
  const loaded = plan.thread === null ? null : await loadThread(plan.thread, source, signal);
  const { items, omitted } = keepAllowed(loaded ?? { items: [], omitted: [] }, plan);
  const own = imagesOfRequest(plan);
  const pictures = await loadPictures(inOrder(own, items), { ...access, ...ports }, signal);
  const notes = items.reduce((sum, item) => sum + item.notes.length, 0);
  ports.log(`[context] items=${items.length} omitted=${omitted.length} notes=${notes}`);
  return {
    version: 1,
    trust: plan.trust,
    repository: `${repository.owner}/${repository.repo}`,
    thread: loaded?.thread ?? null,
    ...(plan.pullRequest.continues === undefined ? {} : { ownPull: plan.pullRequest.continues }),
    mode: plan.mode,
    language: plan.language,
    alsoAnswered: plan.alsoAnswers.length,
    failedCheck: plan.failedCheck?.name ?? null,
    ...(loaded === null || loaded.failedCommands.length === 0 ? {} : { failedCommands: loaded.failedCommands }),
    instruction: { ...plan.instruction, requester: plan.requester.login, ...picturesOf(own, pictures) },
    delivery: plan.delivery,
    commit: plan.checkoutSha,
    items: items.map(({ images, ...item }) => ({ ...item, ...picturesOf(images, pictures) })),
    omitted,
  };
}

/** The request's own, then the newest: a thread is long, and what is asked is about its end. */
function inOrder(own: TextImages | undefined, items: readonly LoadedItem[]): readonly TextImages[] {
  const newest = items.toSorted((left, right) => Date.parse(right.createdAt) - Date.parse(left.createdAt));
  return [own, ...newest.map(({ images }) => images)].filter((images) => images !== undefined);
}

/** The request is no item, and its pictures are as much a part of it as its words. */
function imagesOfRequest({ trigger: { kind, target }, thread, instruction }: RunPlan): TextImages | undefined {
  const { images: addresses } = sanitize(instruction.text);
  if (addresses.length === 0) return undefined;
  if (kind !== 'mention' || target === null || thread === null) return { addresses, source: null };
  if (target.kind === 'node') return { addresses, source: target };
  const place =
    target.kind === 'issue'
      ? { kind: 'body' as const, id: 0 }
      : { kind: target.kind === 'issue_comment' ? ('comment' as const) : target.kind, id: target.id };
  return { addresses, source: { ...place, thread: thread.number } };
}

function picturesOf(
  images: TextImages | undefined,
  loaded: ReadonlyMap<TextImages, readonly TaskPicture[]>,
): { readonly pictures?: readonly TaskPicture[] } {
  const pictures = images === undefined ? undefined : loaded.get(images);
  return pictures === undefined ? {} : { pictures };
}

type Shown = Pick<LoadedThread, 'items' | 'omitted'>;

/** For writers, nothing of others, whatever kind of item it is. */
function keepAllowed({ items, omitted }: Shown, plan: RunPlan): Shown {
  const allowed = isForWriters(plan) ? items.filter(({ role }) => isOfWriter(role)) : items;
  const left = items.length - allowed.length;
  return left === 0
    ? { items, omitted }
    : { items: allowed, omitted: [...omitted, `${left} texts by people who may not write here`] };
}
