// Owns the parts of a thread's context: which there are, their order in the prompt, and which of them matter most where there is not room for all.
import type { RunPlan } from '../../schema/gate.ts';
import type { Task } from '../../schema/task.ts';
import { loadDiscussion } from '../discussion.ts';
import { hasFailed } from '../has-failed.ts';
import { loadThreadTexts } from '../thread-texts.ts';
import { fitWhole, type Part } from './fit-budget.ts';
import { type EditTime, loadBody, loadEditTime } from './load-body.ts';
import { loadChecks } from './load-checks.ts';
import { loadCommits } from './load-commits.ts';
import { loadDiff } from './load-diff.ts';
import { loadLinked } from './load-linked.ts';
import { type LogPorts, type Logs, loadFailedJobs, loadJob, loadLogs } from './load-logs.ts';
import { loadReviews } from './load-reviews.ts';
import { loadComments, type RawText, toItem } from './load-texts.ts';
import {
  empty,
  type Frame,
  type LoadedItem,
  orSay,
  refused,
  type Section,
  type Source,
  type Thread,
  whyRefused,
} from './section.ts';

export interface LoadedThread {
  readonly thread: Task['thread'];
  readonly items: readonly LoadedItem[];
  readonly omitted: readonly string[];
  /** What the failed steps ran. */
  readonly failedCommands: readonly string[];
}

/** All texts together; what a request to a model can hold is many times that, what it is read with care is not. */
const maxBytes = 196_608;
const maxLogChars = 16_384;
/** Where the failure is the task. */
const maxFixLogChars = 49_152;

/** What of a thread the plan's run is shown. Rejects where GitHub does not answer. */
export async function loadThread(thread: Thread, source: Source & LogPorts, signal: AbortSignal): Promise<LoadedThread> {
  const first =
    thread.kind === 'discussion' ? await readDiscussion(thread, source, signal) : await readIssue(thread, source, signal);
  const texts = loadThreadTexts(thread, source, signal);
  const body = loadBody({ ...first.post, kind: 'body' }, first.loadEdited, source, signal);
  const [title, ...sections] = await Promise.all([
    toItem({ ...first.post, kind: 'title', source: null, text: thread.title, marked: first.post.text }, source, signal),
    body,
    texts.then((read) => loadComments(read, source, signal)),
    body.then(({ groups }) => loadNamed(thread, groups.flat(), source, signal)),
  ]);
  const frame = { author: title.author, role: title.role, createdAt: title.createdAt };
  const pull = thread.kind === 'pull_request' ? await loadPullParts(thread, frame, source, signal) : noPull;
  const reviews =
    thread.kind === 'pull_request'
      ? await loadReviews(await texts, { thread, frame }, source, signal)
      : { others: empty, target: empty };
  const [description, comments, linked] = sections;
  const fitted = fitWhole(
    [
      // The title is the webhook's, so that nobody can change it afterwards (B5).
      { groups: [[title]], omitted: [], name: 'title', importance: 0 },
      { ...description, name: 'description', importance: 3 },
      { ...linked, name: 'issues that are named here', importance: 10 },
      ...pull.parts,
      { ...comments, name: 'comments', importance: 4 },
      { ...reviews.others, name: 'reviews and review threads', importance: 7 },
      { ...pull.logs.section, name: 'logs of failed jobs', importance: source.plan.mode === 'fix' ? 2 : 8 },
      { ...reviews.target, name: 'place of the request', importance: 1 },
    ],
    maxBytes,
  );
  return {
    thread: { kind: thread.kind, number: thread.number, ...first.place },
    items: fitted.flatMap(({ groups }) => groups.flat()),
    omitted: fitted.flatMap(({ omitted }) => omitted),
    failedCommands: pull.logs.commands,
  };
}

interface FirstPost {
  readonly post: Omit<RawText, 'kind'>;
  readonly loadEdited: () => Promise<EditTime>;
  readonly place: { readonly url: string; readonly state: string };
}

