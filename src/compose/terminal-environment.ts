// Where the terminal stands: the user's environment with the folder's `.env`, and the ways out behind the redactor for the keys in it.
import type { World } from '../schema/world.ts';
import { loadEnvFile } from './env-file.ts';
import { composeOutgoing, type Outgoing, tellShortSecrets } from './outgoing.ts';
import { useProxies } from './proxies.ts';
import { proxySecrets } from './proxy-secrets.ts';

/** `world` as this folder sees it. */
export interface TerminalEnvironment extends Outgoing {
  readonly world: World;
}

/** Never rejects; what was left out of the `.env` is said in the log. */
export async function composeTerminalEnvironment(
  workDir: string,
  world: World,
  signal: AbortSignal,
): Promise<TerminalEnvironment> {
  const { env, warnings } = await loadEnvFile(workDir, world.env, signal);
  const outgoing = composeOutgoing(world, [...keysOf(env), ...proxySecrets(env)]);
  const { OPENAI_API_KEY, ANTHROPIC_API_KEY } = env;
  tellShortSecrets({ OPENAI_API_KEY, ANTHROPIC_API_KEY }, outgoing.log);
  for (const warning of warnings) outgoing.log(warning);
  useProxies(env, outgoing.log);
  return { world: { ...world, env }, ...outgoing };
}

/** Of the environment as it is, for what is only read and shown. */
export function keysOf({ OPENAI_API_KEY, ANTHROPIC_API_KEY }: World['env']): readonly string[] {
  return [OPENAI_API_KEY, ANTHROPIC_API_KEY].filter((key) => key !== undefined && key !== '').map(String);
}
