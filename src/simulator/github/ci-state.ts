/** The plain data of what runs: workflows, runs, artifacts, checks. */

/** How far something that runs is. */
export type RunStatus = 'queued' | 'in_progress' | 'completed';

export interface Run {
  readonly id: number;
  readonly number: number;
  readonly workflowPath: string;
  readonly event: string;
  readonly headBranch: string;
  readonly headSha: string;
  /** Null for a commit of this repository. */
  readonly headRepository: { readonly fullName: string; readonly id: number } | null;
  /** Who caused the first attempt. */
  readonly actor: string;
  readonly createdAt: string;
  /** The attempts before the newest, oldest first. */
  readonly earlier: Attempt[];
  /** Of all attempts. */
  readonly jobs: Job[];
  attempt: number;
  /** Who caused the newest attempt. */
  triggeringActor: string;
  startedAt: string;
  status: RunStatus;
  conclusion: string | null;
  updatedAt: string;
}

/** What a new attempt changes of a run. */
export type Attempt = Readonly<Pick<Run, 'attempt' | 'triggeringActor' | 'startedAt' | 'status' | 'conclusion' | 'updatedAt'>>;

export interface Job {
  readonly id: number;
  readonly runId: number;
  readonly attempt: number;
  readonly startedAt: string;
  name: string;
  status: RunStatus;
  conclusion: string | null;
  completedAt: string | null;
  log: string;
  steps: readonly Step[];
}

/** One step of a job. Times that are left out are the job's. */
export interface Step {
  readonly name: string;
  readonly conclusion: 'success' | 'failure' | 'skipped' | 'cancelled';
  readonly startedAt?: string;
  readonly completedAt?: string;
}

export interface Workflow {
  readonly id: number;
  readonly path: string;
  readonly createdAt: string;
}

/** An uploaded artifact. It is listed once `isFinal`. */
export interface Artifact {
  readonly id: number;
  readonly runId: number;
  readonly name: string;
  readonly mimeType: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  content: Uint8Array;
  digest: string | null;
  isFinal: boolean;
}

/** The checks of one app on one commit. Those of GitHub Actions are not here: each run has its own, with the run's id. */
export interface CheckSuite {
  readonly id: number;
  /** The app's slug. */
  readonly app: string;
  readonly headBranch: string | null;
  readonly headSha: string;
  readonly createdAt: string;
  status: RunStatus;
  conclusion: string | null;
  updatedAt: string;
}

export interface CheckRun {
  readonly id: number;
  readonly suiteId: number;
  readonly name: string;
  readonly headSha: string;
  readonly startedAt: string;
  status: RunStatus;
  conclusion: string | null;
  completedAt: string | null;
  title: string | null;
  summary: string | null;
}

export interface CommitStatus {
  readonly id: number;
  readonly sha: string;
  readonly state: 'error' | 'failure' | 'pending' | 'success';
  readonly context: string;
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly creator: string;
  readonly createdAt: string;
}
