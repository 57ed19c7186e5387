// Owns whose token a run works with: the one it was given, or an app's, made when first needed, renewed before it ends, revoked at the end.
import { Harness9Error, messageOf } from '../../schema/error.ts';
import type { Clock, Log } from '../../schema/world.ts';
import { type GitHubApi, GitHubApiError, type RepositoryRef } from '../api.ts';
import type { Credentials, Signing } from '../octokit-api.ts';
import { readPrivateKey } from './private-key.ts';

/** A run's right to act on GitHub. */
export interface Access {
  /** What the API signs its requests with. */
  readonly credentials: Credentials;
  /** For git. Rejects with APP_REFUSED, APP_NOT_INSTALLED or APP_SUSPENDED. */
  token(): Promise<string>;
  /** Takes back what was made for this run. Never rejects. */
  end(): Promise<void>;
}

/** The token that the job was given; nobody here may end it. */
export function givenAccess(token: string): Access {
  return { credentials: token, token: async () => token, end: async () => undefined };
}

export interface AppAccessOptions {
  /** `id`: the app's id or its client id. `privateKey`: see readPrivateKey. */
  readonly app: { readonly id: string; readonly privateKey: string };
  /** The one repository that the tokens open. */
  readonly repository: RepositoryRef;
  readonly openApi: (credentials: Credentials) => GitHubApi;
  readonly clock: Clock;
  /** Told of each token before anything is done with it. */
  readonly onToken: (token: string) => void;
  readonly log: Log;
}

interface Minted {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** GitHub's tokens live an hour: one that ends within a long answer's time is not used any more. */
const renewBeforeMs = 5 * 60_000;
/** Every run that is not skipped waits for it. */
const mintTimeoutMs = 90_000;
/** The reply is out already; an hour later the token is dead by itself. */
const revokeTimeoutMs = 10_000;

/** Tokens of an app's installation. Throws INPUT_INVALID for a key that is none; everything else shows with the first request. */
export function createAppAccess(options: AppAccessOptions): Access {
  const asApp = options.openApi(signingAs(options.app.id, readPrivateKey(options.app.privateKey)));
  const living = new Set<string>();
  let newest: Promise<Minted> | undefined;

  const start = (): Promise<Minted> => {
    const minting = mint(asApp, options).then((minted) => {
      options.onToken(minted.token);
      living.add(minted.token);
      return minted;
    });
    newest = minting;
    // The next one who asks tries anew.
    minting.catch(() => {
      if (newest === minting) newest = undefined;
    });
    return minting;
  };
  const token = async (): Promise<string> => {
    const asked = newest ?? start();
    const minted = await asked;
    if (minted.expiresAtMs - options.clock.now().getTime() > renewBeforeMs) return minted.token;
    // Of several that find it too old together one asks.
    return (await (newest === asked || newest === undefined ? start() : newest)).token;
  };
  return {
    credentials: async () => ({ authStrategy: () => ({ hook: signWith(token) }), auth: {} }),
    token,
    end: async () => {
      await newest?.catch(() => undefined);
      await Promise.all([...living].map((each) => revoke(each, options)));
      living.clear();
    },
  };
}

function signingAs(appId: string, privateKey: string): () => Promise<Signing> {
  const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  return async () => {
    const { createAppAuth } = await import('@octokit/auth-app');
    return { authStrategy: createAppAuth, auth: { appId, privateKey, log: silent } };
  };
}

interface Endpoint {
  readonly headers: Record<string, string | number | undefined>;
}
interface OctokitRequest {
  (endpoint: Endpoint): Promise<unknown>;
  readonly endpoint: { merge(parameters: unknown): Endpoint };
}

/** Each request with the token of its time: a run may last longer than a token. */
function signWith(token: () => Promise<string>) {
  return async (request: OctokitRequest, parameters: unknown): Promise<unknown> => {
    const endpoint = request.endpoint.merge(parameters);
    endpoint.headers.authorization = `token ${await token()}`;
    return request(endpoint);
  };
}

/** For this repository alone, with all that the app was granted here. */
async function mint(asApp: GitHubApi, options: AppAccessOptions): Promise<Minted> {
  const { repository, log } = options;
  const signal = AbortSignal.timeout(mintTimeoutMs);
  try {
    const { data: installation } = await asApp.rest('GET /repos/{owner}/{repo}/installation', { ...repository }, signal);
    if (installation.suspended_at != null) throw suspended(options, installation.html_url);
    const wanted = { installation_id: installation.id, repositories: [repository.repo] };
    const { data } = await asApp.rest('POST /app/installations/{installation_id}/access_tokens', wanted, signal);
    const permissions = Object.entries(data.permissions ?? {}).map(([name, level]) => `${name}:${level}`);
    log(`[github] app=${installation.app_slug} permissions=${permissions.join(',')}`);
    return { token: data.token, expiresAtMs: Date.parse(data.expires_at) };
  } catch (error) {
    throw error instanceof GitHubApiError ? explain(error, options) : error;
  }
}

async function revoke(token: string, { openApi, log }: AppAccessOptions): Promise<void> {
  try {
    await openApi(token).rest('DELETE /installation/token', {}, AbortSignal.timeout(revokeTimeoutMs));
  } catch (error) {
    // One that has ended is what was wanted.
    if (error instanceof GitHubApiError && error.status === 401) return;
    log(`[github] the app's token was not revoked and ends within the hour: ${messageOf(error)}`);
  }
}

/** What an app's refusals mean; a server that fails says so itself. */
function explain(error: GitHubApiError, { app, repository }: AppAccessOptions): Harness9Error {
  const place = `${repository.owner}/${repository.repo}`;
  if (error.status === 404) {
    return new Harness9Error({
      code: 'APP_NOT_INSTALLED',
      message: `the GitHub App of app_id "${app.id}" is not installed on ${place}`,
      hint: `Install it from the app’s page (“Install App”) and choose ${place} among its repositories.`,
      cause: error,
    });
  }
  if (error.isRateLimit || error.status === 0 || error.status >= 500) return error;
  return new Harness9Error({
    code: 'APP_REFUSED',
    message: `GitHub made no token for the app of app_id "${app.id}" on ${place} (${error.status}: ${error.answer})`,
    hint: 'The inputs app_id and app_private_key must be of the same app on this server, and the key must not have been deleted there.',
    cause: error,
  });
}

function suspended({ app, repository }: AppAccessOptions, url: string): Harness9Error {
  return new Harness9Error({
    code: 'APP_SUSPENDED',
    message: `the GitHub App of app_id "${app.id}" is suspended on ${repository.owner}/${repository.repo}`,
    hint: `An owner can end that at ${url}.`,
  });
}