async function readIssue(thread: Thread, source: Source, signal: AbortSignal): Promise<FirstPost> {
  const parameters = { ...source.repository, issue_number: thread.number };
  const { data: issue } = await source.api.rest('GET /repos/{owner}/{repo}/issues/{issue_number}', parameters, signal);
  const place = { kind: 'body' as const, id: 0, thread: thread.number };
  return {
    post: { source: place, user: issue.user, createdAt: issue.created_at, text: issue.body ?? '' },
    loadEdited: () => loadEditTime(thread.number, source, signal),
    place: { url: issue.html_url, state: issue.pull_request?.merged_at ? 'merged' : issue.state },
  };
}

async function readDiscussion(thread: Thread, source: Source, signal: AbortSignal): Promise<FirstPost> {
  const { nodeId, user, createdAt, body, lastEditedAt, url, state } = await loadDiscussion(thread.number, source, signal);
  return {
    post: { source: { kind: 'node', id: nodeId }, user, createdAt, text: body },
    loadEdited: () => Promise.resolve(lastEditedAt),
    place: { url, state },
  };
}

function loadNamed(thread: Thread, body: readonly LoadedItem[], source: Source, signal: AbortSignal): Promise<Section> {
  return loadLinked(thread, [source.plan.instruction.text, ...body.map(({ text }) => text)], source, signal);
}

interface PullParts {
  readonly parts: readonly Part[];
  readonly logs: Logs;
}

const noLogs: Logs = { section: empty, commands: [] };
const noPull: PullParts = { parts: [], logs: noLogs };

/** What belongs to the head that the plan pinned; of another one there is none (B6). */
async function loadPullParts(thread: Thread, frame: Frame, source: Source & LogPorts, signal: AbortSignal): Promise<PullParts> {
  const { api, repository, plan } = source;
  const parameters = { ...repository, pull_number: thread.number };
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
  const pull = await api
    .rest(route, parameters, signal)
    .then(({ data }) => describeMove(data.head.sha, plan) ?? data, whyRefused);
  if (typeof pull === 'string') {
    const parts = [{ ...refused('the diff, the commits and the checks', pull), name: 'diff', importance: 6 }];
    return { parts, logs: plan.failedCheck === null ? noLogs : await loadLogsOf([], frame, source, signal) };
  }
  const { sha } = pull.head;
  const [{ files, diff }, commits, checks] = await Promise.all([
    loadDiff({ thread, frame, changedFiles: pull.changed_files }, source, signal),
    orSay(loadCommits(thread, frame, source, signal), 'the commits'),
    loadChecks(sha, frame, source, signal),
  ]);
  return {
    parts: [
      { ...files, name: 'list of changed files', importance: 5 },
      { ...diff, name: 'diff', importance: 6 },
      { ...commits, name: 'commits', importance: 11 },
      { ...checks.section, name: 'checks', importance: 9 },
    ],
    logs: await loadLogsOf(checks.failedJobs, frame, source, signal),
  };
}

function describeMove(sha: string, { head }: RunPlan): string | null {
  return sha === head?.sha ? null : `the head moved from ${head?.sha ?? 'unknown'} to ${sha}`;
}

/** Of the check that is to be mended, else of what failed on the head. */
async function loadLogsOf(
  failedJobs: readonly number[],
  frame: Frame,
  source: Source & LogPorts,
  signal: AbortSignal,
): Promise<Logs> {
  const { failedCheck, mode } = source.plan;
  const maxChars = mode === 'fix' ? maxFixLogChars : maxLogChars;
  try {
    const jobs =
      failedCheck?.kind === 'workflow_run'
        ? await loadFailedJobs(failedCheck, source, signal)
        : await loadJobs(failedJobs, source, signal);
    return await loadLogs(jobs, { frame, maxChars }, source, signal);
  } catch (error) {
    return { section: refused('the logs of failed jobs', whyRefused(error)), commands: [] };
  }
}

/** More are not looked at. */
const maxJobs = 8;

async function loadJobs(ids: readonly number[], source: Source, signal: AbortSignal) {
  const jobs = await Promise.all(ids.slice(0, maxJobs).map((id) => loadJob(id, source, signal)));
  return jobs.filter(({ conclusion }) => hasFailed(conclusion));
}
