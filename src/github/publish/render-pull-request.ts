// The pull request's title and body, and the commit's message; pure. Trailers are ours only (E10).
import type { Bundle } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { renderMarker } from '../marker.ts';
import { joinBlocks, renderAnswer, renderCommands, renderLeftOut, renderNotices, rulesOf } from './render-blocks.ts';
import { sanitizeTitle } from './sanitize-title.ts';

const maxAnswerChars = 40_000;
/** Who writes as this account uses the workflow's own token, whose pull requests start no workflow (G1-32). */
const defaultTokenAccount = 'github-actions[bot]';

/** The one line for commit and pull request. */
export function renderTitle(plan: RunPlan, bundle: Pick<Bundle, 'title'>): string {
  const about =
    plan.thread === null
      ? 'Changes by harness9'
      : `Changes for ${plan.thread.kind === 'issue' ? 'issue' : 'pull request'} ${plan.thread.number}`;
  return sanitizeTitle(bundle.title, about);
}

/** Title and trailers; no author, so that GitHub signs it as the token's account. */
export function renderCommitMessage(plan: RunPlan, bundle: Pick<Bundle, 'title'>): string {
  return `${renderTitle(plan, bundle)}\n\nRequested-by: ${plan.requester.login}\nHarness9-run: ${plan.run.url}\n`;
}

/** The body: the answer, what a reviewer has to know, what it closes and where it comes from. */
export function renderPullRequestBody(
  plan: RunPlan,
  bundle: Bundle,
  about: { readonly leftOut: Bundle['leftOut']; readonly notes: readonly string[] },
): string {
  const rules = rulesOf(plan);
  const isStopped = bundle.result.stopReason !== 'completed';
  const origin = plan.thread === null ? '' : ` in #${plan.thread.number}`;
  return joinBlocks([
    renderMarker({
      trigger: plan.trigger.id,
      kind: 'pull_request',
      origin: { thread: plan.threadKey, trust: plan.trust },
    }),
    isStopped ? `**Not finished**: the run ended early (${bundle.result.stopReason}).` : '',
    renderAnswer(bundle.reply, rules, maxAnswerChars),
    renderNotices([...about.notes, ...bundle.notices], rules),
    renderLeftOut(about.leftOut),
    renderCommands(bundle.commands),
    plan.pullRequest.closes === null || isStopped ? '' : `Closes #${plan.pullRequest.closes}`,
    `Requested by @${plan.requester.login}${origin} · [run](${plan.run.url})`,
    renderCiNote(plan),
  ]);
}

/** Empty where the token starts workflows by itself. */
export function renderCiNote(plan: Pick<RunPlan, 'self'>): string {
  if (plan.self.login !== defaultTokenAccount) return '';
  return '> Checks do not start by themselves on what the workflow’s own token pushes. Close and reopen the pull request to start them, or give harness9 another `github_token`: a personal one, or that of an app.';
}
