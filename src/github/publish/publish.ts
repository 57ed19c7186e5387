// The last arrow: a validated bundle becomes commits, a pull request and the one reply. Each step may be repeated at any point (threats.md §4).
import type { Announcement } from '../../schema/announcement.ts';
import type { Bundle } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import type { Outcome } from '../../schema/outcome.ts';
import type { Egress } from '../api.ts';
import { type Cause, toCause } from './cause.ts';
import { closeTrigger } from './close-trigger.ts';
import { decideConclusion, type Yield } from './decide-conclusion.ts';
import { deliver } from './deliver.ts';
import type { Delivery } from './delivery.ts';
import { renderPlan } from './plan-reply.ts';
import type { PublishIo } from './ports.ts';
import { renderReply } from './render-reply.ts';
import { type Said, sayOnThread } from './say-on-thread.ts';

/** Publishes what `validateBundle` let through. Rejects on abort only; what GitHub refuses is in the outcome. */
export async function publish(
  plan: RunPlan,
  bundle: Bundle,
  announcement: Announcement,
  { ports, signal }: PublishIo,
): Promise<Outcome> {
  const delivery = await deliver(plan, bundle, ports, signal);
  const elapsedMs = ports.clock.now().getTime() - Date.parse(announcement.startedAt);
  const text = renderReply({ plan, bundle, delivery, elapsedMs });
  const said = await sayOnThread(plan, { announcement, text, elapsedMs }, ports, signal);
  const conclusion = said.fault === null ? decideConclusion(bundle.result, yieldOf(plan, bundle, delivery)) : 'error';
  const [error, ...others] = causesOf(bundle, said, ports.egress);
  const closing = await closeTrigger(plan, conclusion, ports, signal);
  return {
    version: 1,
    conclusion,
    comment: said.comment,
    branchName: delivery.branch,
    commitSha: delivery.commitSha,
    pullRequest: delivery.pullRequest,
    filesChanged: bundle.changes.length,
    patch: ports.egress([...bundle.changes, ...bundle.leftOut].map(({ patch }) => patch).join('')),
    ...(error === undefined ? {} : { error }),
    warnings: [...others.map(({ message }) => message), ...announcement.warnings, ...delivery.notes, ...closing],
    ...(said.fault === null ? {} : { unposted: ports.egress(text) }),
  };
}

/** What went wrong, the run's own cause first. */
function causesOf({ result }: Bundle, said: Said, egress: Egress): readonly Cause[] {
  const causes = [
    ...(result.error === undefined ? [] : [result.error]),
    ...(said.fault === null ? [] : [{ message: said.fault }]),
  ];
  return causes.map((cause) => toCause(cause, egress));
}

function yieldOf(plan: RunPlan, bundle: Bundle, delivery: Delivery): Yield {
  const isPublished = delivery.published.length > 0 || (delivery.isInReply && bundle.changes.length > 0);
  return { isDelivered: isPublished || renderPlan(plan, bundle) !== null, isLeftOut: delivery.leftOut.length > 0 };
}
