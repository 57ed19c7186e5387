// The Action's inputs by name: action.yml's defaults, their values as Settings, and warnings for names that do not exist.
import { distance } from 'fastest-levenshtein';
import { conclusionSchema } from '../schema/outcome.ts';
import { type AgentSettings, type EdgeSettings, type GateSettings, reasoningEfforts, type Settings } from '../schema/settings.ts';
import { InputReader } from './input-reader.ts';

/** Every input with action.yml's default; a test holds the two together. */
export const inputDefaults: Readonly<Record<string, string>> = {
  mode: 'auto',
  prompt: '',
  trigger_phrase: '@harness9',
  label_trigger: 'harness9',
  assignee_trigger: '',
  required_permission: 'write',
  allowed_bots: '',
  allowed_users: '',
  allowed_non_write_users: '',
  context: 'auto',
  provider: 'auto',
  model: '',
  api_key: '',
  base_url: '',
  allow_insecure_endpoint: 'false',
  max_output_tokens: '',
  reasoning_effort: '',
  fallback_models: '',
  max_turns: '50',
  timeout_minutes: '30',
  max_tokens_total: '',
  max_cost_usd: '',
  max_runs_per_thread: '20',
  allowed_tools: '',
  disallowed_tools: '',
  permission_rules: '',
  hooks: '',
  mcp_config: '',
  verify_command: '',
  verify_attempts: '2',
  otel_endpoint: '',
  otel_content: 'false',
  output_schema: '',
  system_prompt_append: '',
  instructions_files: 'AGENTS.md',
  working_directory: '.',
  sandbox: 'auto',
  pass_env: '',
  session: 'auto',
  session_retention_days: '30',
  session_secret: '',
  base_branch: '',
  branch_name: 'harness9/{{kind}}-{{number}}-{{slug}}',
  create_pr: 'draft',
  push_to_pr: 'true',
  protected_paths: '',
  max_patch_files: '100',
  max_patch_kb: '4096',
  max_deletions: '300',
  comment: 'auto',
  reaction: 'eyes',
  include_comments_by_actor: '',
  exclude_comments_by_actor: '',
  session_store: 'artifact',
  pr_title: '',
  pr_labels: '',
  pr_reviewers: '',
  pr_assignees: '',
  commit_message: '',
  allowed_paths: '',
  max_fix_attempts: '3',
  inline_comments: 'suggestions',
  include_diff: 'auto',
  allow_approve: 'false',
  dry_run: 'false',
  language: 'auto',
  report_issue: '',
  app_id: '',
  app_private_key: '',
  fail_on: 'error',
  github_token: '',
};

/** GitHub keeps 90 days at most unless the organisation says more. */
const maxRetentionDays = 400;
const minute = 60_000;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Settings from `INPUT_*` and the two key variables of the step's `env`.
 * Throws one Harness9Error INPUT_INVALID that lists all problems.
 */
export function parseInputs(env: Env): Settings {
  const read = new InputReader(env, inputDefaults);
  const githubToken = read.text('github_token');
  if (githubToken === null) read.problem('github_token', '', 'a token, such as `${{ github.token }}`');
  const settings: Settings = {
    mode: read.choice('mode', ['auto']),
    gate: readGateSettings(read),
    agent: readAgentSettings(read, env),
    githubToken: githubToken ?? '',
    app: readApp(read),
    failOn: readConclusions(read),
  };
  read.throwIfWrong();
  return settings;
}

