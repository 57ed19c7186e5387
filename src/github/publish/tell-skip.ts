// The notice of a request that starts no run: the thread is told what the gate says, once. Everything else that is skipped stays silent (A1).
import type { Skip } from '../../schema/gate.ts';
import type { RepositoryRef } from '../api.ts';
import { hasMarker, renderMarked } from '../marker.ts';
import type { PublishIo } from './ports.ts';

/** Posts the detail of a skip that has a notice, unless it is there from an earlier attempt. The gate counts it as a reply, so that a limit is told once. */
export async function tellSkip(skip: Skip, repository: RepositoryRef, { ports, signal }: PublishIo): Promise<void> {
  const { notice } = skip;
  if (notice === null || (await isTold(notice, repository, { ports, signal }))) return;
  // A control word was answered; only what was denied might have started.
  const text = skip.conclusion === 'denied' ? `**Not started:** ${skip.detail}` : skip.detail;
  const body = renderMarked(markerOf(notice), text);
  const parameters = { ...repository, issue_number: notice.thread, body: ports.egress(body) };
  await ports.api.rest('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', parameters, signal);
}

type Notice = NonNullable<Skip['notice']>;

function markerOf({ triggerId }: Notice) {
  return { trigger: triggerId, kind: 'reply' } as const;
}

/** By author and marker: a foreign comment with our marker is not ours (G8). */
async function isTold(notice: Notice, repository: RepositoryRef, { ports, signal }: PublishIo): Promise<boolean> {
  const parameters = { ...repository, issue_number: notice.thread };
  for await (const page of ports.api.pages('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', parameters, signal)) {
    if (page.some(({ user, body }) => user?.id === notice.selfId && hasMarker(body ?? '', markerOf(notice)))) return true;
  }
  return false;
}
