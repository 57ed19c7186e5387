// Owns the list of a pull request's commits: sha, author and subject, the newest kept. Who a commit says made it is nobody's word but its own.
import { oneLine } from '../../schema/one-line.ts';
import { pageSize, readNewest } from '../read-newest.ts';
import { escapeInvisible } from './invisible.ts';
import type { Frame, Section, Source, Thread } from './section.ts';

/** GitHub lists 250 at most; what is before the newest hundred or two is history. */
const maxPages = 2;
const maxCommits = 100;
const maxSubjectChars = 120;

/** `frame`: the pull request's author, who answers for its commits. */
export async function loadCommits(thread: Thread, frame: Frame, source: Source, signal: AbortSignal): Promise<Section> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/commits';
  const parameters = { ...source.repository, pull_number: thread.number, per_page: pageSize };
  const { items, unread } = await readNewest((page) => source.api.rest(route, { ...parameters, page }, signal), maxPages);
  const shown = items.slice(-maxCommits);
  const lines = shown.map(({ sha, author, commit }) => {
    const name = author?.login ?? commit.author?.name ?? 'unknown';
    return `${sha.slice(0, 10)} ${oneLine(String(name), 40)}: ${oneLine(commit.message.split('\n')[0] ?? '', maxSubjectChars)}`;
  });
  const missing = unread + items.length - shown.length;
  return {
    groups: lines.length === 0 ? [] : [[{ ...frame, kind: 'commits', text: escapeInvisible(lines.join('\n')), notes: [] }]],
    omitted: missing === 0 ? [] : [`the ${missing} oldest of ${unread + items.length} commits`],
  };
}
