// The one notice of a run that was not started: the thread is told why, once. Everything else that is skipped stays silent (A1).
import type { Skip } from '../../schema/gate.ts';
import type { RepositoryRef } from '../api.ts';
import { renderMarker } from '../marker.ts';
import type { PublishPorts } from './ports.ts';

/** Posts the notice of a skip that has one. The gate counts it as a reply, so the next request stays without. */
export async function tellSkip(
  skip: Skip,
  repository: RepositoryRef,
  { ports, signal }: { readonly ports: PublishPorts; readonly signal: AbortSignal },
): Promise<void> {
  if (skip.notice === null) return;
  const marker = renderMarker({ trigger: skip.notice.triggerId, kind: 'reply' });
  const body = ports.egress(`${marker}\n**Not started:** ${skip.detail}. Later requests of this day are not answered.`);
  const parameters = { ...repository, issue_number: skip.notice.thread, body };
  await ports.api.rest('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', parameters, signal);
}
