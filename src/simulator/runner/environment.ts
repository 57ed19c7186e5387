/** The environment that a runner gives to an action's step. Nothing of the parent's is inherited. */
import path from 'node:path';
import type { CommandFiles } from './command-files.ts';
import type { RunActionOptions } from './contract.ts';
import { TRACKING_VARIABLE } from './process-tree.ts';

/** Where the run keeps its files; all are private to it. */
export interface RunPlaces {
  readonly temp: string;
  readonly home: string;
  readonly eventFile: string;
  readonly trackingId: string;
}

// What a step finds on a hosted runner, with this Node in front.
const SEARCH_PATH = [
  path.dirname(process.execPath),
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
].join(':');

/** All variables but inputs, state and what the job's `env` says. */
export function stepEnvironment(options: RunActionOptions, places: RunPlaces, files: CommandFiles): Record<string, string> {
  const { github } = options;
  const repository = `${github.owner}/${github.repo}`;
  const refName = options.ref.replace(/^refs\/(heads|tags|pull)\//, '');
  return {
    ...serverVariables(options),
    PATH: SEARCH_PATH,
    HOME: places.home,
    LANG: 'C.UTF-8',
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION: '__harness9',
    GITHUB_ACTION_PATH: options.actionDir,
    GITHUB_ACTION_REPOSITORY: 'harness9/harness9',
    GITHUB_ACTION_REF: 'v1',
    GITHUB_ACTOR: options.actor,
    GITHUB_TRIGGERING_ACTOR: options.actor,
    GITHUB_EVENT_NAME: options.event.name,
    GITHUB_EVENT_PATH: places.eventFile,
    GITHUB_JOB: options.job,
    GITHUB_REF: options.ref,
    GITHUB_REF_NAME: refName,
    GITHUB_REF_TYPE: options.ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    GITHUB_REPOSITORY: repository,
    GITHUB_REPOSITORY_ID: String(github.repositoryId),
    GITHUB_REPOSITORY_OWNER: github.owner,
    GITHUB_RETENTION_DAYS: '90',
    GITHUB_RUN_ATTEMPT: String(options.runAttempt ?? 1),
    GITHUB_RUN_ID: String(options.runId),
    GITHUB_RUN_NUMBER: String(options.runNumber ?? 1),
    GITHUB_SHA: options.sha,
    GITHUB_WORKFLOW: 'harness9',
    GITHUB_WORKFLOW_REF: `${repository}/${options.workflowPath}@${options.ref}`,
    GITHUB_WORKFLOW_SHA: options.sha,
    GITHUB_WORKSPACE: options.workspace,
    GITHUB_OUTPUT: files.OUTPUT,
    GITHUB_ENV: files.ENV,
    GITHUB_STATE: files.STATE,
    GITHUB_PATH: files.PATH,
    GITHUB_STEP_SUMMARY: files.STEP_SUMMARY,
    RUNNER_ARCH: 'X64',
    RUNNER_ENVIRONMENT: 'github-hosted',
    RUNNER_NAME: 'Simulated Runner',
    RUNNER_OS: 'Linux',
    RUNNER_TEMP: places.temp,
    RUNNER_TOOL_CACHE: path.join(places.temp, 'tool-cache'),
    [TRACKING_VARIABLE]: places.trackingId,
  };
}

function serverVariables({ github }: RunActionOptions): Record<string, string> {
  return {
    GITHUB_API_URL: github.apiUrl,
    GITHUB_GRAPHQL_URL: github.graphqlUrl,
    GITHUB_SERVER_URL: github.serverUrl,
    ACTIONS_RESULTS_URL: github.resultsUrl,
    ACTIONS_RUNTIME_TOKEN: github.runtimeToken,
    ACTIONS_RUNTIME_URL: github.resultsUrl,
  };
}

/** `INPUT_*`: what the workflow gives, else the default with its expressions evaluated. Spaces become underscores, dashes stay. */
export function inputVariables(
  defaults: Readonly<Record<string, string | undefined>>,
  options: Pick<RunActionOptions, 'inputs' | 'github' | 'actor' | 'workspace' | 'event' | 'ref' | 'sha' | 'runId'>,
): Record<string, string> {
  const context: Readonly<Record<string, string>> = {
    token: options.github.token,
    actor: options.actor,
    workspace: options.workspace,
    repository: `${options.github.owner}/${options.github.repo}`,
    event_name: options.event.name,
    ref: options.ref,
    sha: options.sha,
    run_id: String(options.runId),
    api_url: options.github.apiUrl,
    server_url: options.github.serverUrl,
  };
  const given = {
    ...Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, value ?? ''])),
    ...options.inputs,
  };
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase().replaceAll(' ', '_')}`, evaluate(value, context)]),
  );
}

/** Replaces `${{ github.name }}`; an expression that it does not know is a fault of the test, not an empty text. */
function evaluate(text: string, github: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_whole, expression: string) => {
    const name = /^github\.(\w+)$/.exec(expression)?.[1];
    const value = name === undefined ? undefined : github[name];
    if (value === undefined) throw new Error(`This runner cannot evaluate \${{ ${expression} }}`);
    return value;
  });
}
