// Everything that leaves the process: one redactor for the run's secrets, and the log and the API behind it.
import type { Egress, GitHubApi, RepositoryRef } from '../github/api.ts';
import { type Access, createAppAccess, givenAccess } from '../github/app-token/access.ts';
import { basicAuthOf } from '../github/checkout/basic-auth.ts';
import { type Credentials, createOctokitApi } from '../github/octokit-api.ts';
import { createLog } from '../observe/log.ts';
import { createRedactor, type Redactor, warningsOfShort } from '../redact/redactor.ts';
import type { Log, World } from '../schema/world.ts';
import { gitHubFetch } from './proxies.ts';
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

/** Where GitHub is, as the runner says. */
export interface Connection {
  readonly apiUrl: string;
  readonly graphqlUrl: string | undefined;
}

interface ApiParts {
  readonly world: World;
  readonly egress: Egress;
  readonly log: Log;
}

/** The GitHub API of a run; bodies of writes pass the redactor. */
export function composeApi(credentials: Credentials, connection: Connection, { world, egress, log }: ApiParts): GitHubApi {
  const random = () => randomFraction(world.randomHex);
  const fetch = gitHubFetch(world);
  return createOctokitApi({ ...connection, token: credentials, egress, fetch, clock: world.clock, random, log });
}

/** Whose token the run works with. */
export interface AccessSettings {
  readonly githubToken: string;
  readonly app: { readonly id: string; readonly privateKey: string } | null;
  readonly repository: RepositoryRef;
}

/** The job's token, or the app's, each of which `mask` and the redactor hear of before anything else does. */
export function composeAccess(
  { githubToken, app, repository }: AccessSettings,
  connection: Connection,
  parts: { readonly world: World; readonly outgoing: Outgoing; readonly mask: (secret: string) => void },
): Access {
  if (app === null) return givenAccess(githubToken);
  const { world, outgoing, mask } = parts;
  const { redactor, log } = outgoing;
  const onToken = (token: string): void => {
    const forms = [token, basicAuthOf(token)];
    for (const form of forms) mask(form);
    redactor.register(forms);
  };
  const openApi = (credentials: Credentials) => composeApi(credentials, connection, { world, egress: redactor.outward, log });
  return createAppAccess({ app, repository, openApi, clock: world.clock, onToken, log });
}
