// The pull request's title and body, and the commit's message; pure. Trailers are ours only (E10).
import type { Bundle } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { oneLine } from '../../schema/one-line.ts';
import { isFinished, type StopReason } from '../../schema/run.ts';
import { renderMarker } from '../marker.ts';
import { boundBlocks, maxTextChars } from './bound-markdown.ts';
import { isAnswered } from './decide-conclusion.ts';
import { fillTemplate } from './fill-template.ts';
import { cutText, inlineCode } from './inline-code.ts';
import { joinBlocks } from './join-blocks.ts';
import { roomOf, withTemplate } from './load-template.ts';
import { goOnOrder, isStuck, needsMending } from './mending.ts';
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
/** GitHub takes 256. */
const maxTitleChars = 250;
/** Who writes as this account uses the workflow's own token, whose pull requests start no workflow (G1-32). */
const defaultTokenAccount = 'github-actions[bot]';

/** The pull request's title: by the workflow's template, or the one line that names the changes. */
export function renderTitle(plan: RunPlan, bundle: Pick<Bundle, 'title' | 'undoes'>): string {
  const subject = renderSubject(plan, bundle);
  const { title } = plan.pullRequest;
  return title === null ? subject : cutText(fillTemplate(title, subject, plan).replace(/\s+/g, ' '), maxTitleChars);
}

function renderSubject(plan: RunPlan, bundle: Pick<Bundle, 'title'>): string {
  const about =
    plan.thread === null ? 'Changes by harness9' : `Changes for ${plan.thread.kind.replace('_', ' ')} ${plan.thread.number}`;
  return sanitizeTitle(bundle.title, about);
}

/** As git says it, so that everybody sees what the commit is. */
function renderMergeSubject({ base, head }: RunPlan): string {
  return cutText(`Merge branch '${base.branch}'${head === null ? '' : ` into ${head.branch}`}`, maxTitleChars);
}

/** The workflow's own message or one line, and trailers; no author, so that GitHub signs it as the token's account. */
export function renderCommitMessage(plan: RunPlan, bundle: Pick<Bundle, 'title' | 'undoes' | 'merge'>): string {
  const subject = bundle.merge === undefined ? renderSubject(plan, bundle) : renderMergeSubject(plan);
  const message = plan.commitMessage === null ? subject : fillTemplate(plan.commitMessage, subject, plan);
  const undoes = bundle.undoes === undefined ? '' : `Harness9-undoes: ${bundle.undoes}\n`;
  return `${message}\n\nRequested-by: ${plan.requester.login}\nHarness9-run: ${plan.run.url}\n${undoes}`;
}

/**
 * The body: the answer, what a reviewer has to know, what it closes and where it comes from, and under it the repository's template; always
 * under GitHub's limit.
 */
export function renderPullRequestBody(
  plan: RunPlan,
  bundle: Bundle,
  about: { readonly leftOut: Bundle['leftOut']; readonly notes: readonly string[]; readonly template?: string },
): string {
  const isStopped = !isFinished(bundle.result);
  // What is not all there closes nothing, in whatever words.
  const closes = isStopped || about.leftOut.length > 0 ? null : plan.pullRequest.closes;
  const rules = { ...rulesOf(plan), closes };
  const summary = `the [job summary](${plan.run.url})`;
  const words = ownWordsOf(bundle);
  const rest = plan.thread === null || plan.comment === 'none' ? summary : `the reply in #${plan.thread.number}`;
  const blocks = [
    renderMarker({
      trigger: plan.trigger.id,
      kind: 'pull_request',
      origin: { thread: plan.threadKey, trust: plan.trust },
    }),
    isStopped ? renderUnfinished(plan, bundle) : '',
    renderDetail(bundle.result),
    isInterrupted(bundle) && words !== '' ? lastNote : '',
    renderAnswer(words, rules, { maxChars: maxAnswerChars, note: `_The answer is cut here; the whole is in ${rest}._` }),
    renderLeftOut(about.leftOut, summary),
    renderNotices([...about.notes, ...bundle.notices], rules),
    renderCommands(bundle.commands),
  ];
  const last = joinBlocks([
    closes === null ? '' : `Closes #${closes}`,
    `${renderOrigin(plan)} · [run](${plan.run.url})`,
    renderCiNote(plan),
  ]);
  const { template = '' } = about;
  return withTemplate(boundBlocks(blocks, last, maxTextChars - roomOf(template)), template);
}

/** Who only changed the schedule last asked for nothing, and is not called by name. */
function renderOrigin({ event, thread, requester, run }: RunPlan): string {
  if (event.kind === 'schedule') return `On the schedule of ${inlineCode(run.workflowPath, 250)}`;
  return `Requested by @${requester.login}${thread === null ? '' : ` in #${thread.number}`}`;
}

/** Completes "the run stopped". */
const ends: Readonly<Record<Exclude<StopReason, 'completed'>, string>> = {
  max_turns: 'at its limit of turns',
  timeout: 'at its time limit',
  budget: 'at its budget',
  repetition: 'because it repeated itself',
  cancelled: 'when it was cancelled',
  error: 'on a fault',
};

function renderUnfinished(plan: RunPlan, { result: { stopReason, error } }: Bundle): string {
  if (error !== undefined && isAnswered(error)) return `**Not finished**: ${plainLine(oneLine(error.message, maxCauseChars))}`;
  const why = `**Not finished**: the run stopped ${ends[stopReason === 'completed' ? 'error' : stopReason]}.`;
  const isStopped = plan.thread === null || isStuck(error?.code) || needsMending(error?.code);
  return isStopped ? why : `${why} To go on, comment ${goOnOrder(plan)} in #${plan.thread.number}.`;
}

/** Whatever event started the run. Empty where the token starts workflows by itself: an app's, a person's. */
export function renderCiNote(plan: Pick<RunPlan, 'self'>): string {
  if (plan.self.login !== defaultTokenAccount) return '';
  return '> Checks do not start by themselves on what the workflow’s own token pushes. Close and reopen the pull request to start them, or let harness9 work as a GitHub App (`app_id` and `app_private_key`) or with a `github_token` of a person.';
}
