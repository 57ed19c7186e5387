// Owns all the I/O of the gate: who asks and with which permission, who we are, the thread, the branches; decides nothing about them.
import { z } from 'zod';
import { Harness9Error } from '../../schema/error.ts';
import type { GateFacts, OwnPull, Permission } from '../../schema/gate.ts';
import type { GitHubEvent } from '../../schema/github-event.ts';
import type { GateSettings } from '../../schema/settings.ts';
import { type GitHubApi, GitHubApiError, isGone, type RepositoryApi, repositoryOf } from '../api.ts';
import { threadOf } from './decide-channel.ts';
import { hasAtLeast, refuseRequesters } from './decide-requester.ts';
import { decideTrigger, requestersOf } from './decide-trigger.ts';
import { loadCheckFacts } from './load-check-facts.ts';
import { createWriterLookup, loadPermission, type WriterLookup } from './load-permission.ts';
import { loadThreadFacts } from './load-thread-facts.ts';

export interface GatePorts {
  readonly api: GitHubApi;
  readonly now: () => Date;
  /** GITHUB_TRIGGERING_ACTOR: who started a re-run. When it is not the sender, the weaker of both permissions counts (A7). */
  readonly triggeringActor?: string | undefined;
  /** Who may write, asked once for all of a run; absent: asked for here alone. */
  readonly isWriter?: WriterLookup | undefined;
}

/** The account of GITHUB_TOKEN on github.com, where GitHub does not say who we are. */
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
  const mayAsk = requestersOf(event).length > 0 && refuseRequesters(event, { requester, self }, settings) === null;
  const check = mayAsk && 'check' in event ? await loadCheckFacts(event, place, signal) : null;
  const thread = mayAsk ? threadOf(event, { check }) : null;
  const isWriter = ports.isWriter ?? createWriterLookup(place);
  const findsWaiting = asksByMention(event, settings);
  const question = { event, askedAt: askedAt(event), observedAt, self, settings, findsWaiting, isWriter };
  const loaded = thread === null ? null : await loadThreadFacts({ ...question, thread }, place, signal);
  const openBase = loaded?.state === 'open' ? loaded.base : null;
  const wanted = { input: settings.baseBranch, pullBase: openBase?.branch ?? null };
  const base = await loadBase(event, wanted, place, signal);
  const renewed = loaded?.ownPull ? { ...loaded, ownPull: await renewBase(loaded.ownPull, base, place, signal) } : loaded;
  return { version: 1, observedAt, requester, self, thread: renewed, check, base };
}

/** A pull request names the commit that its base stood on when its head was pushed last; what is merged in is the newest. */
async function renewBase(pull: OwnPull, base: GateFacts['base'], place: RepositoryApi, signal: AbortSignal): Promise<OwnPull> {
  const { branch } = pull.base;
  const newest = branch === base.branch ? base : await findBranch(branch, place, signal);
  return { ...pull, base: newest ?? base };
}

/** When what is asked was asked; empty where the event has no time. */
function askedAt(event: GitHubEvent): string {
  if ('comment' in event) return event.comment.createdAt;
  return 'createdAt' in event ? event.createdAt : '';
}

function asksByMention(event: GitHubEvent, settings: GateSettings): boolean {
  const request = decideTrigger(event, settings, { id: 0, job: '' });
  return request.kind === 'trigger' && request.trigger.kind === 'mention';
}

/** The weakest permission of the people that the event is by, and of who runs it again; bots have none to ask for. */
async function loadRequester(
  event: GitHubEvent,
  place: RepositoryApi,
  { triggeringActor }: GatePorts,
  signal: AbortSignal,
): Promise<GateFacts['requester']> {
  const [first, ...others] = requestersOf(event);
  if (first === undefined) return { kind: 'unknown', reason: 'the account is gone' };
  const people = others.filter(({ type }) => type === 'User').map(({ login }) => login);
  const logins = [...new Set([first.login, ...people, triggeringActor ?? first.login])];
  const facts = await Promise.all(logins.map((login) => loadPermission(place, login, signal)));
  return facts.reduce((weakest, fact) => (weakest.kind === 'known' && !isStronger(fact, weakest.permission) ? fact : weakest));
}

function isStronger(fact: GateFacts['requester'], than: Permission): boolean {
  return fact.kind === 'known' && hasAtLeast(fact.permission, than);
}

const viewerSchema = z.object({ viewer: z.object({ login: z.string(), databaseId: z.number() }) });

/** GraphQL's viewer is whoever the token is of; a person's token answers to `GET /user` as well. The default token is the Actions bot either way. */
async function loadSelf(api: GitHubApi, signal: AbortSignal): Promise<GateFacts['self']> {
  try {
    const { viewer } = viewerSchema.parse(await api.graphql('query Viewer { viewer { login databaseId } }', {}, signal));
    return { login: viewer.login, id: viewer.databaseId };
  } catch (error) {
    if (!(error instanceof GitHubApiError || error instanceof z.ZodError)) throw error;
  }
  try {
    const { data } = await api.rest('GET /user', {}, signal);
    return { login: data.login, id: Number(data.id) };
  } catch (error) {
    if (error instanceof GitHubApiError) return loadActionsBot(api, signal);
    throw error;
  }
}

/** An Enterprise Server has given it an id of its own, by which alone we know our comments again. */
async function loadActionsBot(api: GitHubApi, signal: AbortSignal): Promise<GateFacts['self']> {
  const { login } = actionsBot;
  try {
    const { data } = await api.rest('GET /users/{username}', { username: login }, signal);
    return { login, id: Number(data.id) };
  } catch (error) {
    if (error instanceof GitHubApiError) return actionsBot;
    throw error;
  }
}

interface WantedBase {
  readonly input: string | null;
  readonly pullBase: string | null;
}

/** The open pull request's base, which no input changes; else `base_branch`, else the branch that was dispatched or pushed to, else the default branch. */
async function loadBase(
  event: GitHubEvent,
  wanted: WantedBase,
  place: RepositoryApi,
  signal: AbortSignal,
): Promise<GateFacts['base']> {
  const { defaultBranch } = event.repository;
  if (wanted.input !== null && wanted.pullBase === null)
    return requireBranch(wanted.input, 'Set the input base_branch to a branch that exists.', place, signal);
  const dispatched =
    event.kind === 'workflow_dispatch' || event.kind === 'push' ? /^refs\/heads\/(.+)$/.exec(event.ref)?.[1] : undefined;
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
