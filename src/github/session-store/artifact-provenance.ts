// Decides whether an artifact can be a session that our own workflow wrote (threats.md G1). Pure; the store fetches the facts.
import { MAX_PACKED_BYTES } from './read-zip.ts';

/** What the store expects of the run that wrote an artifact. */
export interface ProvenanceExpectations {
  readonly repositoryId: number;
  /** Our workflow file, such as `.github/workflows/harness9.yml`. */
  readonly workflowPath: string;
  readonly defaultBranch: string;
  /** The branch of the present run: a dispatched run may continue its own branch's session. */
  readonly branch: string | null;
}

/** An artifact as the list gives it, reduced to what counts here. */
export interface ListedArtifact {
  readonly id: number;
  readonly isExpired: boolean;
  readonly packedBytes: number;
  readonly run: { readonly id: number; readonly repositoryId: number; readonly headRepositoryId: number } | null;
}

export interface WritingRun {
  readonly path: string;
  readonly event: string;
  readonly headBranch: string | null;
}

// These always run the default branch's workflow file, whoever caused them.
const DEFAULT_BRANCH_EVENTS: readonly string[] = ['issue_comment', 'issues', 'schedule', 'workflow_run'];
// These run on a branch of this repository; a fork's head repository is another one.
const BRANCH_EVENTS: readonly string[] = ['pull_request_review_comment', 'pull_request_review', 'pull_request'];

/** Why a listed artifact is not considered, or null. */
export function whyNotListed(artifact: ListedArtifact, expected: ProvenanceExpectations): string | null {
  if (artifact.isExpired) return 'it has expired';
  if (artifact.packedBytes > MAX_PACKED_BYTES) return `its archive is larger than ${MAX_PACKED_BYTES} bytes`;
  const { run } = artifact;
  if (run === null) return 'the run that wrote it is gone';
  const isOurs = run.repositoryId === expected.repositoryId && run.headRepositoryId === expected.repositoryId;
  return isOurs ? null : 'it comes from a fork or another repository';
}

/** Why the run that wrote an artifact is not one of ours, or null. */
export function whyNotOurRun(run: WritingRun, expected: ProvenanceExpectations): string | null {
  // GitHub may append the ref: `.github/workflows/a.yml@refs/heads/main`.
  if (run.path.split('@')[0] !== expected.workflowPath) return `it was written by another workflow (${run.path})`;
  const isOnDefault = run.headBranch === expected.defaultBranch;
  if (DEFAULT_BRANCH_EVENTS.includes(run.event)) return isOnDefault ? null : 'it was written on another branch';
  if (BRANCH_EVENTS.includes(run.event)) return null;
  if (run.event !== 'workflow_dispatch') return `it was written on the event ${run.event}`;
  return isOnDefault || run.headBranch === expected.branch ? null : 'it was written on another branch';
}
