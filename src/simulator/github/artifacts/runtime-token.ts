/** The runner's token for the artifact service: a JWT whose scope names run and job. It is not signed; nothing here relies on that. */
import { field } from '../http/call.ts';

const SCOPE = /(?:^| )Actions\.Results:(\d+):(\d+)(?: |$)/;

/** What `ACTIONS_RUNTIME_TOKEN` holds in a job. */
export function renderRuntimeToken(runId: number, jobId: number): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const scope = `Actions.GenericRead:0 Actions.Results:${runId}:${jobId}`;
  return `${part({ alg: 'none', typ: 'JWT' })}.${part({ scp: scope })}.`;
}

/** Run and job of the token in an `Authorization` header; undefined when it is none. */
export function readRuntimeToken(header: string | undefined): { runId: number; jobId: number } | undefined {
  const payload = header?.replace(/^bearer /i, '').split('.')[1];
  if (payload === undefined) return undefined;
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  } catch {
    return undefined;
  }
  const [, runId, jobId] = SCOPE.exec(String(field(claims, 'scp'))) ?? [];
  return runId === undefined ? undefined : { runId: Number(runId), jobId: Number(jobId) };
}
