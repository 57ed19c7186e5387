// What every phase of the Action works with: settings, invocation, the redacted ways out. Built once, before the first phase.

import { otlpSecrets } from '../compose/otlp-headers.ts';
import { composeAccess, composeApi, composeOutgoing, type Outgoing, tellShortSecrets } from '../compose/outgoing.ts';
import { useProxies } from '../compose/proxies.ts';
import { proxySecrets } from '../compose/proxy-secrets.ts';
import type { GitHubApi } from '../github/api.ts';
import type { Access } from '../github/app-token/access.ts';
import { basicAuthOf } from '../github/checkout/basic-auth.ts';
import { createWriterLookup, type WriterLookup } from '../github/event/load-permission.ts';
import type { PublishPorts } from '../github/publish/ports.ts';
import { createReadOnlyApi } from '../github/read-only-api.ts';
import type { Settings } from '../schema/settings.ts';
import type { Log, World } from '../schema/world.ts';
import { parseInputs, unknownInputs } from './inputs.ts';
import { type Invocation, loadInvocation } from './invocation.ts';
import type { RunStateParts } from './run-state.ts';
import type { Runner } from './runner.ts';

/** What the entries know about where they are. */
export interface Installation {
  readonly toolHostEntry: string;
  /** Our own built files: commands must not change what post will run (D6). */
  readonly distDir: string;
}

export interface ActionContext {
  readonly settings: Settings;
  readonly invocation: Invocation;
  readonly installation: Installation;
  readonly world: World;
  readonly runner: Runner;
  readonly redactor: Outgoing['redactor'];
  /** Whose token the run works with; whoever loaded the context ends it. */
  readonly access: Access;
  readonly api: GitHubApi;
  /** Who may write: each account is asked about once in a run. */
  readonly isWriter: WriterLookup;
  readonly log: Log;
  readonly publishPorts: PublishPorts;
  readonly runState: RunStateParts;
}

/** The ways out of this process, opened before anything is read: every secret is masked in the runner's log first. */
export function openOutgoing(world: World, runner: Runner): Outgoing {
  const secrets = secretsOf(world.env);
  for (const secret of secrets) runner.mask(secret);
  const outgoing = composeOutgoing(world, secrets);
  useProxies(world.env, outgoing.log);
  tellShortSecrets(Object.fromEntries(secretNames(world.env).map((name) => [callOf(name), world.env[name]])), outgoing.log);
  return outgoing;
}

/** Settings and invocation of this process, wired. Throws INPUT_INVALID, RUNNER_INCOMPLETE or EVENT_MALFORMED. */
export async function loadContext(
  parts: Pick<ActionContext, 'world' | 'runner' | 'installation'>,
  outgoing: Outgoing,
): Promise<ActionContext> {
  const { world, runner } = parts;
  const { redactor, log } = outgoing;
  const settings = parseInputs(world.env);
  for (const warning of unknownInputs(world.env)) runner.warning(warning);
  const invocation = await loadInvocation(world.env, settings.agent.workingDirectory);
  const access = composeAccess({ ...settings, ...invocation }, invocation, { world, outgoing, mask: runner.mask });
  const open = composeApi(access.credentials, invocation, { world, egress: redactor.outward, log });
  const api = settings.gate.dryRun ? createReadOnlyApi(open) : open;
  const isWriter = createWriterLookup({ api, repository: invocation.repository });
  const publishPorts = { api, egress: redactor.outward, clock: world.clock, log };
  const runState = { runner, stateDir: invocation.stateDir, secret: runStateSecret(world.env) };
  return { ...parts, settings, invocation, redactor, access, api, isWriter, log, publishPorts, runState };
}

/** What main and post know, and no command: the token of the job. */
export function runStateSecret(env: World['env']): string {
  return env.INPUT_GITHUB_TOKEN ?? '';
}

/** Where secrets come in: inputs, the step's `env`, the runner's own tokens (threats.md, AS1–AS4). */
const secretVariables: readonly string[] = [
  'INPUT_GITHUB_TOKEN',
  'INPUT_API_KEY',
  'INPUT_APP_PRIVATE_KEY',
  'INPUT_SESSION_SECRET',
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'ACTIONS_RUNTIME_TOKEN',
  'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
];

/** What the headers of MCP servers may be made of. */
const secretPrefix = 'MCP_';

function secretNames(env: World['env']): readonly string[] {
  return [...secretVariables, ...Object.keys(env).filter((name) => name.startsWith(secretPrefix))];
}

/** The variable as whoever wrote the workflow knows it. */
function callOf(variable: string): string {
  return variable.startsWith('INPUT_') ? `input \`${variable.slice('INPUT_'.length).toLowerCase()}\`` : variable;
}

function secretsOf(env: World['env']): readonly string[] {
  const given = secretNames(env).flatMap((name) => env[name]?.trim() || []);
  // As git sends it.
  const basicAuth = env.INPUT_GITHUB_TOKEN ? [basicAuthOf(env.INPUT_GITHUB_TOKEN.trim())] : [];
  return [...given, ...basicAuth, ...otlpSecrets(env), ...proxySecrets(env)];
}
