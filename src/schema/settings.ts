// The Action's settings after parsing: inputs as typed values, secrets apart. Names: INTERFACE.md, Action inputs.
import type { Permission } from './gate.ts';
import type { Conclusion } from './outcome.ts';

/** What the gate decides with. */
export interface GateSettings {
  readonly prompt: string | null;
  readonly triggerPhrases: readonly string[];
  readonly labelTrigger: string | null;
  readonly assigneeTrigger: string | null;
  readonly requiredPermission: Permission;
  readonly allowedBots: readonly string[];
  readonly allowedUsers: readonly string[];
  readonly allowedNonWriteUsers: readonly string[];
  readonly context: 'auto' | 'all' | 'writers';
  readonly maxTurns: number;
  readonly timeoutMs: number;
  readonly maxTokensTotal: number | null;
  /** US dollars. */
  readonly maxCostUsd: number | null;
  readonly maxRunsPerThread: number;
  readonly network: 'auto' | 'off' | 'allowlist' | 'open';
  readonly session: 'auto' | 'new' | 'off';
  readonly baseBranch: string | null;
  readonly branchName: string;
  readonly createPr: 'draft' | 'ready' | 'link' | 'none';
  readonly pushToPr: boolean;
  readonly protectedPaths: readonly string[];
  readonly maxPatchFiles: number;
  readonly maxPatchBytes: number;
  readonly maxDeletions: number;
  readonly comment: 'auto' | 'none';
  readonly reaction: string;
  readonly includeActors: readonly string[];
  readonly excludeActors: readonly string[];
  readonly prTitle: string | null;
  readonly prLabels: readonly string[];
  readonly prReviewers: readonly string[];
  readonly prAssignees: readonly string[];
  readonly commitMessage: string | null;
  readonly allowedPaths: readonly string[];
  readonly maxFixAttempts: number;
  readonly inlineComments: 'suggestions' | 'comments' | 'none';
  readonly includeDiff: 'auto' | 'always' | 'never';
  readonly allowApprove: boolean;
  readonly dryRun: boolean;
  readonly language: string;
  /** The title of the issue that holds the reports of runs without a thread; null: the job summary alone. */
  readonly reportIssue: string | null;
  /** The models that a comment may ask for: `model` and `fallback_models`. */
  readonly models: readonly string[];
}

export type SandboxLevel = 'bubblewrap' | 'namespace' | 'process' | 'readonly' | 'none';

/**
 * What stands around the engine by trusted configuration, as it was given. `permissionRules`, `hooks` and `mcpConfig` are text, or the path of
 * a file when they begin with `./`: of the base commit in the Action, of the disk in the terminal.
 */
export interface EdgeSettings {
  readonly allowedTools: string | null;
  readonly disallowedTools: string | null;
  readonly permissionRules: string | null;
  readonly hooks: string | null;
  readonly mcpConfig: string | null;
  readonly verifyCommand: string | null;
  /** How often a failed `verifyCommand` may send the agent back. */
  readonly verifyAttempts: number;
  readonly otelEndpoint: string | null;
  /** Whether prompts, answers, arguments and results are in the traces. */
  readonly otelContent: boolean;
}

/** How hard a model should think, in the vendors' words; each adapter sends the nearest that its vendor knows. */
export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/** What the agent phase runs with. */
export interface AgentSettings {
  readonly provider: 'auto' | 'openai' | 'anthropic' | 'scripted';
  readonly model: string | null;
  /** The input `api_key`; else the provider's variable in the step's `env`. */
  readonly apiKey: string | null;
  readonly openaiKey: string | null;
  readonly anthropicKey: string | null;
  readonly baseUrl: string | null;
  readonly allowInsecureEndpoint: boolean;
  readonly maxOutputTokens: number | null;
  readonly reasoningEffort: ReasoningEffort | null;
  /** Models that take over when the one before cannot serve, in this order; as `model` is written. */
  readonly fallbackModels: readonly string[];
  /** A JSON Schema of the final message: its text, or a path that begins with `./`. */
  readonly outputSchema: string | null;
  readonly sandbox: 'auto' | SandboxLevel;
  readonly passEnv: readonly string[];
  readonly systemPromptAppend: string | null;
  readonly instructionsFiles: readonly string[];
  readonly workingDirectory: string;
  readonly sessionSecret: string | null;
  readonly sessionRetentionDays: number;
  readonly sessionStore: 'artifact' | 'branch';
  readonly edges: EdgeSettings;
}

export interface Settings {
  readonly mode: 'auto';
  readonly gate: GateSettings;
  readonly agent: AgentSettings;
  readonly githubToken: string;
  /** Both or neither: the app whose installation's token takes the place of `githubToken`. */
  readonly app: { readonly id: string; readonly privateKey: string } | null;
  readonly failOn: readonly Conclusion[];
}
