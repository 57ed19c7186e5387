// Collapses the reply that a newer one goes on from: unfinished work, or a plan. An answer that stands for itself is never collapsed (decision 0028).
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { parseMarker } from '../marker.ts';
import { minimize } from './channel/minimize.ts';
import type { Channel, ChannelComment } from './channel/port.ts';
import type { PublishPorts } from './ports.ts';

const goingOn: readonly (string | null)[] = ['continue', 'approve'];
/** As long as a conversation is kept, by default: nothing older is gone on with. */
const maxAgeMs = 30 * 86_400_000;

/** Never fails a run: what the token may not do is a line in the log. Rejects on abort only. */
export async function collapseEarlier(
  plan: RunPlan,
  { channel, reply }: { readonly channel: Channel; readonly reply: ChannelComment },
  ports: PublishPorts,
  signal: AbortSignal,
): Promise<void> {
  if (!goingOn.includes(plan.instruction.command) || channel.replyKind === 'report') return;
  try {
    const since = new Date(ports.clock.now().getTime() - maxAgeMs).toISOString();
    const ours = (await channel.list(since, signal)).filter(({ authorId }) => authorId === plan.self.id);
    const earlier = ours
      .filter(({ body, number }) => number < reply.number && isGoneOnWith(body, plan))
      .sort((one, other) => one.number - other.number)
      .at(-1);
    if (earlier !== undefined) await minimize(earlier, ports.api, signal);
  } catch (error) {
    signal.throwIfAborted();
    ports.log(`[publish] the earlier reply is not collapsed: ${messageOf(error)}`);
  }
}

function isGoneOnWith(body: string, { trigger }: RunPlan): boolean {
  const marker = parseMarker(body);
  return marker?.kind === 'reply' && marker.isOpen === true && marker.trigger !== trigger.id;
}
