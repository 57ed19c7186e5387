// Owns all the I/O of the gate: who asks and with which permission, who we are, the thread, the branches; decides nothing about them.
import { z } from 'zod';
import { Harness9Error } from '../../schema/error.ts';
import type { GateFacts, Permission } from '../../schema/gate.ts';
import type { GitHubEvent } from '../../schema/github-event.ts';
import type { GateSettings } from '../../schema/settings.ts';
import { type GitHubApi, GitHubApiError, isGone, type RepositoryApi, repositoryOf } from '../api.ts';
import { hasAtLeast, refuseRequester } from './decide-requester.ts';
import { loadPermission } from './load-permission.ts';
import { loadThreadFacts } from './load-thread-facts.ts';

export interface GatePorts {
  readonly api: GitHubApi;
  readonly now: () => Date;
  /** GITHUB_TRIGGERING_ACTOR: who started a re-run. When it is not the sender, the weaker of both permissions counts (A7). */
  readonly triggeringActor?: string | undefined;
}

/** The account of GITHUB_TOKEN, where GitHub does not say who we are. */
const actionsBot = { login: 'github-actions[bot]', id: 41_898_282 };

/**
 * What the gate decides with. Of a thread whose requester may not ask nothing is loaded (A1). Rejects where GitHub does not answer,
 * and with BASE_BRANCH_MISSING where there is no branch to work on; a permission that cannot be asked for is a fact, not an error.
 */
export async function loadFacts(
  event: GitHubEvent,
  settings: GateSettings,
  ports: GatePorts,
  signal: AbortSignal,
): Promise<GateFacts> {
  const { api } = ports;
  const place = { api, repository: repositoryOf(event) };
  const observedAt = ports.now().toISOString();
  const [requester, self] = await Promise.all([loadRequester(event, place, ports, signal), loadSelf(api, signal)]);
  const mayAsk = event.sender !== null && refuseRequester(event.sender, requester, settings) === null;
  const loaded = mayAsk && 'thread' in event ? await loadThreadFacts({ event, self, observedAt }, place, signal) : null;
  const openBase = loaded?.state === 'open' ? loaded.base : null;
  const wanted = { input: settings.baseBranch, pullBase: openBase?.branch ?? null };
  const base = await loadBase(event, wanted, place, signal);
  return { version: 1, observedAt, requester, self, thread: loaded, base };
}

async function loadRequester(
  event: GitHubEvent,
  place: RepositoryApi,
  { triggeringActor }: GatePorts,
  signal: AbortSignal,
): Promise<GateFacts['requester']> {
  if (event.sender === null) return { kind: 'unknown', reason: 'the account is gone' };
  const sender = event.sender.login;
  const logins = [...new Set([sender, triggeringActor ?? sender])];
  const facts = await Promise.all(logins.map((login) => loadPermission(place, login, signal)));
  return facts.reduce((weakest, fact) => (weakest.kind === 'known' && !isStronger(fact, weakest.permission) ? fact : weakest));
}

function isStronger(fact: GateFacts['requester'], than: Permission): boolean {
  return fact.kind === 'known' && hasAtLeast(fact.permission, than);
}

const viewerSchema = z.object({ viewer: z.object({ login: z.string(), databaseId: z.number() }) });

/** A person's token answers to `GET /user`, an app's to GraphQL's viewer; the default token is the Actions bot either way. */
async function loadSelf(api: GitHubApi, signal: AbortSignal): Promise<GateFacts['self']> {
  try {
    const { data } = await api.rest('GET /user', {}, signal);
    return { login: data.login, id: Number(data.id) };
  } catch (error) {
    if (!(error instanceof GitHubApiError)) throw error;
  }
  try {
    const { viewer } = viewerSchema.parse(await api.graphql('query { viewer { login databaseId } }', {}, signal));
    return { login: viewer.login, id: viewer.databaseId };
  } catch (error) {
    if (error instanceof GitHubApiError || error instanceof z.ZodError) return actionsBot;
    throw error;
  }
}

interface WantedBase {
  readonly input: string | null;
  readonly pullBase: string | null;
}

/** `base_branch`, else the open pull request's base, else the branch that was dispatched, else the default branch. */
async function loadBase(
  event: GitHubEvent,
  wanted: WantedBase,
  place: RepositoryApi,
  signal: AbortSignal,
): Promise<GateFacts['base']> {
  const { defaultBranch } = event.repository;
  if (wanted.input !== null)
    return requireBranch(wanted.input, 'Set the input base_branch to a branch that exists.', place, signal);
  const dispatched = event.kind === 'workflow_dispatch' ? /^refs\/heads\/(.+)$/.exec(event.ref)?.[1] : undefined;
  const first = wanted.pullBase ?? dispatched ?? defaultBranch;
  // The base of a stacked pull request may be gone (G1-13); its work then goes to the default branch.
  const found = first === defaultBranch ? null : await findBranch(first, place, signal);
  return found ?? requireBranch(defaultBranch, 'The default branch needs at least one commit.', place, signal);
}

async function requireBranch(
  branch: string,
  hint: string,
  place: RepositoryApi,
  signal: AbortSignal,
): Promise<GateFacts['base']> {
  const found = await findBranch(branch, place, signal);
  if (found !== null) return found;
  throw new Harness9Error({
    code: 'BASE_BRANCH_MISSING',
    message: `The branch ${branch} does not exist in ${place.repository.repo}.`,
    hint,
  });
}

async function findBranch(
  branch: string,
  { api, repository }: RepositoryApi,
  signal: AbortSignal,
): Promise<GateFacts['base'] | null> {
  try {
    const { data } = await api.rest('GET /repos/{owner}/{repo}/branches/{branch}', { ...repository, branch }, signal);
    return { branch, sha: data.commit.sha };
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}
