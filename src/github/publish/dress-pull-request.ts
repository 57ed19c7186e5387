// What the workflow wants on a new pull request beside its text: labels, reviewers, assignees. Nothing here is worth a failure.
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { GitHubApiError, isRefusal, repositoryOf } from '../api.ts';
import { inlineCode } from './inline-code.ts';
import type { PublishIo } from './ports.ts';

/** One sentence for each kind that GitHub did not take, or not all of it. To be called once, when the pull request was made. */
export async function dressPullRequest(plan: RunPlan, number: number, io: PublishIo): Promise<readonly string[]> {
  const { labels, reviewers, assignees } = plan.pullRequest;
  const wishes: readonly (readonly [what: string, names: readonly string[], ask: Ask])[] = [
    ['labels', labels, (names) => addLabels(plan, number, names, io)],
    ['reviewers', reviewers, (names) => requestReviewers(plan, number, names, io)],
    ['assignees', assignees, (names) => addAssignees(plan, number, names, io)],
  ];
  const notes: string[] = [];
  for (const [what, names, ask] of wishes) {
    const refused = names.length === 0 ? [] : await askFor(names, ask, io.signal);
    if (refused.length > 0) notes.push(explain(what, refused));
  }
  return notes;
}

/** Asks for all of the names, and answers those that GitHub took no notice of. */
type Ask = (names: readonly string[]) => Promise<readonly string[]>;

interface Refused {
  readonly name: string;
  readonly why: string;
}

/** GitHub refuses all for one: then each is asked for alone. */
async function askFor(names: readonly string[], ask: Ask, signal: AbortSignal): Promise<readonly Refused[]> {
  try {
    return (await ask(names)).map((name) => ({ name, why: 'GitHub took no notice; it may have no access here' }));
  } catch (error) {
    signal.throwIfAborted();
    const isAnyones = !isRefusal(error) || error.isMissingPermission || names.length === 1;
    if (isAnyones) return names.map((name) => ({ name, why: wordsOf(error) }));
  }
  const refused: Refused[] = [];
  for (const name of names) refused.push(...(await askFor([name], ask, signal)));
  return refused;
}

function wordsOf(error: unknown): string {
  return error instanceof GitHubApiError ? error.answer : messageOf(error);
}

function explain(what: string, refused: readonly Refused[]): string {
  const groups = [...Map.groupBy(refused, ({ why }) => why)];
  const told = groups.map(([why, of]) => `${of.map(({ name }) => inlineCode(name)).join(', ')} (${why.replace(/\.$/, '')})`);
  return `Not set as ${what} of the pull request: ${told.join('; ')}.`;
}

async function addLabels(plan: RunPlan, number: number, names: readonly string[], { ports, signal }: PublishIo) {
  const parameters = { ...repositoryOf(plan), issue_number: number, labels: [...names] };
  await ports.api.rest('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', parameters, signal);
  return [];
}

/** A team is `org/team`, of which GitHub takes the second half. */
async function requestReviewers(plan: RunPlan, number: number, names: readonly string[], { ports, signal }: PublishIo) {
  const [teams, people] = [names.filter((name) => name.includes('/')), names.filter((name) => !name.includes('/'))];
  const parameters = {
    ...repositoryOf(plan),
    pull_number: number,
    ...(people.length === 0 ? {} : { reviewers: people.map(withoutAt) }),
    ...(teams.length === 0 ? {} : { team_reviewers: teams.map((team) => team.slice(team.lastIndexOf('/') + 1)) }),
  };
  await ports.api.rest('POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers', parameters, signal);
  return [];
}

/** Whom GitHub cannot assign it leaves out without a word. */
async function addAssignees(plan: RunPlan, number: number, names: readonly string[], { ports, signal }: PublishIo) {
  const parameters = { ...repositoryOf(plan), issue_number: number, assignees: names.map(withoutAt) };
  const { data } = await ports.api.rest('POST /repos/{owner}/{repo}/issues/{issue_number}/assignees', parameters, signal);
  const assigned = new Set((data.assignees ?? []).map(({ login }) => login.toLowerCase()));
  return names.filter((name) => !assigned.has(withoutAt(name).toLowerCase()));
}

function withoutAt(name: string): string {
  return name.replace(/^@/, '');
}
