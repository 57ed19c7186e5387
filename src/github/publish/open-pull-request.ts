// The pull request for a branch: found when it is there, made when it is not; a link for a person where GitHub makes none.
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import type { Outcome } from '../../schema/outcome.ts';
import { GitHubApiError, isRefusal, repositoryOf } from '../api.ts';
import { markerOfOwnPull } from '../own-pull.ts';
import { templateIn } from './load-template.ts';
import type { PublishIo } from './ports.ts';

export interface PullRequestDraft {
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  /** What is not finished is never made ready for review. */
  readonly isFinished: boolean;
}

/** `note`: why there is no pull request. */
export interface Opened {
  readonly pullRequest: Outcome['pullRequest'];
  readonly note: string | null;
}

/**
 * Looks for an open pull request of the branch first, so that a second run makes no second one (R4). Only a trusted run's that came
 * to its end is ever made ready for review; where drafts are refused, every other's branch waits for a person.
 */
export async function openPullRequest(plan: RunPlan, draft: PullRequestDraft, io: PublishIo): Promise<Opened> {
  const found = await findPullRequest(plan, draft, io);
  if (found !== null) return { pullRequest: found, note: null };
  try {
    const isDraft = plan.pullRequest.mode === 'draft' || plan.trust !== 'trusted' || !draft.isFinished;
    return { pullRequest: await createPullRequest(plan, draft, isDraft, io), note: null };
  } catch (error) {
    io.signal.throwIfAborted();
    if (!isRefusal(error)) throw error;
    return { pullRequest: null, note: explain(error, plan) };
  }
}

/** The page on which a person opens the pull request. */
export function compareUrlOf(plan: RunPlan, { base, branch }: Pick<PullRequestDraft, 'base' | 'branch'>): string {
  const { origin } = new URL(plan.run.url);
  const path = [plan.repository.owner, plan.repository.name, 'compare'].map(encodeURIComponent).join('/');
  return `${origin}/${path}/${encodeRef(base)}...${encodeRef(branch)}?expand=1`;
}

function encodeRef(ref: string): string {
  return ref
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/[()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

/** Where a pull request is to be found. */
export interface PullLink {
  readonly number: number;
  readonly url: string;
}

/** `created`: by an earlier try of this very run, which did not live to say so. */
async function findPullRequest(
  plan: RunPlan,
  { branch, base }: PullRequestDraft,
  { ports, signal }: PublishIo,
): Promise<NonNullable<Outcome['pullRequest']> | null> {
  const parameters = { ...repositoryOf(plan), head: `${plan.repository.owner}:${branch}`, base, state: 'open' as const };
  const { data } = await ports.api.rest('GET /repos/{owner}/{repo}/pulls', parameters, signal);
  const first = data.find((pull) => pull.head.ref === branch);
  if (first === undefined) return null;
  const marker = markerOfOwnPull(first, { self: plan.self, repositoryId: plan.repository.id });
  const operation = marker?.trigger === plan.trigger.id ? 'created' : 'updated';
  return { number: first.number, url: first.html_url, operation };
}

/** A description above the repository's template, which is kept as it is. */
export type BodyOver = (template: string) => string;

/**
 * Replaces our part of the description of a pull request of ours; the title and what people made of the template stay. What GitHub refuses
 * is the note: the commits are there.
 */
export async function renewDescription(
  plan: RunPlan,
  number: number,
  bodyOver: BodyOver,
  { ports, signal }: PublishIo,
): Promise<string | null> {
  try {
    const place = { ...repositoryOf(plan), pull_number: number };
    const { data } = await ports.api.rest('GET /repos/{owner}/{repo}/pulls/{pull_number}', place, signal);
    const parameters = { ...place, body: ports.egress(bodyOver(templateIn(data.body ?? ''))) };
    await ports.api.rest('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', parameters, signal);
    return null;
  } catch (error) {
    signal.throwIfAborted();
    return `The description of #${number} is the earlier one: ${messageOf(error)}.`;
  }
}

async function createPullRequest(
  plan: RunPlan,
  draft: PullRequestDraft,
  isDraft: boolean,
  io: PublishIo,
): Promise<Outcome['pullRequest']> {
  const { ports, signal } = io;
  const parameters = {
    ...repositoryOf(plan),
    head: draft.branch,
    base: draft.base,
    title: ports.egress(draft.title),
    body: ports.egress(draft.body),
    draft: isDraft,
  };
  try {
    const { data } = await ports.api.rest('POST /repos/{owner}/{repo}/pulls', parameters, signal);
    return { number: data.number, url: data.html_url, operation: 'created' };
  } catch (error) {
    signal.throwIfAborted();
    const found = await findPullRequest(plan, draft, io);
    if (found !== null) return { ...found, operation: 'created' };
    // Where drafts are not offered GitHub answers 422; so it does for much else, which the second try then tells.
    const mayBeReady = isDraft && plan.trust === 'trusted';
    if (mayBeReady && isUnprocessable(error)) return createPullRequest(plan, draft, false, io);
    throw error;
  }
}

function isUnprocessable(error: unknown): error is GitHubApiError {
  return error instanceof GitHubApiError && error.status === 422;
}

function explain(error: GitHubApiError, { trust }: RunPlan): string {
  if (error.status === 403) {
    return `GitHub made no pull request (${error.answer}). The job needs \`pull-requests: write\`, and the repository’s setting "Allow GitHub Actions to create and approve pull requests".`;
  }
  if (isUnprocessable(error) && trust !== 'trusted') {
    return `GitHub made no draft pull request (${error.answer}). This run read text by people who may not write here, so it opens nothing but drafts: look at the branch and open the pull request yourself.`;
  }
  return `GitHub made no pull request (${error.answer}).`;
}
