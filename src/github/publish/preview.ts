// A dry run: what publish would have done, as an outcome that says so; asks GitHub nothing and writes nothing. Pure.
import type { Bundle } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import type { Outcome } from '../../schema/outcome.ts';
import type { Egress } from '../api.ts';
import { toCause } from './cause.ts';
import { conclude } from './conclude.ts';
import { isUnproven } from './deliver.ts';
import { type Delivery, nothingDelivered } from './delivery.ts';
import { joinBlocks } from './join-blocks.ts';
import { noteMerged } from './render-merge.ts';
import { renderPullRequestBody, renderTitle } from './render-pull-request.ts';
import { renderReply } from './render-reply.ts';
import { isRerun } from './rerun.ts';
import { renderInText } from './review/render-finding.ts';

/** The outcome of a dry run (decision 0030). Texts have passed `egress`. */
export function previewOf(plan: RunPlan, bundle: Bundle, elapsedMs: number, egress: Egress): Outcome {
  const hasWork = bundle.changes.length > 0 || bundle.merge !== undefined;
  const isPushed = hasWork && plan.delivery !== 'reply' && !isUnproven(plan, bundle);
  const again = isRerun(plan, bundle) ? bundle.rerun : null;
  const comments = plan.mode === 'review' ? (bundle.review?.comments ?? null) : null;
  const delivery: Delivery = {
    ...nothingDelivered(bundle),
    published: isPushed ? bundle.changes : [],
    isInReply: bundle.changes.length > 0 && !isPushed,
    notes: isPushed ? noteMerged(plan, bundle) : [],
  };
  const went = { delivery, isPushed, isElsewhere: comments !== null || again !== null };
  const wish = again === null ? [] : [`The failed jobs would run again: ${again.reason}`];
  const told = { ...bundle, notices: [...wish, ...bundle.notices] };
  const reply = renderReply({ plan, bundle: told, delivery, elapsedMs });
  const { error } = bundle.result;
  return {
    version: 1,
    conclusion: conclude(plan, bundle, went),
    comment: null,
    branchName: null,
    commitSha: null,
    pullRequest: null,
    filesChanged: bundle.changes.length,
    patch: egress([...bundle.changes, ...bundle.leftOut].map(({ patch }) => patch).join('')),
    ...(error === undefined ? {} : { error: toCause(error, egress) }),
    warnings: [],
    preview: {
      reply: egress(joinBlocks([reply, renderInText(plan, 'Findings, each for its line', comments ?? [])])),
      push: isPushed ? pushOf(plan, bundle, egress) : null,
    },
  };
}

function pushOf(plan: RunPlan, bundle: Bundle, egress: Egress): NonNullable<Outcome['preview']>['push'] {
  if (plan.delivery === 'push_to_head') return { branch: plan.head?.branch ?? plan.branchName, pullRequest: null };
  const { mode } = plan.pullRequest;
  const body = renderPullRequestBody(plan, bundle, { leftOut: bundle.leftOut, notes: [] });
  const pullRequest =
    mode === 'none' || mode === 'link' ? null : { title: egress(renderTitle(plan, bundle)), body: egress(body) };
  return { branch: plan.branchName, pullRequest };
}
