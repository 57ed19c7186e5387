/** What goes into a simulated run of an action and what comes out of it. Types only. */
import type { CancelTimes } from './process-tree.ts';
import type { WorkflowCommand } from './workflow-commands.ts';

/** The GitHub that the action talks to, as plain data. */
export interface RunnerGitHub {
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly serverUrl: string;
  readonly resultsUrl: string;
  readonly owner: string;
  readonly repo: string;
  readonly repositoryId: number;
  /** `github.token`. */
  readonly token: string;
  /** `ACTIONS_RUNTIME_TOKEN`. */
  readonly runtimeToken: string;
}

export interface RunActionOptions {
  readonly actionDir: string;
  readonly github: RunnerGitHub;
  readonly event: { readonly name: string; readonly payload: unknown };
  /** The step's `with`. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly workspace: string;
  /** The step's `env`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly runId: number;
  readonly runAttempt?: number;
  readonly runNumber?: number;
  readonly actor: string;
  readonly ref: string;
  readonly sha: string;
  readonly workflowPath: string;
  readonly job: string;
  /** Cancels the step as a person would. */
  readonly cancel?: AbortSignal;
  readonly cancelTimes?: CancelTimes;
  /** Each line as it comes, unmasked. */
  readonly onLine?: (stream: 'stdout' | 'stderr', line: string) => void;
}

export interface StepResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

export interface ActionResult {
  /** Of the main entry. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly main: StepResult;
  /** null: the action has no post entry, or its condition was false. */
  readonly post: StepResult | null;
  /** Main's; post steps have none. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
  /** Of main and post together. */
  readonly summary: string;
  readonly commands: readonly WorkflowCommand[];
  /** What a person sees: both streams in order, masked. */
  readonly log: string;
  /** Errors of the runner's own: unreadable command files, a summary too large. */
  readonly problems: readonly string[];
  readonly conclusion: 'success' | 'failure' | 'cancelled';
  /** Processes that were still there at the end of the job; the runner kills them. */
  readonly orphans: number;
  readonly durationMs: number;
}
