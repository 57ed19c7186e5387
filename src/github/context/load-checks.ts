// Owns what checks say of the head: each with its conclusion, the failed ones first; and which jobs of GitHub Actions failed.
import { oneLine } from '../../schema/one-line.ts';
import type { Response } from '../api.ts';
import { hasFailed } from '../has-failed.ts';
import { escapeInvisible } from './invisible.ts';
import { type Frame, type Section, type Source, whyRefused } from './section.ts';

export interface Checks {
  readonly section: Section;
  /** Ids of the jobs behind the failed checks. */
  readonly failedJobs: readonly number[];
}

/** One check or status. `rank`: failed ones first, then those that go on. */
interface Line {
  readonly rank: number;
  readonly text: string;
}

interface Listed {
  readonly lines: readonly Line[];
  readonly unlisted: number;
  readonly failedJobs: readonly number[];
}

const maxLines = 60;

/** Check runs and statuses of the commit. Those of this very run are left out; what the token may not read is said. */
export async function loadChecks(sha: string, frame: Frame, source: Source, signal: AbortSignal): Promise<Checks> {
  const [runs, statuses] = await Promise.all([
    loadCheckRuns(sha, source, signal).catch(whyRefused),
    loadStatuses(sha, source, signal).catch(whyRefused),
  ]);
  const lists = [runs, statuses].filter((list) => typeof list !== 'string');
  const lines = lists.flatMap((list) => list.lines).sort((left, right) => left.rank - right.rank);
  const missing = lists.reduce((sum, { unlisted }) => sum + unlisted, 0) + Math.max(0, lines.length - maxLines);
  const text = lines
    .slice(0, maxLines)
    .map((line) => line.text)
    .join('\n');
  return {
    section: {
      groups: text === '' ? [] : [[{ ...frame, kind: 'checks', text: escapeInvisible(text), notes: [] }]],
      omitted: [
        ...(typeof runs === 'string' ? [`the check runs (${runs})`] : []),
        ...(typeof statuses === 'string' ? [`the commit statuses (${statuses})`] : []),
        ...(missing > 0 ? [`${missing} more checks, none of them failed but where more than ${maxLines} did`] : []),
      ],
    },
    failedJobs: lists.flatMap((list) => list.failedJobs),
  };
}

async function loadCheckRuns(ref: string, { api, repository, plan }: Source, signal: AbortSignal): Promise<Listed> {
  const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
  const { data } = await api.rest(route, { ...repository, ref, per_page: 100 }, signal);
  const runs = data.check_runs.filter(({ details_url }) => details_url?.includes(`/runs/${plan.run.id}/`) !== true);
  return {
    lines: runs.map((run) => ({ rank: rankOf(run.conclusion ?? null), text: renderRun(run) })),
    unlisted: Math.max(0, data.total_count - data.check_runs.length),
    failedJobs: runs.filter((run) => hasFailed(run.conclusion)).flatMap((run) => jobOf(run.details_url ?? '')),
  };
}

type CheckRun = Response<'GET /repos/{owner}/{repo}/commits/{ref}/check-runs'>['data']['check_runs'][number];

function renderRun({ conclusion, status, name, output }: CheckRun): string {
  const title = hasFailed(conclusion) && output.title ? `: ${oneLine(output.title, 120)}` : '';
  return `${conclusion ?? status} ${oneLine(name, 100)}${title}`;
}

/** A check run of GitHub Actions names its job in its address. */
function jobOf(address: string): readonly number[] {
  const id = /\/actions\/runs\/\d+\/job\/(\d+)/.exec(address)?.[1];
  return id === undefined ? [] : [Number(id)];
}

async function loadStatuses(ref: string, { api, repository }: Source, signal: AbortSignal): Promise<Listed> {
  const { data } = await api.rest(
    'GET /repos/{owner}/{repo}/commits/{ref}/status',
    { ...repository, ref, per_page: 100 },
    signal,
  );
  const lines = data.statuses.map(({ state, context, description }) => ({
    rank: rankOf(state === 'error' ? 'failure' : state === 'pending' ? null : state),
    text: `${state} ${oneLine(context, 100)}${description && state !== 'success' ? `: ${oneLine(description, 120)}` : ''}`,
  }));
  return { lines, unlisted: Math.max(0, data.total_count - lines.length), failedJobs: [] };
}

function rankOf(conclusion: string | null): number {
  if (hasFailed(conclusion)) return 0;
  return conclusion === null ? 1 : 2;
}
