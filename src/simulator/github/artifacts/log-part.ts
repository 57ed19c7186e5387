/** Job logs as a part of the server: plain text behind the address that the jobs API redirects to. */

import type { Part } from '../http/server.ts';
import type { Hub } from '../hub.ts';
import type { Run } from '../state.ts';

const PREFIX = '/job-logs/';

/** Where the log of a run's job is. */
export function logUrl(hub: Hub, run: Run): string {
  return `${hub.urls.results}${PREFIX}${run.jobId}`;
}

export function createLogPart(hub: Hub): Part {
  return {
    kind: 'artifact',
    prefix: PREFIX,
    strip: '',
    answer: async (request) => {
      const jobId = Number(request.path.slice(PREFIX.length));
      const run = [...hub.state.runs.values()].find((candidate) => candidate.jobId === jobId);
      const route = `${PREFIX}{job_id}`;
      if (run === undefined) return { route, reply: { status: 404 } };
      return { route, reply: { status: 200, body: run.log, headers: { 'content-type': 'text/plain; charset=utf-8' } } };
    },
  };
}
