// The notice of a request that starts no run: the thread is told what the gate says, once. Everything else that is skipped stays silent (A1).
import type { Skip } from '../../schema/gate.ts';
import type { RepositoryRef } from '../api.ts';
import { renderMarked } from '../marker.ts';
import type { PublishIo } from './ports.ts';

/** Posts the detail of a skip that has a notice. The gate counts it as a reply, so that a limit is told once. */
export async function tellSkip(skip: Skip, repository: RepositoryRef, { ports, signal }: PublishIo): Promise<void> {
  if (skip.notice === null) return;
  // A control word was answered; only what was denied might have started.
  const text = skip.conclusion === 'denied' ? `**Not started:** ${skip.detail}` : skip.detail;
  const body = renderMarked({ trigger: skip.notice.triggerId, kind: 'reply' }, text);
  const parameters = { ...repository, issue_number: skip.notice.thread, body: ports.egress(body) };
  await ports.api.rest('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', parameters, signal);
}
