// Everything that leaves the process: one redactor for the run's secrets, and the log and the API behind it.
import type { Egress, GitHubApi } from '../github/api.ts';
import { createOctokitApi } from '../github/octokit-api.ts';
import { createLog } from '../observe/log.ts';
import { createRedactor, type Redactor, warningsOfShort } from '../redact/redactor.ts';
import type { Log, World } from '../schema/world.ts';
import { randomFraction } from './world.ts';

/** The ways out that every run has. */
export interface Outgoing {
  readonly redactor: Redactor;
  readonly log: Log;
}

/** The redactor for all secrets that this process was given, and our log on stderr behind it, harmless to a runner that reads along. */
export function composeOutgoing(world: Pick<World, 'stderr'>, secrets: readonly string[]): Outgoing {
  const redactor = createRedactor(secrets);
  const write = createLog(world.stderr);
  const log: Log = (line) => write(redactor.outward(line));
  return { redactor, log };
}

/** Says which secrets cannot be redacted; they stand under the names that people know them by. */
export function tellShortSecrets(secrets: Readonly<Record<string, string | undefined>>, log: Log): void {
  for (const warning of warningsOfShort(secrets)) log(`[redact] warning=secret_too_short ${warning}`);
}

/** The GitHub API of a run; bodies of writes pass the redactor. */
export function composeApi(
  connection: { readonly token: string; readonly apiUrl: string },
  parts: { readonly world: World; readonly egress: Egress; readonly log: Log },
): GitHubApi {
  const { world, egress, log } = parts;
  const random = () => randomFraction(world.randomHex);
  return createOctokitApi({ ...connection, egress, fetch: gitHubFetch(world), clock: world.clock, random, log });
}

const proxyVariables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];

/** Behind a proxy GitHub is reached as its own toolkit reaches it, which reads proxy and exceptions from the environment itself. */
export function gitHubFetch({ env, fetch }: Pick<World, 'env' | 'fetch'>): World['fetch'] {
  if (!proxyVariables.some((name) => env[name])) return fetch;
  let toolkit: Promise<World['fetch']> | undefined;
  return async (input, init) => {
    toolkit ??= import('@actions/github/lib/utils').then(({ defaults }) => defaults.request?.fetch ?? fetch);
    return (await toolkit)(input, init);
  };
}
