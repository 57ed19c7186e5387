// The pull request's title and body, and the commit's message; pure. Trailers are ours only (E10).
import type { Bundle } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { oneLine } from '../../schema/one-line.ts';
import { renderMarker } from '../marker.ts';
import { boundBlocks, maxBodyChars } from './bound-markdown.ts';
import { isAnswered } from './decide-conclusion.ts';
import { joinBlocks } from './join-blocks.ts';
import { plainLine } from './plain-line.ts';
import { renderAnswer, renderNotices, rulesOf } from './render-blocks.ts';
import { renderCommands } from './render-commands.ts';
import { renderDetail } from './render-detail.ts';
import { isInterrupted, ownWordsOf } from './render-ending.ts';
import { renderLeftOut } from './render-left-out.ts';
import { lastNote } from './render-reply.ts';
import { sanitizeTitle } from './sanitize-title.ts';

/** Who reviews reads the diff; the whole answer is in the thread. */
const maxAnswerChars = 12_000;
const maxCauseChars = 500;
/** What the egress puts in needs some of GitHub's limit. */
const maxChars = maxBodyChars - 536;
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

/** The body: the answer, what a reviewer has to know, what it closes and where it comes from; always under GitHub's limit. */
export function renderPullRequestBody(
  plan: RunPlan,
  bundle: Bundle,
  about: { readonly leftOut: Bundle['leftOut']; readonly notes: readonly string[] },
): string {
  const isStopped = !isFinished(bundle);
  // What is not all there closes nothing, in whatever words.
  const closes = isStopped || about.leftOut.length > 0 ? null : plan.pullRequest.closes;
  const rules = { ...rulesOf(plan), closes };
  const origin = plan.thread === null ? '' : ` in #${plan.thread.number}`;
  const summary = `the [job summary](${plan.run.url})`;
  const words = ownWordsOf(bundle);
  const rest = plan.thread === null || plan.comment === 'none' ? summary : `the reply in #${plan.thread.number}`;
  const blocks = [
    renderMarker({
      trigger: plan.trigger.id,
      kind: 'pull_request',
      origin: { thread: plan.threadKey, trust: plan.trust },
    }),
    isStopped ? renderUnfinished(bundle) : '',
    renderDetail(bundle.result),
    isInterrupted(bundle) && words !== '' ? lastNote : '',
    renderAnswer(words, rules, { maxChars: maxAnswerChars, note: `_The answer is cut here; the whole is in ${rest}._` }),
    renderLeftOut(about.leftOut, summary),
    renderNotices([...about.notes, ...bundle.notices], rules),
    renderCommands(bundle.commands),
  ];
  const last = joinBlocks([
    closes === null ? '' : `Closes #${closes}`,
    `Requested by @${plan.requester.login}${origin} · [run](${plan.run.url})`,
    renderCiNote(plan),
  ]);
  return boundBlocks(blocks, last, maxChars);
}

/** Whether the run came to its end, and nothing went wrong at it. */
export function isFinished({ result }: Pick<Bundle, 'result'>): boolean {
  return result.stopReason === 'completed' && result.error === undefined;
}

function renderUnfinished({ result: { stopReason, error } }: Bundle): string {
  if (error !== undefined && isAnswered(error)) return `**Not finished**: ${plainLine(oneLine(error.message, maxCauseChars))}`;
  return `**Not finished**: the run ended early (${stopReason === 'completed' ? 'error' : stopReason}).`;
}

/** Empty where the token starts workflows by itself. */
export function renderCiNote(plan: Pick<RunPlan, 'self'>): string {
  if (plan.self.login !== defaultTokenAccount) return '';
  return '> Checks do not start by themselves on what the workflow’s own token pushes. Close and reopen the pull request to start them, or give harness9 another `github_token`: a personal one, or that of an app.';
}
