/** Webhook payloads → what GitHub would write to the event file, out of the same renderings as the REST answers. */
import type { Hub } from './hub.ts';
import { renderUserOrGhost } from './render/render-account.ts';
import { renderCheck, renderSuite } from './render/render-check.ts';
import { renderDiscussion, renderDiscussionComment } from './render/render-discussion.ts';
import {
  isPull,
  type PullThread,
  renderPull,
  renderPullSummary,
  renderReview,
  renderReviewComment,
} from './render/render-pull.ts';
import { renderRepository } from './render/render-repository.ts';
import { renderRun, renderWorkflow } from './render/render-run.ts';
import { renderComment, renderIssue, renderLabel } from './render/render-thread.ts';
import { findSuite } from './runs/checks.ts';
import type { Thread } from './state.ts';

/** What the event is about, by number, id or name. What is left out takes the event's usual value. */
export interface PayloadRefs {
  readonly action?: string;
  /** The login that caused the event; default: the author of what it is about, else the owner. */
  readonly sender?: string;
  readonly issue?: number;
  readonly pull?: number;
  readonly comment?: number;
  readonly review?: number;
  readonly label?: string;
  readonly assignee?: string;
  readonly run?: number;
  /** Of workflow_dispatch. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** Full name of a ref; default: the default branch. */
  readonly ref?: string;
  readonly schedule?: string;
  /** The path of the workflow that was dispatched. */
  readonly workflow?: string;
  /** Of repository_dispatch. */
  readonly clientPayload?: unknown;
  /** Of push, and of a pull request’s `synchronize`. */
  readonly before?: string;
  /** Of `edited`: what was there before. */
  readonly changes?: unknown;
  readonly check?: number;
  readonly checkSuite?: number;
  readonly discussion?: number;
  /** Of review_requested. */
  readonly reviewer?: string;
  /** For an app's webhook: its installation. A workflow's event file has none. */
  readonly installation?: number;
}

type Render = (
  hub: Hub,
  refs: PayloadRefs,
) => { readonly action?: string; readonly about: Readonly<Record<string, unknown>>; readonly author?: string };

const EVENTS: Readonly<Record<string, Render>> = {
  issues: renderIssues,
  issue_comment: renderIssueComment,
  pull_request: renderPullRequest,
  pull_request_target: renderPullRequest,
  pull_request_review: renderPullRequestReview,
  pull_request_review_comment: renderPullRequestReviewComment,
  workflow_dispatch: renderWorkflowDispatch,
  workflow_run: renderWorkflowRun,
  repository_dispatch: renderRepositoryDispatch,
  schedule: (_hub, refs) => ({ about: { schedule: refs.schedule ?? '0 6 * * 1' } }),
  push: renderPush,
  check_run: renderCheckRun,
  check_suite: renderCheckSuite,
  discussion: renderDiscussionEvent,
  discussion_comment: renderDiscussionCommentEvent,
};

/** The payload of an event, consistent with what REST answers at this moment. */
export function renderPayload(hub: Hub, name: string, refs: PayloadRefs): Readonly<Record<string, unknown>> {
  const render = EVENTS[name];
  if (render === undefined)
    throw new Error(`no payload is known for the event ${name}; known: ${Object.keys(EVENTS).join(', ')}`);
  const { action, about, author } = render(hub, refs);
  const sender = refs.sender ?? author ?? hub.state.repository.owner;
  const actionPart = action === undefined ? {} : { action: refs.action ?? action };
  const installation =
    refs.installation === undefined ? {} : { installation: { id: refs.installation, node_id: String(refs.installation) } };
  const changes = refs.changes === undefined ? {} : { changes: refs.changes };
  return {
    ...actionPart,
    ...about,
    ...changes,
    repository: renderRepository(hub),
    sender: renderUserOrGhost(hub, sender),
    ...installation,
  };
}

function findThread(hub: Hub, number: number | undefined): Thread {
  const thread = number === undefined ? undefined : hub.state.threads.get(number);
  if (thread === undefined) throw new Error(`the payload needs an issue or pull request, not ${number}`);
  return thread;
}

function findPull(hub: Hub, number: number | undefined): PullThread {
  const thread = findThread(hub, number);
  if (!isPull(thread)) throw new Error(`the payload needs a pull request, and #${number} is an issue`);
  return thread;
}

// `labeled` and `assigned` name the label or the account beside the thread.
function renderDetail(hub: Hub, refs: PayloadRefs): Readonly<Record<string, unknown>> {
  const label = refs.label === undefined ? undefined : hub.state.labels.get(refs.label.toLowerCase());
  return {
    ...(label === undefined ? {} : { label: renderLabel(hub, label) }),
    ...(refs.assignee === undefined ? {} : { assignee: renderUserOrGhost(hub, refs.assignee) }),
  };
}

function usualAction(refs: PayloadRefs): string {
  if (refs.reviewer !== undefined) return 'review_requested';
  if (refs.before !== undefined) return 'synchronize';
  if (refs.label !== undefined) return 'labeled';
  return refs.assignee === undefined ? 'opened' : 'assigned';
}

function renderIssues(hub: Hub, refs: PayloadRefs) {
  const thread = findThread(hub, refs.issue);
  return {
    action: usualAction(refs),
    about: { issue: renderIssue(hub, thread), ...renderDetail(hub, refs) },
    author: thread.author,
  };
}

