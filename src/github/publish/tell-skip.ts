// The notice of a request that starts no run: the thread is told what the gate says, once. Everything else that is skipped stays silent (A1).
import type { RunPlan, Skip } from '../../schema/gate.ts';
import type { RepositoryRef } from '../api.ts';
import { renderMarked } from '../marker.ts';
import { findOwn, openChannel } from './channel/channel.ts';
import type { PublishIo } from './ports.ts';

/** Posts the detail of a skip that has a notice, unless it is there from an earlier attempt. The gate counts it as a reply, so that a limit is told once. */
export async function tellSkip(skip: Skip, repository: RepositoryRef, { ports, signal }: PublishIo): Promise<void> {
  const { notice } = skip;
  if (notice === null) return;
  // A notice belongs to a thread, and is never a report.
  const self: RunPlan['self'] = { login: '', id: notice.selfId };
  const channel = openChannel({ channel: notice.channel, repository, self, threadKey: '' }, ports);
  const marker = { trigger: notice.triggerId, kind: 'reply' } as const;
  const told = await findOwn(channel, { ...marker, selfId: notice.selfId, since: null }, signal);
  if (told.length > 0) return;
  // A control word was answered; only what was denied might have started.
  const text = skip.conclusion === 'denied' ? `**Not started:** ${skip.detail}` : skip.detail;
  await channel.create(renderMarked(marker, text), signal);
}
