// What the runner tells about this run: the event file, the repository, the run and the folders. Reads environment and files, decides nothing.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunIdentity } from '../github/event/decide-trigger.ts';
import { Harness9Error } from '../schema/error.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** This run of the workflow, as the runner's variables describe it. */
export interface Invocation {
  readonly eventName: string;
  readonly payload: unknown;
  readonly repository: { readonly owner: string; readonly repo: string };
  /** Whom the runner names for events that name nobody, and the repository that a payload must belong to. */
  readonly origin: {
    readonly actor: { readonly login: string; readonly id: number };
    readonly repositoryId: number | undefined;
  };
  /** Who started this attempt: not the sender when somebody else runs it again. */
  readonly triggeringActor: string | undefined;
  readonly run: RunIdentity;
  readonly serverUrl: string;
  readonly apiUrl: string;
  /** Absent: it is told from `apiUrl`. */
  readonly graphqlUrl: string | undefined;
  /** The checked-out repository. */
  readonly workspace: string;
  /** A private folder for this run's own files; never inside the workspace. */
  readonly stateDir: string;
}

/** Loads the invocation. Throws RUNNER_INCOMPLETE or EVENT_MALFORMED, naming the variable or the file. */
export async function loadInvocation(env: Env, workingDirectory: string): Promise<Invocation> {
  const repository = required(env, 'GITHUB_REPOSITORY');
  const [owner, repo] = repository.split('/');
  if (!owner || !repo) throw incomplete('GITHUB_REPOSITORY', repository, '`owner/name`');
  const serverUrl = env.GITHUB_SERVER_URL || 'https://github.com';
  const id = Number(required(env, 'GITHUB_RUN_ID'));
  const attempt = Number(env.GITHUB_RUN_ATTEMPT || '1');
  return {
    eventName: required(env, 'GITHUB_EVENT_NAME'),
    payload: await loadPayload(required(env, 'GITHUB_EVENT_PATH')),
    repository: { owner, repo },
    origin: {
      actor: { login: env.GITHUB_ACTOR ?? '', id: Number(env.GITHUB_ACTOR_ID || '0') },
      repositoryId: env.GITHUB_REPOSITORY_ID ? Number(env.GITHUB_REPOSITORY_ID) : undefined,
    },
    triggeringActor: env.GITHUB_TRIGGERING_ACTOR || undefined,
    run: {
      id,
      attempt,
      url: `${serverUrl}/${repository}/actions/runs/${id}`,
      workflowPath: workflowPathOf(env.GITHUB_WORKFLOW_REF ?? '', repository),
      job: env.GITHUB_JOB ?? '',
      ref: env.GITHUB_REF ?? '',
      sha: required(env, 'GITHUB_SHA'),
    },
    serverUrl,
    apiUrl: env.GITHUB_API_URL || 'https://api.github.com',
    graphqlUrl: env.GITHUB_GRAPHQL_URL || undefined,
    workspace: path.resolve(required(env, 'GITHUB_WORKSPACE'), workingDirectory),
    stateDir: path.join(required(env, 'RUNNER_TEMP'), `harness9-${id}-${attempt}`),
  };
}

async function loadPayload(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new Harness9Error({
      code: 'EVENT_MALFORMED',
      message: `the event file ${file} (GITHUB_EVENT_PATH) could not be read as JSON`,
      hint: 'The runner writes it; outside a runner, point GITHUB_EVENT_PATH at a webhook payload.',
      cause,
    });
  }
}

/** `octo/cart/.github/workflows/x.yml@refs/heads/main` → `.github/workflows/x.yml`. */
function workflowPathOf(workflowRef: string, repository: string): string {
  return workflowRef.replace(`${repository}/`, '').replace(/@.*$/, '');
}

function required(env: Env, name: string): string {
  const value = env[name];
  if (!value) throw incomplete(name, '', 'a value');
  return value;
}

function incomplete(name: string, seen: string, expected: string): Harness9Error {
  return new Harness9Error({
    code: 'RUNNER_INCOMPLETE',
    message: `the variable ${name} is ${seen === '' ? 'missing' : `"${seen}"`}, expected ${expected}`,
    hint: 'The Action is started by a GitHub runner, which sets it; to try it without one, use `npm run demo`.',
  });
}