function readGateSettings(read: InputReader): GateSettings {
  return {
    prompt: read.text('prompt'),
    triggerPhrases: readTriggerPhrases(read),
    labelTrigger: read.text('label_trigger'),
    assigneeTrigger: read.text('assignee_trigger'),
    requiredPermission: readRequiredPermission(read),
    allowedBots: readExactNames(read, 'allowed_bots'),
    allowedUsers: readExactNames(read, 'allowed_users'),
    allowedNonWriteUsers: readExactNames(read, 'allowed_non_write_users'),
    context: read.choice('context', ['auto', 'all', 'writers']),
    maxTurns: read.integer('max_turns', 0),
    timeoutMs: readTimeoutMinutes(read) * minute,
    maxTokensTotal: read.optionalInteger('max_tokens_total', 1),
    maxCostUsd: read.optionalAmount('max_cost_usd'),
    maxRunsPerThread: read.integer('max_runs_per_thread', 1),
    network: 'auto',
    session: read.choice('session', ['auto', 'new', 'off']),
    baseBranch: read.text('base_branch'),
    branchName: read.text('branch_name') ?? '',
    createPr: read.choice('create_pr', ['draft', 'ready', 'link', 'none']),
    pushToPr: read.boolean('push_to_pr'),
    protectedPaths: read.list('protected_paths'),
    maxPatchFiles: read.integer('max_patch_files', 1),
    maxPatchBytes: read.integer('max_patch_kb', 1) * 1024,
    maxDeletions: read.integer('max_deletions', 0),
    comment: read.choice('comment', ['auto', 'none']),
    reaction: read.choice('reaction', ['eyes', 'rocket', 'heart', '+1', 'none']),
    includeActors: read.list('include_comments_by_actor'),
    excludeActors: read.list('exclude_comments_by_actor'),
    allowedPaths: read.list('allowed_paths'),
    maxFixAttempts: read.integer('max_fix_attempts', 0),
    dryRun: read.boolean('dry_run'),
    language: read.text('language') ?? 'auto',
    reportIssue: read.text('report_issue'),
    models: [...read.list('model'), ...read.list('fallback_models')],
    ...readPullRequestSettings(read),
  };
}

/** `none` without a prompt would let strangers say what is done. */
function readRequiredPermission(read: InputReader): GateSettings['requiredPermission'] {
  const permission = read.choice('required_permission', ['write', 'none', 'triage', 'maintain', 'admin']);
  if (permission === 'none' && read.text('prompt') === null)
    read.problem('required_permission', permission, 'a `prompt` beside it, which says what is done whoever asks');
  return permission;
}

type PullRequestSettings = Pick<
  GateSettings,
  'prTitle' | 'prLabels' | 'prReviewers' | 'prAssignees' | 'commitMessage' | 'inlineComments' | 'includeDiff' | 'allowApprove'
>;

/** What github/publish/fill-template.ts fills. */
const titlePlaceholders = ['title', 'kind', 'number'];

function readPullRequestSettings(read: InputReader): PullRequestSettings {
  return {
    prTitle: read.template('pr_title', titlePlaceholders),
    prLabels: read.list('pr_labels'),
    prReviewers: read.list('pr_reviewers'),
    prAssignees: read.list('pr_assignees'),
    commitMessage: read.template('commit_message', titlePlaceholders),
    inlineComments: read.choice('inline_comments', ['suggestions', 'comments', 'none']),
    includeDiff: read.choice('include_diff', ['auto', 'always', 'never']),
    allowApprove: read.boolean('allow_approve'),
  };
}

/** One without the other is a slip: it would silently write as the workflow's own token. */
function readApp(read: InputReader): Settings['app'] {
  const [id, privateKey] = [read.text('app_id'), read.text('app_private_key')];
  if (id !== null && privateKey !== null) return { id, privateKey };
  if (id !== null) read.problem('app_private_key', '', 'the private key of the app that `app_id` names');
  if (privateKey !== null) read.problem('app_id', '', 'the id or the client id of the app that `app_private_key` belongs to');
  return null;
}

