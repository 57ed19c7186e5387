// Owns the issues that a thread names: those that a pull request closes, and those that the request or the first post names by number.
import { z } from 'zod';
import { GitHubApiError, isGone } from '../api.ts';
import { isEditedAfter, loadEditTime, unknown } from './load-body.ts';
import { toItem } from './load-texts.ts';
import { empty, orSay, type Section, type Source, type Thread } from './section.ts';

/** Who names more of them names none that matters. */
const maxIssues = 5;
const maxTextLength = 4_096;

const closingSchema = z.object({
  repository: z.object({
    pullRequest: z.object({
      closingIssuesReferences: z.object({
        nodes: z.array(z.object({ number: z.number(), repository: z.object({ nameWithOwner: z.string() }).nullish() })),
      }),
    }),
  }),
});
const closingIssuesQuery = `query ClosingIssues($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      closingIssuesReferences(first: 10) { nodes { number repository { nameWithOwner } } }
    }
  }
}`;

/** A few of the issues and pull requests that `texts` name, those that are closed by this pull request first. */
export async function loadLinked(
  thread: Thread,
  texts: readonly string[],
  source: Source,
  signal: AbortSignal,
): Promise<Section> {
  const closing = thread.kind === 'pull_request' ? await loadClosing(thread, source, signal) : [];
  const named = [...closing, ...texts.flatMap((text) => numbersIn(text, source))];
  const numbers = [...new Set(named)].filter((number) => number !== thread.number);
  const wanted = numbers.slice(0, maxIssues);
  const sections = await Promise.all(
    wanted.map((number) => orSay(loadIssue(number, source, signal), `#${number}, which is named here`)),
  );
  const more = numbers.length - wanted.length;
  return {
    // The most important one is the newest of its section: it stays.
    groups: sections.flatMap(({ groups }) => groups).reverse(),
    omitted: [...sections.flatMap(({ omitted }) => omitted), ...(more > 0 ? [`${more} more issues that are named here`] : [])],
  };
}

/** `#12` and `owner/repo#12` of this repository. */
function numbersIn(text: string, source: Source): readonly number[] {
  const found = text.matchAll(/(?<![\w/#&-])([\w.-]+\/[\w.-]+)?#(\d{1,9})(?![\w-])/g);
  return [...found].flatMap(([, place, number]) => (place === undefined || isOwn(place, source) ? [Number(number)] : []));
}

function isOwn(nameWithOwner: string, { repository: { owner, repo } }: Source): boolean {
  return nameWithOwner.toLowerCase() === `${owner}/${repo}`.toLowerCase();
}

async function loadClosing(thread: Thread, source: Source, signal: AbortSignal): Promise<readonly number[]> {
  const { owner, repo: name } = source.repository;
  try {
    const answer = await source.api.graphql(closingIssuesQuery, { owner, name, number: thread.number }, signal);
    const { nodes } = closingSchema.parse(answer).repository.pullRequest.closingIssuesReferences;
    const ours = nodes.filter((issue) => !issue.repository || isOwn(issue.repository.nameWithOwner, source));
    return ours.map(({ number }) => number);
  } catch (error) {
    // The words of the description name them as well.
    if (error instanceof GitHubApiError || error instanceof z.ZodError) return [];
    throw error;
  }
}

async function loadIssue(number: number, source: Source, signal: AbortSignal): Promise<Section> {
  const { api, repository, plan } = source;
  try {
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
    const { data: issue } = await api.rest(route, { ...repository, issue_number: number }, signal);
    const asked = plan.trigger.at;
    if (!(Date.parse(issue.created_at) < Date.parse(asked))) return empty;
    // Whatever happens on it moves this time: before the request nothing did.
    const isUntouched = Date.parse(issue.updated_at) < Date.parse(asked);
    const editedAt = isUntouched ? null : await loadEditTime(number, source, signal);
    if (editedAt === unknown || isEditedAfter(editedAt, asked)) {
      return { groups: [], omitted: [`#${number}, which may have been edited after the request`] };
    }
    // A title has no time of its own.
    const title = isUntouched ? ` ${issue.title}` : '';
    const kind = issue.pull_request === undefined ? 'issue' : 'pull request';
    const text = `#${number}${title} (${kind}, ${issue.state})\n\n${issue.body ?? ''}`.trim();
    const place = { kind: 'body' as const, id: 0, thread: number };
    const raw = {
      kind: 'linked_issue' as const,
      source: place,
      user: issue.user,
      createdAt: issue.created_at,
      text,
      marked: issue.body ?? '',
    };
    return { groups: [[await toItem(raw, source, signal, maxTextLength)]], omitted: [] };
  } catch (error) {
    if (isGone(error)) return empty;
    throw error;
  }
}
