// What every phase of the Action works with: settings, invocation, the redacted ways out. Built once, before the first phase.
import { composeApi, composeOutgoing, type Outgoing } from '../compose/outgoing.ts';
import type { GitHubApi } from '../github/api.ts';
import type { PublishPorts } from '../github/publish/ports.ts';
import type { Settings } from '../schema/settings.ts';
import type { Log, World } from '../schema/world.ts';
import { parseInputs, unknownInputs } from './inputs.ts';
import { type Invocation, loadInvocation } from './invocation.ts';
import type { Runner } from './runner.ts';

/** What the entries know about where they are. */
export interface Installation {
  readonly toolHostEntry: string;
}

export interface ActionContext {
  readonly settings: Settings;
  readonly invocation: Invocation;
  readonly installation: Installation;
  readonly world: World;
  readonly runner: Runner;
  readonly redactor: Outgoing['redactor'];
  readonly api: GitHubApi;
  readonly log: Log;
  readonly publishPorts: PublishPorts;
}

/** Settings and invocation of this process, wired. Throws INPUT_INVALID, RUNNER_INCOMPLETE or EVENT_MALFORMED. */
export async function loadContext(world: World, runner: Runner, installation: Installation): Promise<ActionContext> {
  const settings = parseInputs(world.env);
  for (const warning of unknownInputs(world.env)) runner.warning(warning);
  const invocation = await loadInvocation(world.env, settings.agent.workingDirectory);
  return createContext({ settings, invocation, installation, world, runner });
}

/** Wires the ways out, and masks every secret in the runner's log first. */
function createContext(
  parts: Pick<ActionContext, 'settings' | 'invocation' | 'installation' | 'world' | 'runner'>,
): ActionContext {
  const { settings, invocation, world, runner } = parts;
  const secrets = secretsOf(settings, world.env);
  for (const secret of secrets) runner.mask(secret);
  const { redactor, log } = composeOutgoing(world, secrets);
  const api = composeApi({ token: settings.githubToken, apiUrl: invocation.apiUrl }, { world, egress: redactor.outward, log });
  return { ...parts, redactor, api, log, publishPorts: { api, egress: redactor.outward, clock: world.clock, log } };
}

/** Everything secret that this process was given, the runner's own tokens included (threats.md, AS1–AS4). */
function secretsOf({ githubToken, agent }: Settings, env: World['env']): readonly string[] {
  const basicAuth = Buffer.from(`x-access-token:${githubToken}`).toString('base64');
  return [
    githubToken,
    basicAuth,
    agent.apiKey,
    agent.openaiKey,
    agent.anthropicKey,
    agent.sessionSecret,
    env.ACTIONS_RUNTIME_TOKEN,
    env.ACTIONS_ID_TOKEN_REQUEST_TOKEN,
  ].flatMap((secret) => (secret ? [secret] : []));
}
