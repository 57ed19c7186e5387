// Owns the task: everything the agent is told of a thread, as data with author and role, as it stood before the request.
import { z } from 'zod';
import type { RunPlan } from '../../schema/gate.ts';
import type { Task, TaskItem, TaskPicture } from '../../schema/task.ts';
import type { Log } from '../../schema/world.ts';
import { type GitHubApi, GitHubApiError, repositoryOf } from '../api.ts';
import { createWriterLookup } from '../event/load-permission.ts';
import type { AttachmentHosts } from './attachment-hosts.ts';
import { escapeInvisible } from './invisible.ts';
import { type Frame, loadDiff } from './load-diff.ts';
import { loadPictures, type TextImages } from './load-pictures.ts';
import {
  type LoadedItem,
  loadComments,
  type RawText,
  roleOf,
  type Section,
  type Source,
  type Thread,
  toItem,
} from './load-texts.ts';
import { sanitize } from './sanitize.ts';

export interface TaskPorts {
  readonly api: GitHubApi;
  /** For pictures; it sends no token. */
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
  const source = { ...access, plan, isWriter: createWriterLookup(access) };
  const loaded = plan.thread === null ? null : await loadThread(plan.thread, source, signal);
  const { items, omitted } = keepAllowed(loaded?.section ?? { items: [], omitted: [] }, plan);
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
    instruction: { ...plan.instruction, requester: plan.requester.login, ...picturesOf(own, pictures) },
    delivery: plan.delivery,
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

function keepAllowed({ items, omitted }: Section, plan: RunPlan): Section {
  if (plan.context === 'all') return { items, omitted };
  const allowed = items.filter((item) => item.role === 'writer' || item.role === 'self');
  const left = items.length - allowed.length;
  return left === 0
    ? { items, omitted }
    : { items: allowed, omitted: [...omitted, `${left} texts by people who may not write here`] };
}

interface LoadedThread {
  readonly thread: Task['thread'];
  readonly section: Section;
}

async function loadThread(thread: Thread, source: Source, signal: AbortSignal): Promise<LoadedThread> {
  const { api, repository, plan } = source;
  const parameters = { ...repository, issue_number: thread.number };
  const { data: issue } = await api.rest('GET /repos/{owner}/{repo}/issues/{issue_number}', parameters, signal);
  const user = issue.user;
  const raw = { id: 0, user, createdAt: issue.created_at, updatedAt: issue.created_at };
  // The title is the webhook's, so that nobody can change it afterwards (B5).
  const title = await toItem({ ...raw, kind: 'title', source: null, text: thread.title }, source, signal);
  const body = await loadBody(
    { ...raw, kind: 'body', source: { kind: 'body', id: 0, thread: thread.number }, text: issue.body ?? '' },
    thread,
    source,
    signal,
  );
  const comments = await loadComments(thread, source, signal);
  const role = await roleOf(user, source, signal);
  const frame = { author: user?.login ?? 'ghost', role, createdAt: issue.created_at };
  const diff = thread.kind === 'pull_request' ? await loadPinnedDiff(thread, source, frame, signal) : none;
  const state = issue.pull_request?.merged_at ? 'merged' : issue.state;
  const sections = [{ items: [title], omitted: [] }, body, diff, comments, replyTarget(plan)];
  return {
    thread: { kind: thread.kind, number: thread.number, url: issue.html_url, state },
    section: { items: sections.flatMap(({ items }) => items), omitted: sections.flatMap(({ omitted }) => omitted) },
  };
}

const none: Section = { items: [], omitted: [] };

const editSchema = z.object({
  repository: z.object({ issueOrPullRequest: z.object({ lastEditedAt: z.string().nullish() }) }),
});
const editQuery = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) { ... on Issue { lastEditedAt } ... on PullRequest { lastEditedAt } }
  }
}`;

/** Left out when it is the request itself, and when it was edited after the request; doubt about that is noted (B5). */
async function loadBody(raw: RawText, thread: Thread, source: Source, signal: AbortSignal): Promise<Section> {
  const { trigger } = source.plan;
  const isRequest = trigger.kind === 'mention' && trigger.target?.kind === 'issue';
  if (isRequest || raw.text === '') return none;
  const editedAt = await loadEditTime(thread, source, signal);
  if (editedAt !== null && editedAt !== 'unknown' && !(Date.parse(editedAt) < Date.parse(trigger.at))) {
    return { items: [], omitted: ['the body, which was edited after the request'] };
  }
  const item = await toItem(raw, source, signal);
  const doubt = editedAt === 'unknown' ? ['whether it was edited after the request could not be verified'] : [];
  return { items: [{ ...item, notes: [...item.notes, ...doubt] }], omitted: [] };
}

/** REST does not tell when a body was edited; null: never. */
async function loadEditTime(thread: Thread, { api, repository }: Source, signal: AbortSignal): Promise<string | null> {
  const { owner, repo: name } = repository;
  try {
    const read = editSchema.safeParse(await api.graphql(editQuery, { owner, name, number: thread.number }, signal));
    return read.success ? (read.data.repository.issueOrPullRequest.lastEditedAt ?? null) : 'unknown';
  } catch (error) {
    if (error instanceof GitHubApiError) return 'unknown';
    throw error;
  }
}

/** The diff of the head that the plan pinned; of another one there is none (B6). */
async function loadPinnedDiff(thread: Thread, source: Source, frame: Frame, signal: AbortSignal): Promise<Section> {
  const { api, repository, plan } = source;
  const parameters = { ...repository, pull_number: thread.number };
  const { data: pull } = await api.rest('GET /repos/{owner}/{repo}/pulls/{pull_number}', parameters, signal);
  if (pull.head.sha === plan.head?.sha) return loadDiff(thread, source, frame, signal);
  return { items: [], omitted: [`the diff: the head moved from ${plan.head?.sha ?? 'unknown'} to ${pull.head.sha}`] };
}

/** Where in the diff a review comment asks. */
function replyTarget({ trigger, requester, trust }: RunPlan): Section {
  if (trigger.location === undefined) return none;
  const { path, line, diffHunk } = trigger.location;
  const item: TaskItem = {
    kind: 'reply_target',
    author: requester.login,
    role: trust === 'untrusted' ? 'outsider' : 'writer',
    createdAt: trigger.at,
    text: escapeInvisible(`${JSON.stringify(path).slice(1, -1)}:${line ?? '(outdated)'}\n${diffHunk}`),
    notes: [],
  };
  return { items: [item], omitted: [] };
}
