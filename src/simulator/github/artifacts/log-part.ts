/** Job logs as a part of the server: plain text behind the address that the jobs API redirects to. */
import { createHash } from 'node:crypto';
import type { Job } from '../ci-state.ts';
import type { Part } from '../http/server.ts';
import type { Hub } from '../hub.ts';
import { findJob } from '../runs/runs.ts';

const PREFIX = '/job-logs/';

// As for artifacts: the signature stands for the right to read, and nothing secret is behind it.
function signature(hub: Hub, jobId: number): string {
  return createHash('sha256').update(`${hub.urls.results} log ${jobId}`).digest('hex');
}

/** Where the log of a job is, for who was let in to ask. */
export function logUrl(hub: Hub, job: Job): string {
  return `${hub.urls.results}${PREFIX}${job.id}?sig=${signature(hub, job.id)}`;
}

export function createLogPart(hub: Hub): Part {
  return {
    kind: 'artifact',
    prefix: PREFIX,
    strip: '',
    answer: async (request) => {
      const jobId = Number(request.path.slice(PREFIX.length));
      const job = findJob(hub, jobId);
      const route = `${PREFIX}{job_id}`;
      if (job === undefined) return { route, reply: { status: 404 } };
      if (request.query.get('sig') !== signature(hub, jobId)) return { route, reply: { status: 403 } };
      return { route, reply: { status: 200, body: job.log, headers: { 'content-type': 'text/plain; charset=utf-8' } } };
    },
  };
}
