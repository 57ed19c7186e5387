// The last arrow: a validated bundle becomes commits, a pull request and the one reply. Each step may be repeated at any point (threats.md §4).
import type { Announcement } from '../../schema/announcement.ts';
import type { Bundle } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import type { Outcome } from '../../schema/outcome.ts';
import type { Egress } from '../api.ts';
import { type Cause, toCause } from './cause.ts';
import { closeTrigger } from './close-trigger.ts';
import { conclude } from './conclude.ts';
import { deliver } from './deliver.ts';
import { renderPlan } from './plan-reply.ts';
import type { PublishIo } from './ports.ts';
import { previewOf } from './preview.ts';
import { renderReply } from './render-reply.ts';
import { rerunFailedJobs } from './rerun.ts';
import { planReview } from './review/plan-review.ts';
import { type Said, sayOnThread } from './say-on-thread.ts';

/** Publishes what `validateBundle` let through. Rejects on abort only; what GitHub refuses is in the outcome. */
export async function publish(
  plan: RunPlan,
  bundle: Bundle,
  announcement: Announcement,
  { ports, signal }: PublishIo,
): Promise<Outcome> {
  if (plan.dryRun) return previewOf(plan, bundle, elapsedSince(announcement, ports), ports.egress);
  const review = await planReview(plan, bundle, { ports, signal });
  const delivery = await deliver(plan, bundle, ports, signal);
  const again = await rerunFailedJobs(plan, bundle, { ports, signal });
  const told = { ...bundle, notices: [...(review?.notes ?? []), ...again.notes, ...bundle.notices] };
  const elapsedMs = elapsedSince(announcement, ports);
  const text = renderReply({ plan, bundle: told, delivery, elapsedMs });
  const isOpen = bundle.result.stopReason !== 'completed' || renderPlan(plan, bundle) !== null;
  const isMerged = bundle.merge !== undefined && delivery.commitSha !== null;
  const reply = { announcement, text, elapsedMs, isOpen, isMerged, says: bundle.reply, review };
  const said = await sayOnThread(plan, reply, ports, signal);
  const isPushed = delivery.commitSha !== null || delivery.published.length > 0;
  const went = { delivery, isPushed, isElsewhere: review !== null || again.isStarted };
  const conclusion = said.fault === null ? conclude(plan, bundle, went) : 'error';
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

function elapsedSince({ startedAt }: Announcement, { clock }: PublishIo['ports']): number {
  return clock.now().getTime() - Date.parse(startedAt);
}

/** What went wrong, the run's own cause first. */
function causesOf({ result }: Bundle, said: Said, egress: Egress): readonly Cause[] {
  const causes = [
    ...(result.error === undefined ? [] : [result.error]),
    ...(said.fault === null ? [] : [{ message: said.fault }]),
  ];
  return causes.map((cause) => toCause(cause, egress));
}