function readAgentSettings(read: InputReader, env: Env): AgentSettings {
  const retention = read.integer('session_retention_days', 1);
  if (retention > maxRetentionDays) read.problem('session_retention_days', String(retention), `at most ${maxRetentionDays}`);
  return {
    provider: read.choice('provider', ['auto', 'openai', 'anthropic', 'scripted']),
    model: read.text('model'),
    apiKey: read.text('api_key'),
    openaiKey: env.OPENAI_API_KEY || null,
    anthropicKey: env.ANTHROPIC_API_KEY || null,
    baseUrl: read.text('base_url'),
    allowInsecureEndpoint: read.boolean('allow_insecure_endpoint'),
    maxOutputTokens: read.optionalInteger('max_output_tokens', 1),
    reasoningEffort: read.text('reasoning_effort') === null ? null : read.choice('reasoning_effort', reasoningEfforts),
    fallbackModels: read.list('fallback_models'),
    outputSchema: read.text('output_schema'),
    sandbox: read.choice('sandbox', ['auto', 'process', 'readonly', 'none']),
    passEnv: read.list('pass_env'),
    systemPromptAppend: read.text('system_prompt_append'),
    instructionsFiles: read.list('instructions_files'),
    workingDirectory: read.text('working_directory') ?? '.',
    sessionSecret: read.text('session_secret'),
    sessionRetentionDays: retention,
    sessionStore: read.choice('session_store', ['artifact', 'branch']),
    edges: readEdgeSettings(read),
  };
}

/** Rules, hooks and servers are read where they are used: they may be files of the base commit. */
function readEdgeSettings(read: InputReader): EdgeSettings {
  return {
    allowedTools: read.text('allowed_tools'),
    disallowedTools: read.text('disallowed_tools'),
    permissionRules: read.text('permission_rules'),
    hooks: read.text('hooks'),
    mcpConfig: read.text('mcp_config'),
    verifyCommand: read.text('verify_command'),
    verifyAttempts: read.integer('verify_attempts', 0),
    otelEndpoint: read.text('otel_endpoint'),
    otelContent: read.boolean('otel_content'),
  };
}

/** GitHub ends a job after five days at the latest. */
const maxTimeoutMinutes = 7_200;

function readTimeoutMinutes(read: InputReader): number {
  const minutes = read.integer('timeout_minutes', 1);
  if (minutes > maxTimeoutMinutes) read.problem('timeout_minutes', String(minutes), `at most ${maxTimeoutMinutes}`);
  return minutes;
}

function readTriggerPhrases(read: InputReader): readonly string[] {
  const phrases = read.list('trigger_phrase');
  if (phrases.length === 0) read.problem('trigger_phrase', '', 'at least one handle, such as `@harness9`');
  return phrases;
}

/** A wildcard would let in whoever registers the right name (A4). */
function readExactNames(read: InputReader, input: string): readonly string[] {
  const names = read.list(input);
  const wildcard = names.find((name) => name.includes('*'));
  if (wildcard !== undefined) read.problem(input, wildcard, 'exact logins; wildcards are not accepted');
  return names;
}

function readConclusions(read: InputReader): Settings['failOn'] {
  return read.list('fail_on').flatMap((name) => {
    const parsed = conclusionSchema.safeParse(name);
    if (!parsed.success) read.problem('fail_on', name, `conclusions: ${conclusionSchema.options.join(', ')}`);
    return parsed.success ? [parsed.data] : [];
  });
}

/** A warning for each `INPUT_*` that is no input of ours, with the nearest name where there is one. */
export function unknownInputs(env: Env): readonly string[] {
  const known = Object.keys(inputDefaults);
  return Object.keys(env)
    .filter((name) => name.startsWith('INPUT_'))
    .map((name) => name.slice('INPUT_'.length).toLowerCase())
    .filter((name) => !known.includes(name))
    .map((name) => `input \`${name}\` does not exist; ${suggestion(name, known)}`);
}

/** Further away a suggestion is a guess that helps nobody. */
const maxNearDistance = 3;

function suggestion(name: string, known: readonly string[]): string {
  const near = known.filter((candidate) => distance(name, candidate) <= Math.min(maxNearDistance, candidate.length / 2));
  const [best] = near.sort((a, b) => distance(name, a) - distance(name, b));
  return best === undefined ? 'the README lists those that do' : `did you mean \`${best}\`?`;
}
