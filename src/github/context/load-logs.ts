// Owns the logs of failed jobs: which jobs, what of each log, and the commands that failed. A log is as much data as the code that wrote it (B9).
import { z } from 'zod';
import { oneLine } from '../../schema/one-line.ts';
import { GitHubApiError, type Response } from '../api.ts';
import { hasFailed } from '../has-failed.ts';
import { escapeInvisible } from './invisible.ts';
import { type LogExcerpt, readLog, type StepTimes } from './read-log.ts';
import { type Frame, type LoadedItem, type Section, type Source, whyRefused } from './section.ts';

type Job = Response<'GET /repos/{owner}/{repo}/actions/jobs/{job_id}'>['data'];

export interface LogPorts {
  /** A log lies at an address of its own, which is asked without a token. */
  readonly fetch: typeof globalThis.fetch;
}

export interface LogWish {
  /** Who answers for the commits that the jobs ran on. */
  readonly frame: Frame;
  /** Characters for all logs together. */
  readonly maxChars: number;
}

export interface Logs {
  readonly section: Section;
  /** The commands that the failed steps ran, each once. */
  readonly commands: readonly string[];
}

/** More jobs than this fail for one reason. */
const maxJobs = 5;

/** The failed jobs of one attempt of a workflow run. */
export async function loadFailedJobs(
  { id, attempt }: { readonly id: number; readonly attempt: number },
  { api, repository }: Source,
  signal: AbortSignal,
): Promise<readonly Job[]> {
  const parameters = { ...repository, run_id: id, filter: 'all' as const, per_page: 100 };
  const { data } = await api.rest('GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs', parameters, signal);
  return data.jobs.filter((job) => hasFailed(job.conclusion) && (job.run_attempt ?? 1) === attempt);
}

/** A job of GitHub Actions by its id. */
export async function loadJob(job_id: number, { api, repository }: Source, signal: AbortSignal): Promise<Job> {
  const { data } = await api.rest('GET /repos/{owner}/{repo}/actions/jobs/{job_id}', { ...repository, job_id }, signal);
  return data;
}

/** What is worth reading of the jobs' logs. A log that cannot be had is said, and no reason to stop. */
export async function loadLogs(
  jobs: readonly Job[],
  { frame, maxChars }: LogWish,
  access: Source & LogPorts,
  signal: AbortSignal,
): Promise<Logs> {
  const wanted = jobs.slice(0, maxJobs);
  const share = Math.floor(maxChars / Math.max(1, wanted.length));
  const loaded = await Promise.all(wanted.map((job) => loadLog(job, share, access, signal)));
  const read = loaded.flatMap((log, index) => {
    const job = wanted[index];
    return typeof log === 'string' || job === undefined ? [] : [{ job, log }];
  });
  const missing = loaded.flatMap((log, index) =>
    typeof log === 'string' ? [`the log of the failed job ${oneLine(wanted[index]?.name ?? '', 80)} (${log})`] : [],
  );
  const more = jobs.length - wanted.length;
  return {
    section: {
      groups: read.map(({ job, log }) => [renderLog(job, log, frame)]),
      omitted: [...missing, ...(more > 0 ? [`the logs of ${more} more failed jobs`] : [])],
    },
    commands: [...new Set(read.flatMap(({ log }) => log.commands))],
  };
}

/** What it came to, or why there is none, as a clause. */
async function loadLog(
  job: Job,
  maxChars: number,
  { api, repository, fetch }: Source & LogPorts,
  signal: AbortSignal,
): Promise<LogExcerpt | string> {
  try {
    const route = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs';
    // The redirect is followed by us, where the log is read as it comes and no token goes along.
    const parameters = { ...repository, job_id: job.id, request: { redirect: 'manual' } } as const;
    const { headers } = await api.rest(route, parameters, signal);
    const location = z.object({ location: z.string() }).safeParse(headers).data?.location;
    if (location === undefined) return 'GitHub named no place to download it from';
    const response = await fetch(location, { signal });
    if (!response.ok || response.body === null) return `its download was answered with ${response.status}`;
    return await readLog(response.body, timesOf(job), maxChars);
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof GitHubApiError ? whyRefused(error) : 'its download broke off';
  }
}

function failedStep(job: Job) {
  return job.steps?.find(({ conclusion }) => hasFailed(conclusion));
}

/** GitHub's times of steps are whole seconds. */
function timesOf(job: Job): StepTimes | null {
  const step = failedStep(job);
  const [from, to] = [Date.parse(step?.started_at ?? ''), Date.parse(step?.completed_at ?? '')];
  return Number.isNaN(from) || Number.isNaN(to) ? null : { from, to };
}

function renderLog(job: Job, { text, commands, lines }: LogExcerpt, frame: Frame): LoadedItem {
  const step = failedStep(job);
  const head = [
    `Job ${oneLine(job.name, 120)}: ${job.conclusion}${step === undefined ? '' : `, in the step "${oneLine(step.name, 120)}"`}`,
    ...commands.map((command) => `$ ${command}`),
  ].join('\n');
  const notes = [`what is worth reading of its ${lines} lines`];
  return {
    ...frame,
    kind: 'log',
    createdAt: job.completed_at ?? frame.createdAt,
    text: escapeInvisible(`${head}\n\n${text}`),
    notes,
  };
}
