// What a run is expected to ask of GitHub and of the model, in groups that scenarios put together. Expectations only; scene.ts says what was asked.
import type { Exchanges } from './scene.ts';

/** The checkout step of the job, which is not ours. */
const checkout = ['GET /{owner}/{repo}.git/info/refs', 'POST /{owner}/{repo}.git/git-upload-pack'];
const viewer = ['POST /graphql Viewer'];
const upload = ['POST CreateArtifact', 'POST FinalizeArtifact', 'PUT /blobs/actions-results/{id}'];

/** Requests to GraphQL, the artifact service and git over HTTP; nothing is ever pushed by git. */
export const others = {
  skipped: checkout,
  gated: [...checkout, ...viewer],
  ran: [...checkout, ...viewer, ...upload],
  /** What a pull request closes; and where there are comments on lines, which of them are resolved. */
  ranOnPull: [...checkout, ...viewer, ...upload, 'POST /graphql ClosingIssues'],
  ranOnReview: [...checkout, ...viewer, ...upload, 'POST /graphql ClosingIssues', 'POST /graphql ReviewThreads'],
  resumed: [...checkout, ...viewer, ...upload, 'GET /blobs/actions-results/{id}'],
};

const permission = ['GET branches/{branch}', 'GET collaborators/{username}/permission'];
const thread = ['GET issues/{issue_number}', 'GET issues/{issue_number}/comments'];
/** An issue is read with the pull request that may be open for it. */
const issue = [...thread, 'GET pulls'];
const session = ['GET actions/artifacts', 'GET actions/artifacts/{artifact_id}/{archive_format}'];
const pull = [
  'GET commits/{ref}/check-runs',
  'GET commits/{ref}/status',
  'GET pulls/{pull_number}',
  'GET pulls/{pull_number}/comments',
  'GET pulls/{pull_number}/commits',
  'GET pulls/{pull_number}/files',
  'GET pulls/{pull_number}/reviews',
];

export const reads = {
  /** Who asks, who we are, and the branch. */
  permission,
  thread,
  issue,
  session,
  /** Where an earlier session comes from. */
  earlierSession: ['GET actions/runs/{run_id}'],
  pull,
  /** Whether the head moved after the comment. */
  activity: ['GET activity'],
  commit: ['GET git/commits/{commit_sha}'],
  openPulls: ['GET pulls'],
  head: ['GET git/ref/{ref}'],
  /** Whether the branch that a pull request is to go to is still there. */
  standingBase: ['GET git/ref/{ref}'],
  /** Which branches a schedule has left. */
  ownBranches: ['GET git/matching-refs/{ref}'],
  /** Whether the repository has a template for pull requests. */
  template: ['GET git/trees/{tree_sha}'],
};

const comment = 'POST issues/{issue_number}/comments';
const reply = 'PATCH issues/comments/{comment_id}';
const reaction = 'POST issues/comments/{comment_id}/reactions';

export const writes = {
  /** The progress comment, then the reaction; and the reply in its place, with the reaction at the end. */
  started: [comment, reaction],
  answered: [reply, reaction],
  onReviewComment: {
    started: ['POST pulls/{pull_number}/comments/{comment_id}/replies', 'POST pulls/comments/{comment_id}/reactions'],
    answered: ['PATCH pulls/comments/{comment_id}', 'POST pulls/comments/{comment_id}/reactions'],
  },
  onIssue: {
    started: [comment, 'POST issues/{issue_number}/reactions'],
    answered: [reply, 'POST issues/{issue_number}/reactions'],
  },
  notice: [comment],
  branch: ['POST git/trees', 'POST git/commits', 'POST git/refs'],
  pull: ['POST pulls'],
  head: ['POST git/trees', 'POST git/commits', 'PATCH git/refs/{ref}'],
  labelOff: ['DELETE issues/{issue_number}/labels/{name}'],
};

/** Everything that was asked, put together; `reads` in any order and with repetitions. */
export function exchanges(parts: {
  readonly writes?: readonly (readonly string[])[];
  readonly reads?: readonly (readonly string[])[];
  readonly others: readonly string[];
  readonly modelRequests: number;
}): Exchanges {
  return {
    writes: (parts.writes ?? []).flat(),
    reads: [...new Set((parts.reads ?? []).flat())].sort(),
    others: [...new Set(parts.others)].sort(),
    modelRequests: parts.modelRequests,
    contractProblems: [],
  };
}

/** A mention on an issue by a writer that was answered, with nothing changed. */
export function answeredOnIssue(modelRequests: number): Exchanges {
  return exchanges({
    writes: [writes.started, writes.answered],
    reads: [permission, issue, session],
    others: others.ran,
    modelRequests,
  });
}

/** The same on a thread whose first post says something: whether it was edited is asked. */
export function aboutText(asked: Exchanges): Exchanges {
  return { ...asked, others: [...asked.others, 'POST /graphql ThreadEdit'].sort() };
}

/** The same with a pull request. */
export function pullRequestOnIssue(modelRequests: number): Exchanges {
  return exchanges({
    writes: [writes.started, writes.branch, writes.pull, writes.answered],
    reads: [permission, issue, session, reads.commit, reads.standingBase, reads.template],
    others: others.ran,
    modelRequests,
  });
}