function renderIssueComment(hub: Hub, refs: PayloadRefs) {
  const comment = hub.state.comments.get(refs.comment ?? 0);
  if (comment === undefined) throw new Error(`the payload needs a comment, not ${refs.comment}`);
  const issue = renderIssue(hub, findThread(hub, comment.issue));
  return { action: 'created', about: { issue, comment: renderComment(hub, comment) }, author: comment.author };
}

function renderPullRequest(hub: Hub, refs: PayloadRefs) {
  const thread = findPull(hub, refs.pull);
  const reviewer = refs.reviewer === undefined ? {} : { requested_reviewer: renderUserOrGhost(hub, refs.reviewer) };
  // What `synchronize` alone has: the head before and after the push.
  const moved = refs.before === undefined ? {} : { before: refs.before, after: thread.pull.headSha };
  const about = {
    number: thread.number,
    ...moved,
    pull_request: renderPull(hub, thread),
    ...renderDetail(hub, refs),
    ...reviewer,
  };
  return { action: usualAction(refs), about, author: thread.author };
}

function renderPullRequestReview(hub: Hub, refs: PayloadRefs) {
  const review = hub.state.reviews.get(refs.review ?? 0);
  if (review === undefined) throw new Error(`the payload needs a review, not ${refs.review}`);
  // The webhook writes the state in small letters, REST in capitals.
  const rendered = { ...renderReview(hub, review), state: review.state.toLowerCase() };
  const about = { review: rendered, pull_request: renderPullSummary(hub, findPull(hub, review.issue)) };
  return { action: 'submitted', about, author: review.author };
}

function renderPullRequestReviewComment(hub: Hub, refs: PayloadRefs) {
  const comment = hub.state.reviewComments.get(refs.comment ?? 0);
  if (comment === undefined) throw new Error(`the payload needs a review comment, not ${refs.comment}`);
  const about = {
    comment: renderReviewComment(hub, comment),
    pull_request: renderPullSummary(hub, findPull(hub, comment.issue)),
  };
  return { action: 'created', about, author: comment.author };
}

function defaultRef(hub: Hub): string {
  return `refs/heads/${hub.state.repository.defaultBranch}`;
}

function renderWorkflowDispatch(hub: Hub, refs: PayloadRefs) {
  const workflow = refs.workflow ?? [...hub.state.workflows.keys()][0] ?? '.github/workflows/harness9.yml';
  return { about: { inputs: refs.inputs ?? null, ref: refs.ref ?? defaultRef(hub), workflow } };
}

function renderWorkflowRun(hub: Hub, refs: PayloadRefs) {
  const run = hub.state.runs.get(refs.run ?? 0);
  const workflow = run === undefined ? undefined : hub.state.workflows.get(run.workflowPath);
  if (run === undefined || workflow === undefined) throw new Error(`the payload needs a run, not ${refs.run}`);
  return {
    action: 'completed',
    about: { workflow_run: renderRun(hub, run), workflow: renderWorkflow(hub, workflow) },
    author: run.actor,
  };
}

function renderCheckRun(hub: Hub, refs: PayloadRefs) {
  const check = hub.state.checkRuns.get(refs.check ?? 0);
  if (check === undefined) throw new Error(`the payload needs a check run, not ${refs.check}`);
  return { action: 'completed', about: { check_run: renderCheck(hub, check) } };
}

function renderCheckSuite(hub: Hub, refs: PayloadRefs) {
  const suite = findSuite(hub, refs.checkSuite ?? 0);
  if (suite === undefined) throw new Error(`the payload needs a check suite, not ${refs.checkSuite}`);
  return { action: 'completed', about: { check_suite: renderSuite(hub, suite) } };
}

function renderDiscussionEvent(hub: Hub, refs: PayloadRefs) {
  const discussion = hub.state.discussions.get(refs.discussion ?? 0);
  if (discussion === undefined) throw new Error(`the payload needs a discussion, not ${refs.discussion}`);
  const about = { discussion: renderDiscussion(hub, discussion), ...renderDetail(hub, refs) };
  return { action: refs.label === undefined ? 'created' : 'labeled', about, author: discussion.author };
}

function renderDiscussionCommentEvent(hub: Hub, refs: PayloadRefs) {
  const comment = hub.state.discussionComments.get(refs.comment ?? 0);
  const discussion = hub.state.discussions.get(comment?.issue ?? 0);
  if (comment === undefined || discussion === undefined)
    throw new Error(`the payload needs a discussion comment, not ${refs.comment}`);
  const about = { comment: renderDiscussionComment(hub, comment, discussion.id), discussion: renderDiscussion(hub, discussion) };
  return { action: 'created', about, author: comment.author };
}

function renderRepositoryDispatch(hub: Hub, refs: PayloadRefs) {
  const branch = hub.state.repository.defaultBranch;
  return { action: 'dispatched', about: { branch, client_payload: refs.clientPayload ?? {} } };
}

function renderPush(hub: Hub, refs: PayloadRefs) {
  const ref = refs.ref ?? defaultRef(hub);
  const last = hub.state.activity.findLast((item) => item.ref === ref);
  const after = hub.git.refs.get(ref) ?? '0'.repeat(40);
  const person = { name: last?.actor ?? hub.state.repository.owner, email: null };
  const flags = {
    created: last?.type === 'branch_creation',
    deleted: last?.type === 'branch_deletion',
    forced: last?.type === 'force_push',
  };
  const before = refs.before ?? last?.before ?? after;
  const about = { ref, before, after, ...flags, base_ref: null, compare: '', commits: [], head_commit: null, pusher: person };
  return { about, ...(last === undefined ? {} : { author: last.actor }) };
}
